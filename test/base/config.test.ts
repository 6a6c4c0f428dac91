import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadBrokerConfig, loadNamesrvConfig, printConfig } from '../../src/base/config.js';
import type { MachineFacts } from '../../src/base/config-property.js';
import { brokerSchema, namesrvSchema } from '../../src/base/config-schema.js';

const machine: MachineFacts = {
  cpuCount: 2,
  hostName: 'vm',
  homeDir: '/home/u',
  localAddress: '192.0.2.2',
  env: {},
};

let file: string;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cometmq-config-'));
  file = join(dir, 'broker.conf');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('flags win over environment, environment over file, file over defaults', () => {
  writeFileSync(file, 'brokerName=of-file\nbrokerClusterName=of-file\nlistenPort=12000\n');
  const { config, sources } = loadBrokerConfig({
    file,
    flags: { brokerName: 'of-flag' },
    machine: {
      ...machine,
      env: { RMQ_BROKER_brokerName: 'of-env', RMQ_BROKER_brokerClusterName: 'of-env' },
    },
  });
  expect(config.brokerName).toBe('of-flag');
  expect(config.brokerClusterName).toBe('of-env');
  expect(config.listenPort).toBe(12_000);
  expect(config.haListenPort).toBe(12_001);
  expect(config.fileReservedTime).toBe(72);
  expect(sources).toMatchObject({
    brokerName: 'flag',
    brokerClusterName: 'environment',
    listenPort: 'file',
    haListenPort: 'derived',
    fileReservedTime: 'default',
  });
});

test('takes NAMESRV_ADDR and ROCKETMQ_HOME as Java does', () => {
  const env = { NAMESRV_ADDR: '10.0.0.1:9876', ROCKETMQ_HOME: '/opt/mq' };
  const { config } = loadBrokerConfig({ machine: { ...machine, env } });
  expect(config.namesrvAddr).toBe('10.0.0.1:9876');
  expect(config.rocketmqHome).toBe('/opt/mq');
});

test('warns of an unknown name with its line and the name that was probably meant', () => {
  writeFileSync(file, '# x\nmapedFileSizeCommitLog=1024\n');
  const { warnings, config } = loadBrokerConfig({ file, machine });
  expect(warnings).toEqual([
    `${file}:2: unknown property "mapedFileSizeCommitLog"; did you mean "mappedFileSizeCommitLog"?`,
  ]);
  expect(config.mappedFileSizeCommitLog).toBe(1_073_741_824);
});

test('tells all bad values at once, each with file and line', () => {
  writeFileSync(file, 'listenPort=abc\n\nfileReservedTime=-1\nbrokerRole=MASTER\naclEnable=yes\n');
  expect(() => loadBrokerConfig({ file, machine })).toThrow(
    new RegExp(
      `${file}:1: listenPort must be .*"abc"; ${file}:3: fileReservedTime .*; ${file}:4: brokerRole must be ASYNC_MASTER or SYNC_MASTER or SLAVE, not "MASTER"; ${file}:5: aclEnable must be true or false`,
    ),
  );
});

test.each(['9007199254740993', '1e3', '0x10', '1.5', ''])('refuses %j as a number', (value) => {
  expect(() =>
    loadBrokerConfig({ flags: { consumerFallbehindThreshold: value }, machine }),
  ).toThrow(/consumerFallbehindThreshold must be a whole number/);
});

test('notes a known property that has no effect here', () => {
  const { notes } = loadBrokerConfig({ flags: { pullMessageThreadPoolNums: '99' }, machine });
  expect(notes).toEqual([
    'flag pullMessageThreadPoolNums: pullMessageThreadPoolNums has no effect here',
  ]);
});

test('a master has id 0 whatever the file says, and a slave must have another', () => {
  const master = loadBrokerConfig({ flags: { brokerId: '3' }, machine });
  expect(master.config.brokerId).toBe(0);
  const slave = loadBrokerConfig({ flags: { brokerRole: 'SLAVE', brokerId: '3' }, machine });
  expect(slave.config.brokerId).toBe(3);
  expect(() => loadBrokerConfig({ flags: { brokerRole: 'SLAVE' }, machine })).toThrow(/above 0/);
});

test("a broker listens on all addresses and advertises the machine's, as in Java", () => {
  const { config } = loadBrokerConfig({ machine });
  expect([config.bindAddress, config.brokerIP1]).toEqual(['0.0.0.0', '192.0.2.2']);
  expect(loadNamesrvConfig({ machine }).config.bindAddress).toBe('0.0.0.0');
});

test.each(['127.0.0.1', '10.1.2.3'])('a broker that listens on %s only advertises it', (ip) => {
  const { config } = loadBrokerConfig({ flags: { bindAddress: ip }, machine });
  expect([config.brokerIP1, config.brokerIP2]).toEqual([ip, ip]);
});

test('warns when clients are told an address that nobody listens on', () => {
  const flags = { bindAddress: '127.0.0.1', brokerIP1: '10.1.2.3' };
  expect(loadBrokerConfig({ flags, machine }).warnings).toEqual([
    'clients are told 10.1.2.3, but the broker listens on 127.0.0.1 only; set bindAddress',
  ]);
  expect(loadBrokerConfig({ flags: { brokerIP1: '10.1.2.3' }, machine }).warnings).toEqual([]);
});

test("a command's own defaults give way to everything that was set", () => {
  const file = join(dir, 'own.conf');
  writeFileSync(file, 'brokerName=from-file\n');
  const defaults = { brokerName: 'own', bindAddress: '127.0.0.1' };
  const { config, sources } = loadBrokerConfig({ defaults, file, machine });
  expect([config.brokerName, config.bindAddress]).toEqual(['from-file', '127.0.0.1']);
  expect(sources['bindAddress']).toBe('default');
});

test('refuses a name server list that can not be one', () => {
  expect(() => loadBrokerConfig({ flags: { namesrvAddr: 'localhost' }, machine })).toThrow(
    /namesrvAddr must look like/,
  );
  const { config } = loadBrokerConfig({ flags: { namesrvAddr: 'a:1;b:2;' }, machine });
  expect(config.namesrvAddr).toBe('a:1;b:2;');
});

test("prints name=value lines in Java's order, null as nothing", () => {
  const lines = printConfig(brokerSchema, loadBrokerConfig({ machine }).config).split('\n');
  expect(lines.slice(0, 3)).toEqual(['rocketmqHome=', 'namesrvAddr=', 'brokerIP1=192.0.2.2']);
  expect(lines).toContain('isEnableBatchPush=false');
  expect(lines).toContain('listenPort=10911');
  const { config } = loadNamesrvConfig({ machine });
  expect(printConfig(namesrvSchema, config)).toMatch(
    /^rocketmqHome=\nkvConfigPath=\/home\/u\/namesrv\/kvConfig.json\n(?:.*\n)*listenPort=9876\n/,
  );
  expect(printConfig(brokerSchema, loadBrokerConfig({ machine }).config, true)).not.toContain(
    'regionId',
  );
});
