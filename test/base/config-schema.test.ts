import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MachineFacts } from '../../src/base/config-property.js';
import {
  brokerSchema,
  differingDefaults,
  namesrvSchema,
  nearestName,
  type Schema,
} from '../../src/base/config-schema.js';
import { brokerProperties } from '../../src/base/config-schema-broker.js';
import {
  namesrvProperties,
  nettyClientProperties,
  nettyServerProperties,
} from '../../src/base/config-schema-remoting.js';
import { messageStoreProperties } from '../../src/base/config-schema-store.js';

interface GoldenProperty {
  readonly name: string;
  readonly type: string;
  readonly default?: string;
  readonly important?: boolean;
}

const golden: Record<string, readonly GoldenProperty[]> = JSON.parse(
  readFileSync(new URL('../golden/config-defaults.json', import.meta.url), 'utf8'),
);

/** The machine on which the golden table was made. */
const goldenMachine: MachineFacts = {
  cpuCount: 2,
  hostName: 'vm',
  homeDir: '(home)',
  localAddress: '192.0.2.2',
  env: { ROCKETMQ_HOME: '(environment)' },
};

const beans: readonly (readonly [string, Schema])[] = [
  ['BrokerConfig', brokerProperties],
  ['MessageStoreConfig', messageStoreProperties],
  ['NettyServerConfig', nettyServerProperties],
  ['NettyClientConfig', nettyClientProperties],
  ['NamesrvConfig', namesrvProperties],
];

describe.each(beans)('%s', (bean, table) => {
  test('has the names, types and defaults of the Java bean, in its order', () => {
    const ours = Object.entries(table).map(([name, property]) => ({
      name: property.field ?? name,
      type: property.javaType,
      default: (property.javaDefault ?? property.initial(goldenMachine))?.toString(),
      important: property.important ?? false,
    }));
    const java = (golden[bean] ?? []).map((property) => ({
      name: property.name,
      type: property.type,
      default: property.default,
      important: property.important ?? false,
    }));
    expect(ours).toEqual(java);
    expect(java.length).toBeGreaterThan(5);
  });
});

test('the defaults that differ from Java are those of the README', () => {
  expect(differingDefaults(brokerSchema)).toEqual(['waitTimeMillsInSendQueue']);
  expect(differingDefaults(namesrvSchema)).toEqual([]);
});

test('no path, port, role, name or switch of security may change over the wire', () => {
  const risky =
    /path|port$|role|addr|brokerIP|brokerName|ClusterName|brokerId|acl(?!ean)|tls|home|plugin|filterServer/i;
  for (const schema of [brokerSchema, namesrvSchema] as Schema[]) {
    for (const [name, property] of Object.entries(schema)) {
      if (risky.test(name)) {
        expect([name, property.change ?? 'never']).toEqual([name, 'never']);
      }
    }
  }
});

test('names the property that was probably meant', () => {
  expect(nearestName(brokerSchema, 'mapedFileSizeCommitLog')).toBe('mappedFileSizeCommitLog');
  expect(nearestName(brokerSchema, 'brokername')).toBe('brokerName');
  expect(nearestName(brokerSchema, 'somethingElseAltogether')).toBeNull();
});
