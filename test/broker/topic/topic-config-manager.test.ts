import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { isCometError } from '../../../src/base/errors.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { topicConfigOf } from '../../../src/broker/topic/system-topics.js';
import { TopicConfigManager } from '../../../src/broker/topic/topic-config-manager.js';
import { goldenJson } from '../../golden-data.js';
import { RecordingPublisher, testConfig } from '../fakes.js';

setLogLevel('silent');

interface Golden {
  stores: Record<string, { dump: { config: Record<string, string> } }>;
}
const GOLDEN_TOPICS =
  goldenJson<Golden>('golden.json').stores['main']?.dump.config['topics.json'] ?? '';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function setUp(flags: Record<string, string> = {}, files: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'topics-'));
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const publisher = new RecordingPublisher();
  const clock = new ManualClock();
  const written: string[] = [];
  let routeChanges = 0;
  const manager = new TopicConfigManager({
    path: join(directory, 'topics.json'),
    config: testConfig(flags),
    clock,
    publisher,
    onRouteChanged: () => routeChanges++,
    write: async (_path, text) => {
      written.push(text);
    },
  });
  return { manager, publisher, clock, written, routeChanges: () => routeChanges };
}

const auto = (topic: string, queueNums = 4, defaultTopic = 'TBW102') => ({
  topic,
  defaultTopic,
  queueNums,
  topicSysFlag: 0,
  remoteAddress: '1.2.3.4:5',
});

describe('TopicConfigManager', () => {
  it('has the system topics of a Java broker at its first start', () => {
    const { manager } = setUp();
    const rows = [...manager.topics()].map((row) => [row.topicName, row.writeQueueNums, row.perm]);
    expect(rows).toEqual([
      ['SELF_TEST_TOPIC', 1, 6],
      ['TBW102', 8, 7],
      ['BenchmarkTest', 1024, 6],
      ['GoldenCluster', 16, 7],
      ['golden-a', 1, 7],
      ['OFFSET_MOVED_EVENT', 1, 6],
      ['SCHEDULE_TOPIC_XXXX', 18, 6],
      ['GoldenCluster_REPLY_TOPIC', 1, 6],
    ]);
  });

  it('has the trace topic and no TBW102 when the configuration says so', () => {
    const { manager } = setUp({ traceTopicEnable: 'true', autoCreateTopicEnable: 'false' });
    expect(manager.get('RMQ_SYS_TRACE_TOPIC')?.writeQueueNums).toBe(1);
    expect(manager.get('TBW102')).toBeUndefined();
  });

  it("loads a Java broker's file and writes it back byte for byte", async () => {
    const { manager, written } = setUp({}, { 'topics.json': GOLDEN_TOPICS });
    manager.load();
    const golden = JSON.parse(GOLDEN_TOPICS) as { dataVersion: object };
    expect(manager.dataVersion).toEqual(golden.dataVersion);
    expect(manager.get('GoldenOrder')?.writeQueueNums).toBe(4);
    await manager.update(topicConfigOf('GoldenRoll', 4, 6));
    const [text = ''] = written;
    const rows = (it: string) => it.split('"topicConfigTable":{')[1]?.split(/\n\t\t(?=")|,?\n\t\}/);
    const sorted = (it: string) =>
      rows(it)
        ?.map((row) => row.replace(/,$/, ''))
        .sort();
    expect(sorted(text)).toEqual(sorted(GOLDEN_TOPICS));
  });

  it('takes the backup when the file is cut, and refuses to start when both are damaged', () => {
    const cut = GOLDEN_TOPICS.slice(0, GOLDEN_TOPICS.length / 2);
    const { manager } = setUp({}, { 'topics.json': cut, 'topics.json.bak': GOLDEN_TOPICS });
    manager.load();
    expect(manager.get('GoldenOrder')).toBeDefined();
    const damaged = setUp({}, { 'topics.json': cut, 'topics.json.bak': '\0\0\0' }).manager;
    expect(() => damaged.load()).toThrow(
      expect.toSatisfy((error: unknown) => isCometError(error, 'CONFIG_FILE_DAMAGED')),
    );
  });

  it('creates a topic from TBW102 with as many queues as both sides allow', async () => {
    const { manager, publisher, written, routeChanges } = setUp();
    const before = manager.dataVersion.counter;
    const row = await manager.createByTemplate(auto('New'));
    expect(row).toMatchObject({ topicName: 'New', readQueueNums: 4, writeQueueNums: 4, perm: 6 });
    expect((await manager.createByTemplate(auto('Wide', 100)))?.writeQueueNums).toBe(8);
    expect((await manager.createByTemplate(auto('None', -3)))?.writeQueueNums).toBe(0);
    expect(publisher.topics.get('New')).toEqual(row);
    expect(manager.dataVersion.counter).toBe(before + 3);
    expect(routeChanges()).toBe(3);
    expect(written.at(-1)).toContain('"New"');
  });

  it('creates nothing from a template that is missing, may not be inherited from, or is switched off', async () => {
    const { manager } = setUp();
    expect(await manager.createByTemplate(auto('A', 4, 'NoSuchTopic'))).toBeNull();
    expect(await manager.createByTemplate(auto('B', 4, 'SELF_TEST_TOPIC'))).toBeNull();
    const config = testConfig();
    const off = setUp();
    config.autoCreateTopicEnable = false;
    expect(await off.manager.createByTemplate(auto('C', 4, 'golden-a'))).not.toBeNull();
    const { manager: none } = setUp({ autoCreateTopicEnable: 'false' });
    expect(await none.createByTemplate(auto('D'))).toBeNull();
  });

  it('creates a topic once, however often it is asked for at the same time', async () => {
    const { manager } = setUp();
    const before = manager.dataVersion.counter;
    await Promise.all([1, 2, 3].map(() => manager.createIfAbsent('%RETRY%g', 1, 6, 0)));
    expect(manager.dataVersion.counter).toBe(before + 1);
  });

  it('follows the order list of the name servers, both ways, in one version', () => {
    const { manager, publisher } = setUp();
    manager.update(topicConfigOf('A', 4, 6)).catch(() => {});
    const before = manager.dataVersion.counter;
    manager.setOrderTopics(new Set(['A', 'unknown']));
    expect(manager.get('A')?.order).toBe(true);
    expect(publisher.topics.get('A')?.order).toBe(true);
    manager.setOrderTopics(new Set(['A']));
    expect(manager.dataVersion.counter).toBe(before + 1);
    manager.setOrderTopics(new Set());
    expect(manager.get('A')?.order).toBe(false);
  });

  it('tells the workers of a deletion and keeps the version when there was nothing to delete', async () => {
    const { manager, publisher } = setUp();
    await manager.update(topicConfigOf('A', 4, 6));
    const before = manager.dataVersion.counter;
    expect(await manager.delete('A')).toBe(true);
    expect(publisher.topics.get('A')).toBeNull();
    expect(await manager.delete('A')).toBe(false);
    expect(manager.dataVersion.counter).toBe(before + 1);
  });

  it('knows the names that nobody may create or delete', () => {
    const { manager } = setUp();
    for (const name of [
      'TBW102',
      'GoldenCluster',
      'golden-a',
      'GoldenCluster_REPLY_TOPIC',
      'rmq_sys_x',
    ]) {
      expect(manager.isSystemTopic(name), name).toBe(true);
    }
    expect(manager.isSystemTopic('Mine')).toBe(false);
  });

  it("takes a master's table over, version and all, when it differs", async () => {
    const master = setUp().manager;
    await master.update(topicConfigOf('FromMaster', 3, 6));
    const { manager, publisher, clock } = setUp();
    clock.advance(1);
    await manager.update(topicConfigOf('Own', 1, 6));
    expect(await manager.replaceAll(master.wrapper())).toBe(true);
    expect(manager.get('FromMaster')?.writeQueueNums).toBe(3);
    expect(publisher.topics.get('Own')).toBeNull();
    expect(await manager.replaceAll(master.wrapper())).toBe(false);
  });
});
