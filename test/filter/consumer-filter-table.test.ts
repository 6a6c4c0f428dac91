import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { BloomFilter } from '../../src/filter/bloom-filter.js';
import { isDead } from '../../src/filter/consumer-filter-data.js';
import { ConsumerFilterTable } from '../../src/filter/consumer-filter-table.js';
import { ExpressionCache } from '../../src/filter/expression-cache.js';

const DAY_MS = 24 * 3_600_000;
const START_MS = 1_700_000_000_000;

function newTable(bloomFilter = new BloomFilter(20, 32)) {
  const clock = new ManualClock(START_MS);
  const cache = new ExpressionCache();
  const table = new ConsumerFilterTable({
    bloomFilter,
    compile: (expression) => cache.compile(expression),
    clock,
    cleanTimeSpanMs: DAY_MS,
  });
  return { table, clock };
}

function sql(topic: string, subString: string, subVersion: number) {
  return { topic, subString, expressionType: 'SQL92', subVersion };
}

describe('ConsumerFilterTable.register', () => {
  test('makes the filter of a new group, with its bits and its birth', () => {
    const { table } = newTable();
    expect(table.register('T', 'G', 'a > 5', 'SQL92', 7)).toBe(true);
    expect(table.get('T', 'G')).toMatchObject({
      topic: 'T',
      consumerGroup: 'G',
      expression: 'a > 5',
      expressionType: 'SQL92',
      bornTime: START_MS,
      deadTime: 0,
      clientVersion: 7,
      bloomFilterData: new BloomFilter(20, 32).generate('G', 'T'),
    });
    expect(table.get('T', 'other')).toBe(null);
    expect(table.get('other', 'G')).toBe(null);
  });

  test.each([
    ['a tag', '*', 'TAG'],
    ['no type', '*', ''],
    ['a null type', '*', null],
    ['an empty expression', '', 'SQL92'],
    ['an unknown type', 'a > 5', 'SQL99'],
    ['an expression that is refused', 'a >', 'SQL92'],
  ])('takes nothing for %s', (_, expression, type) => {
    const { table } = newTable();
    expect(table.register('T', 'G', expression, type, 7)).toBe(false);
    expect(table.get('T', 'G')).toBe(null);
    expect(table.ofTopic('T')).toEqual([]);
  });

  test('keeps what it has when an older or the same version comes', () => {
    const { table } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    expect(table.register('T', 'G', 'a > 6', 'SQL92', 6)).toBe(false);
    expect(table.register('T', 'G', 'a > 6', 'SQL92', 7)).toBe(false);
    expect(table.get('T', 'G')?.expression).toBe('a > 5');
  });

  test('is born anew with a newer version of another expression', () => {
    const { table, clock } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    clock.advance(1_000);
    expect(table.register('T', 'G', 'a > 6', 'SQL92', 8)).toBe(true);
    expect(table.get('T', 'G')).toMatchObject({
      expression: 'a > 6',
      clientVersion: 8,
      bornTime: START_MS + 1_000,
    });
  });

  test('keeps its birth, and so the use of stored bitmaps, with a newer version of the same', () => {
    const { table, clock } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    table.unregisterGroup('G');
    clock.advance(1_000);
    expect(table.register('T', 'G', 'a > 5', 'SQL92', 8)).toBe(true);
    expect(table.get('T', 'G')).toMatchObject({
      clientVersion: 8,
      bornTime: START_MS,
      deadTime: 0,
    });
  });

  test('drops the older expression when the newer one is refused', () => {
    const { table } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    expect(table.register('T', 'G', 'a >', 'SQL92', 8)).toBe(false);
    expect(table.get('T', 'G')).toBe(null);
  });

  test('revives a dead filter when its own version returns', () => {
    const { table, clock } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    clock.advance(10);
    table.unregisterGroup('G');
    expect(table.get('T', 'G')?.deadTime).toBe(START_MS + 10);
    expect(table.register('T', 'G', 'a > 5', 'SQL92', 7)).toBe(true);
    expect(table.get('T', 'G')?.deadTime).toBe(0);
  });
});

describe('ConsumerFilterTable.registerGroup', () => {
  test('kills the filters of the group on topics that it does not name any more', () => {
    const { table } = newTable();
    table.registerGroup('G', [sql('T1', 'a > 1', 1), sql('T2', 'a > 2', 1)]);
    table.registerGroup('other', [sql('T2', 'a > 2', 1)]);
    table.registerGroup('G', [sql('T1', 'a > 1', 2)]);
    const dead = (topic: string, group: string) => {
      const data = table.get(topic, group);
      return data === null ? null : isDead(data);
    };
    expect(dead('T1', 'G')).toBe(false);
    expect(dead('T2', 'G')).toBe(true);
    expect(dead('T2', 'other')).toBe(false);
    expect(table.ofTopic('T2').map((data) => data.consumerGroup)).toEqual(['G', 'other']);
    expect(table.ofGroup('G').map((data) => data.topic)).toEqual(['T1', 'T2']);
  });

  test('leaves a filter alone whose topic is now subscribed by tag', () => {
    const { table } = newTable();
    table.registerGroup('G', [sql('T', 'a > 1', 1)]);
    table.registerGroup('G', [{ ...sql('T', '*', 2), expressionType: 'TAG' }]);
    expect(table.get('T', 'G')).toMatchObject({ deadTime: 0, clientVersion: 1 });
  });
});

describe('ConsumerFilterTable over time and restarts', () => {
  test('forgets a filter that has been dead for the clean time span', () => {
    const { table, clock } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    table.register('T', 'alive', 'a > 5', 'SQL92', 7);
    clock.advance(10);
    table.unregisterGroup('G');
    clock.advance(DAY_MS - 1);
    table.clean();
    expect(table.get('T', 'G')).not.toBe(null);
    clock.advance(1);
    table.clean();
    expect(table.get('T', 'G')).toBe(null);
    expect(table.get('T', 'alive')).not.toBe(null);
  });

  test('counts the time since a filter died, not since it was last found dead', () => {
    const { table, clock } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    table.unregisterGroup('G');
    clock.advance(DAY_MS - 1);
    table.unregisterGroup('G');
    table.registerGroup('G', []);
    expect(table.get('T', 'G')?.deadTime).toBe(START_MS);
  });

  test('has after a restart what it had, dead until the consumers return', () => {
    const before = newTable().table;
    before.register('T', 'G', 'a > 5', 'SQL92', 7);
    const text = [...before.encode()].join('');
    const { table, clock } = newTable();
    clock.advance(60_000);
    expect(table.load(text)).toBe(true);
    expect(table.get('T', 'G')).toMatchObject({
      expression: 'a > 5',
      bornTime: START_MS,
      deadTime: START_MS + 30_000,
    });
    expect(table.register('T', 'G', 'a > 5', 'SQL92', 8)).toBe(true);
    expect(table.get('T', 'G')).toMatchObject({ bornTime: START_MS, deadTime: 0 });
  });

  test('starts empty when the bloom settings have changed', () => {
    const before = newTable().table;
    before.register('T', 'G', 'a > 5', 'SQL92', 7);
    const { table } = newTable(new BloomFilter(10, 64));
    expect(table.load([...before.encode()].join(''))).toBe(false);
    expect(table.ofTopic('T')).toEqual([]);
  });

  test('does not write what is dead for too long', () => {
    const { table, clock } = newTable();
    table.register('T', 'G', 'a > 5', 'SQL92', 7);
    table.unregisterGroup('G');
    clock.advance(DAY_MS);
    expect([...table.encode()].join('')).toBe('{\n\t"filterDataByTopic":{}\n}');
  });
});
