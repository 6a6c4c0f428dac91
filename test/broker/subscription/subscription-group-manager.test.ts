import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import {
  SubscriptionGroupManager,
  SYSTEM_GROUPS,
} from '../../../src/broker/subscription/subscription-group-manager.js';
import { goldenJson } from '../../golden-data.js';
import { RecordingPublisher } from '../fakes.js';

setLogLevel('silent');

interface Golden {
  stores: Record<string, { dump: { config: Record<string, string> } }>;
}
const GOLDEN =
  goldenJson<Golden>('golden.json').stores['main']?.dump.config['subscriptionGroup.json'] ?? '';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function setUp(autoCreateSubscriptionGroup = true, file?: string) {
  const directory = mkdtempSync(join(tmpdir(), 'groups-'));
  directories.push(directory);
  const path = join(directory, 'subscriptionGroup.json');
  if (file !== undefined) writeFileSync(path, file);
  const publisher = new RecordingPublisher();
  const written: string[] = [];
  const manager = new SubscriptionGroupManager({
    path,
    config: { autoCreateSubscriptionGroup },
    clock: new ManualClock(),
    publisher,
    write: async (_, text) => {
      written.push(text);
    },
  });
  return { manager, publisher, written };
}

describe('SubscriptionGroupManager', () => {
  it('has the system groups at the first start', () => {
    expect([...setUp().manager.groups()].map(({ groupName }) => groupName)).toEqual(SYSTEM_GROUPS);
  });

  it("loads a Java broker's file and writes each group back as it was", async () => {
    const { manager, written } = setUp(true, GOLDEN);
    manager.load();
    const golden = JSON.parse(GOLDEN) as { dataVersion: object };
    expect(manager.dataVersion).toEqual(golden.dataVersion);
    const row = manager.get('CG_retry');
    if (row === undefined) throw new Error('not loaded');
    expect(row.retryMaxTimes).toBe(3);
    await manager.update(row);
    const rows = (text: string) =>
      text
        .split(/\n\t\t(?=")/)
        .slice(3)
        .map((it) => it.replace(/[,\s}]*$/, ''))
        .sort();
    expect(rows(written[0] ?? '')).toEqual(rows(GOLDEN));
  });

  it('makes a group on first look-up, once, and tells the workers', () => {
    const { manager, publisher } = setUp();
    expect(manager.findOrCreate('g')).toMatchObject({
      groupName: 'g',
      retryMaxTimes: 16,
      retryQueueNums: 1,
    });
    expect(publisher.groups.get('g')?.groupName).toBe('g');
    manager.findOrCreate('g');
    expect(manager.dataVersion.counter).toBe(1);
  });

  it('makes only groups of the system when it may not make any', () => {
    const { manager } = setUp(false);
    expect(manager.findOrCreate('g')).toBeNull();
    expect(manager.findOrCreate('CID_RMQ_SYS_TRANS')).not.toBeNull();
  });

  it('refuses to start when the file can not be read', () => {
    expect(() => setUp(true, '{"x":').manager.load()).toThrow();
  });
});
