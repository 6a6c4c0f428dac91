// Room: filter. consumerFilter.json beside the file of the Java broker (golden store sql).

import { describe, expect, test } from 'vitest';
import { isCometError } from '../../src/base/errors.js';
import { BloomFilter } from '../../src/filter/bloom-filter.js';
import { compileSql92 } from '../../src/filter/compile-sql92.js';
import {
  decodeConsumerFilters,
  encodeConsumerFilters,
  isDead,
  isMessageInLive,
} from '../../src/filter/consumer-filter-data.js';
import { goldenJson } from '../golden-data.js';

const { stores } = goldenJson<{
  stores: { sql: { dump: { config: Record<string, string> } } };
}>('golden.json');
const files = stores.sql.dump.config;
const file = files['consumerFilter.json'] as string;
const bloomFilter = new BloomFilter(20, 32);
const NOW_MS = 1_796_133_300_000;

function load(text: string, bloom = bloomFilter) {
  return decodeConsumerFilters(text, bloom, compileSql92, NOW_MS);
}

function topicsOf(text: string) {
  const loaded = load(text);
  if (loaded.kind !== 'loaded') throw new Error(loaded.kind);
  return loaded.topics;
}

function one(changes: Record<string, unknown>): string {
  const row = {
    topic: 'T',
    consumerGroup: 'G',
    expression: 'a > 5',
    expressionType: 'SQL92',
    bornTime: 1_000,
    deadTime: 0,
    clientVersion: 7,
    bloomFilterData: bloomFilter.generate('G', 'T'),
    ...changes,
  };
  return JSON.stringify({ filterDataByTopic: { T: { topic: 'T', groupFilterData: { G: row } } } });
}

describe('consumerFilter.json', () => {
  test('of Java is read and written again to the same bytes', () => {
    expect([...encodeConsumerFilters(topicsOf(file))].join('')).toBe(file);
  });

  test('is written when there is nothing as Java writes it', () => {
    expect([...encodeConsumerFilters(new Map())].join('')).toBe('{\n\t"filterDataByTopic":{}\n}');
  });

  test('gives filters that work at once', () => {
    const data = topicsOf(file).get('GoldenSql')?.get('CG_sql1');
    expect(data).toMatchObject({ consumerGroup: 'CG_sql1', clientVersion: 1796133219468 });
    expect(data?.compiledExpression?.expression).toBe("a > 5 AND b = 'x'");
    expect(data?.bloomFilterData).toEqual(bloomFilter.generate('CG_sql1', 'GoldenSql'));
  });

  test('makes filters that were alive dead since half a minute, and never before their birth', () => {
    const alive = topicsOf(files['consumerFilter.json.bak'] as string).get('GoldenSql');
    for (const data of alive?.values() ?? []) expect(data.deadTime).toBe(NOW_MS - 30_000);
    const young = topicsOf(one({ bornTime: NOW_MS - 5 }))
      .get('T')
      ?.get('G');
    expect(young?.deadTime).toBe(NOW_MS - 5);
    expect(young && isDead(young)).toBe(true);
    expect(
      topicsOf(one({ deadTime: 4_000 }))
        .get('T')
        ?.get('G')?.deadTime,
    ).toBe(4_000);
  });

  test('is left aside when one entry was made with other bloom settings', () => {
    expect(load(file, new BloomFilter(10, 32)).kind).toBe('bloomFilterChanged');
    expect(load(one({ bloomFilterData: null })).kind).toBe('bloomFilterChanged');
    const outside = { bitNum: 112, bitPos: [1, 2, 112] };
    expect(load(one({ bloomFilterData: outside })).kind).toBe('bloomFilterChanged');
  });

  test('keeps an entry that can not be compiled, without an expression to evaluate', () => {
    for (const changes of [{ expression: 'a >' }, { expressionType: 'OTHER' }]) {
      const data = topicsOf(one(changes)).get('T')?.get('G');
      expect(data?.compiledExpression).toBe(null);
      expect(data?.clientVersion).toBe(7);
    }
  });

  test.each([
    '',
    '{',
    '[]',
    '{"filterDataByTopic":[]}',
    '{"filterDataByTopic":{"T":5}}',
    one({ bornTime: 'x' }),
    one({ expression: 5 }),
  ])('that is damaged is refused: %s', (text) => {
    try {
      load(text);
      expect.unreachable();
    } catch (error) {
      expect(isCometError(error, 'JSON_INVALID')).toBe(true);
    }
  });

  test('survives names and expressions of any text', () => {
    const row = { topic: '"\n', consumerGroup: '\\', expression: "a = '\"\n\\标😀'" };
    const data = topicsOf(one(row)).get('T')?.get('G');
    if (data === undefined) throw new Error('nothing was read');
    const text = [...encodeConsumerFilters(new Map([['"\n', new Map([['\\', data]])]]))].join('');
    expect(topicsOf(text).get('"\n')?.get('\\')).toMatchObject(row);
  });
});

describe('isMessageInLive', () => {
  test('only messages stored after the birth of a filter have its bits', () => {
    const data = topicsOf(one({})).get('T')?.get('G');
    if (data === undefined) throw new Error('nothing was read');
    expect([999, 1_000, 1_001].map((time) => isMessageInLive(data, time))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
