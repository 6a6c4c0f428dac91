import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ConsumerFilterManager } from '../../../src/broker/filter/consumer-filter-manager.js';
import { goldenStoreFiles } from '../../golden-data.js';
import { FakeConnection, RecordingPublisher, testBroker } from '../fakes.js';

setLogLevel('silent');

const START_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const GOLDEN =
  goldenStoreFiles('store-sql.tar.gz').get('config/consumerFilter.json')?.toString() ?? '';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function setUp(files: { main?: string; bak?: string } = {}, maxFilters?: number) {
  const directory = mkdtempSync(join(tmpdir(), 'filters-'));
  directories.push(directory);
  const path = join(directory, 'consumerFilter.json');
  if (files.main !== undefined) writeFileSync(path, files.main);
  if (files.bak !== undefined) writeFileSync(`${path}.bak`, files.bak);
  const clock = new ManualClock(START_MS);
  const publisher = new RecordingPublisher();
  const written: string[] = [];
  const config = {
    maxErrorRateOfBloomFilter: 20,
    expectConsumerNumUseFilter: 32,
    filterDataCleanTimeSpan: DAY_MS,
  };
  const manager = new ConsumerFilterManager({
    path,
    config,
    clock,
    publisher,
    write: async (_, text) => {
      written.push(text);
    },
    ...(maxFilters === undefined ? {} : { maxFilters }),
  });
  return { manager, clock, publisher, written, config };
}

function sql(topic: string, subString: string, subVersion = 1) {
  return { topic, subString, expressionType: 'SQL92', subVersion };
}

const TAGS = { topic: 'U', subString: '*', expressionType: 'TAG', subVersion: 1 };

describe('ConsumerFilterManager', () => {
  it('tells the worker a new filter, a new version and a removal, each once', async () => {
    const { manager, clock, publisher } = setUp();
    manager.publishAll();
    manager.register('G', [sql('T', 'a > 5'), TAGS]);
    manager.register('G', [sql('T', 'a > 5'), TAGS]);
    expect(publisher.filters).toEqual([
      ['T', 'G', expect.objectContaining({ expression: 'a > 5', clientVersion: 1 })],
    ]);
    expect(publisher.filters[0]?.[2]).not.toHaveProperty('compiledExpression');
    manager.register('G', [sql('T', 'a > 5', 2)]);
    expect(publisher.filters.at(-1)?.[2]).toMatchObject({ clientVersion: 2, bornTime: START_MS });
    manager.unregister('G');
    expect(publisher.filters).toHaveLength(2);
    clock.advance(DAY_MS - 1);
    await manager.persist();
    expect(manager.get('T', 'G')).not.toBeNull();
    clock.advance(1);
    await manager.persist();
    expect(publisher.filters.slice(2)).toEqual([['T', 'G', null]]);
    expect([manager.get('T', 'G'), manager.count]).toEqual([null, 0]);
  });

  it('keeps no filter of an expression that can not be compiled, and takes away the older one', () => {
    const { manager, publisher } = setUp();
    manager.publishAll();
    manager.register('G', [sql('T', 'a >')]);
    expect(publisher.filters).toEqual([]);
    manager.register('G', [sql('T', 'a > 5')]);
    manager.register('G', [sql('T', 'a >', 2)]);
    expect(publisher.filters.at(-1)).toEqual(['T', 'G', null]);
    expect(manager.get('T', 'G')).toBeNull();
  });

  it('saves what changed, and nothing when nothing did', async () => {
    const { manager, clock, written } = setUp();
    await manager.persist();
    manager.register('G', [sql('T', 'a > 5')]);
    await manager.persist();
    manager.register('G', [sql('T', 'a > 5')]);
    await manager.persist();
    expect(written).toHaveLength(1);
    clock.advance(5);
    manager.unregister('G');
    await manager.persist();
    expect(JSON.parse(written[1] ?? '')).toMatchObject({
      filterDataByTopic: {
        T: { groupFilterData: { G: { bornTime: START_MS, dead: true, deadTime: START_MS + 5 } } },
      },
    });
  });

  it("loads a Java broker's file, tells the worker all of it, and writes it back as it was", async () => {
    const { manager, publisher, written, config } = setUp({ main: GOLDEN });
    config.filterDataCleanTimeSpan = Number.MAX_SAFE_INTEGER;
    manager.load();
    expect(publisher.filters).toEqual([]);
    manager.publishAll();
    expect(publisher.filters.map(([topic, group]) => [topic, group])).toEqual([
      ['GoldenSql', 'CG_sql1'],
      ['GoldenSql', 'CG_sql2'],
      ['GoldenSql', 'CG_sql3'],
    ]);
    await manager.persist();
    expect(written).toEqual([GOLDEN]);
  });

  it('takes the backup for a damaged file, and starts without filters when both are', () => {
    const first = setUp({ main: GOLDEN.slice(0, 300), bak: GOLDEN });
    first.manager.load();
    expect(first.manager.count).toBe(3);
    const second = setUp({ main: '{', bak: '\0\0' });
    second.manager.load();
    expect(second.manager.count).toBe(0);
  });

  it('leaves aside a file of other bloom settings, and does not turn to its backup', () => {
    const other = GOLDEN.replaceAll('"bitNum":112', '"bitNum":120');
    const { manager } = setUp({ main: other, bak: GOLDEN });
    manager.load();
    expect(manager.count).toBe(0);
  });

  it('keeps no more filters than its limit, and goes on with those that it has', () => {
    const { manager, publisher } = setUp({}, 2);
    manager.publishAll();
    manager.register('G', [sql('T1', 'a > 1'), sql('T2', 'a > 2'), sql('T3', 'a > 3'), TAGS]);
    expect(manager.count).toBe(2);
    manager.register('G', [sql('T1', 'a > 1', 2), sql('T2', 'a > 2', 2), sql('T3', 'a > 3', 2)]);
    expect(publisher.filters.map(([topic]) => topic)).toEqual(['T1', 'T2', 'T1', 'T2']);
    expect(manager.get('T1', 'G')?.deadTime).toBe(0);
  });

  it('says where an expression is wrong, and what type it does not know', () => {
    const { manager } = setUp();
    expect(manager.check('SQL92', 'a > 5')).toBeNull();
    expect(manager.check('SQL92', 'a >')).toMatch(/line 1, column 4/);
    expect(manager.check('LUA', 'a > 5')).toContain('LUA');
  });
});

describe('BrokerController', () => {
  const heartbeat = (subString: string, subVersion: number) =>
    JSON.stringify({
      clientID: 'c',
      consumerDataSet: [
        {
          groupName: 'G',
          consumeType: 'CONSUME_PASSIVELY',
          messageModel: 'CLUSTERING',
          consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
          subscriptionDataSet: [
            {
              topic: 'T',
              subString,
              expressionType: 'SQL92',
              subVersion,
              codeSet: [],
              tagsSet: [],
            },
          ],
          unitMode: false,
        },
      ],
      producerDataSet: [],
    });

  it('registers the filters of a heartbeat, lets them die with the last member, and saves them at the end', async () => {
    const { controller, publisher, ask, files, clock } = testBroker();
    controller.load();
    controller.publishAll();
    const connection = new FakeConnection(1);
    await ask(34, null, { body: heartbeat('a > 5', 1), connection });
    expect(publisher.filters).toHaveLength(1);
    clock.advance(7);
    connection.close('test');
    expect(controller.context.filters.get('T', 'G')?.deadTime).toBe(clock.nowMs());
    await controller.shutdown();
    expect(files.get('consumerFilter.json')).toContain('"expression":"a > 5"');
  });

  it('tells the worker whether retries are filtered, at the start and when it changes', async () => {
    const { controller, publisher, ask } = testBroker({ filterSupportRetry: 'true' });
    controller.load();
    controller.publishAll();
    expect(publisher.filterSupportRetry).toBe(true);
    await ask(25, null, { body: 'filterSupportRetry=false\n' });
    expect(publisher.filterSupportRetry).toBe(false);
  });

  it('answers code 26 with as many bitmap bits as the bloom filter has', async () => {
    const { ask } = testBroker({ bitMapLengthConsumeQueueExt: '64' });
    expect((await ask(26))?.body?.toString()).toContain('bitMapLengthConsumeQueueExt=112\n');
  });
});
