import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BrokerConfig, loadBrokerConfig } from '../../src/base/config.js';
import type { MachineFacts } from '../../src/base/config-property.js';
import { brokerSchema } from '../../src/base/config-schema.js';
import { Configuration } from '../../src/base/config-update.js';
import { parseProperties } from '../../src/base/properties-file.js';

const machine: MachineFacts = {
  cpuCount: 2,
  hostName: 'vm',
  homeDir: '/home/u',
  localAddress: '192.0.2.2',
  env: {},
};

let dir: string;
let file: string;
let config: BrokerConfig;
let configuration: Configuration;
let seen: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cometmq-update-'));
  file = join(dir, 'broker.conf');
  writeFileSync(file, '# kept\nbrokerName=a\n');
  seen = [];
  reload();
});
afterEach(() => rmSync(dir, { recursive: true }));

function reload(): void {
  ({ config } = loadBrokerConfig({ file, machine }));
  const onChange = (names: readonly string[]) => seen.push(...names);
  configuration = new Configuration({ schema: brokerSchema, config, file, onChange });
}

function readBack(name: string): string | undefined {
  return parseProperties(configuration.text()).find((pair) => pair.name === name)?.value;
}

test('a hot value is in force at once, in the file, and read back after a restart', async () => {
  const outcome = await configuration.update('fileReservedTime=48\n');
  expect(outcome).toEqual({ ok: true, changed: ['fileReservedTime'], needRestart: [] });
  expect(config.fileReservedTime).toBe(48);
  expect(seen).toEqual(['fileReservedTime']);
  expect(readFileSync(file, 'utf8')).toBe('# kept\nbrokerName=a\nfileReservedTime=48\n');
  reload();
  expect(config.fileReservedTime).toBe(48);
});

test.each(['1s 5s 10s', '  1s', 'a=b', '1s#2s', '级别 é😀'])(
  'messageDelayLevel %j survives update, read-back and restart, which it needs',
  async (value) => {
    const before = config.messageDelayLevel;
    const outcome = await configuration.update(`messageDelayLevel=${value}\n`);
    expect(outcome).toEqual({ ok: true, changed: [], needRestart: ['messageDelayLevel'] });
    expect(config.messageDelayLevel).toBe(before);
    expect(readBack('messageDelayLevel')).toBe(value.trimStart());
    reload();
    expect(config.messageDelayLevel).toBe(value.trimStart());
  },
);

test.each([
  ['storePathRootDir=/etc', 'forbidden'],
  ['rocketmqHome=$(reboot)', 'forbidden'],
  ['listenPort=1', 'forbidden'],
  ['brokerRole=SLAVE', 'forbidden'],
  ['aclEnable=true', 'forbidden'],
  ['tls.server.keyPath=/etc/shadow', 'forbidden'],
  ['fileReservedTime=soon', 'invalid'],
  ['noSuchProperty=1', 'invalid'],
  ['regionId=a\\nb', 'invalid'],
  ['regionId=C:\\dir', 'invalid'],
  ['__proto__=1', 'invalid'],
])('%s is refused as %s and changes nothing, nor does what came with it', async (line, reason) => {
  const text = configuration.text();
  const outcome = await configuration.update(`fileReservedTime=48\n${line}\n`);
  expect(outcome).toMatchObject({ ok: false, reason });
  expect(configuration.text()).toBe(text);
  expect(config.fileReservedTime).toBe(72);
  expect(readFileSync(file, 'utf8')).toBe('# kept\nbrokerName=a\n');
});

test('what a tool reads and sends back as it was is taken and changes nothing', async () => {
  const outcome = await configuration.update(configuration.text().replace(/^isEnable.*\n/m, ''));
  expect(outcome).toEqual({ ok: true, changed: [], needRestart: [] });
});

test('a value that can not be kept is not put in force', async () => {
  rmSync(dir, { recursive: true });
  writeFileSync(dir, 'a file where the directory was');
  await expect(configuration.update('fileReservedTime=48')).rejects.toThrow(/broker\.conf/);
  expect(config.fileReservedTime).toBe(72);
});

test('never tells a password', () => {
  Object.assign(config, { 'tls.server.keyPassword': 'canary' });
  expect(configuration.text()).not.toContain('canary');
});
