// Room: filter. Bitmaps beside those that the Java broker stored (golden store sql).

import { describe, expect, test } from 'vitest';
import { BloomFilter } from '../../src/filter/bloom-filter.js';
import { compileSql92 } from '../../src/filter/compile-sql92.js';
import {
  type ConsumerFilterData,
  decodeConsumerFilters,
} from '../../src/filter/consumer-filter-data.js';
import { calcBitMap, isMatchedByBitMap } from '../../src/filter/filter-bit-map.js';
import { TRUE } from '../../src/filter/filter-outcome.js';
import { PropertyLookup } from '../../src/filter/property-lookup.js';
import { goldenJson } from '../golden-data.js';

interface Dump {
  readonly messages: readonly {
    readonly topic: string;
    readonly store: number;
    readonly propsRaw: string;
  }[];
  readonly consumequeue_ext: Record<
    string,
    { readonly units: readonly { readonly storeTime: number; readonly bitMap: string }[] }
  >;
  readonly config: Record<string, string>;
}

const { dump } = goldenJson<{ stores: { sql: { dump: Dump } } }>('golden.json').stores.sql;
const bloomFilter = new BloomFilter(20, 32);
const filters = loadFilters();
const messages = dump.messages.filter(({ topic }) => topic === 'GoldenSql');
const units = Object.entries(dump.consumequeue_ext)
  .filter(([name]) => name.startsWith('GoldenSql/'))
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .flatMap(([, file]) => file.units);

function loadFilters(): ConsumerFilterData[] {
  const file = dump.config['consumerFilter.json'] as string;
  const loaded = decodeConsumerFilters(file, bloomFilter, compileSql92, 0);
  if (loaded.kind !== 'loaded') throw new Error(loaded.kind);
  return [...(loaded.topics.get('GoldenSql')?.values() ?? [])];
}

describe('calcBitMap', () => {
  test('makes the bitmap of every message that the Java broker stored under the same filters', () => {
    const lookup = new PropertyLookup();
    const bitMap = new Uint8Array(bloomFilter.bitMapBytes).fill(0xff);
    expect(units.length).toBe(messages.length);
    let compared = 0;
    for (const [i, message] of messages.entries()) {
      const unit = units[i];
      // The first message came before any filter.
      if (unit === undefined || unit.bitMap === '') continue;
      expect(unit.storeTime).toBe(message.store);
      expect(calcBitMap(filters, lookup.resetToText(message.propsRaw), bloomFilter, bitMap)).toBe(
        true,
      );
      expect(Buffer.from(bitMap).toString('hex')).toBe(unit.bitMap);
      compared++;
    }
    expect(compared).toBe(16);
  });

  test('makes none when nobody filters the topic', () => {
    const lookup = new PropertyLookup().resetToText('a\x011');
    const bitMap = Uint8Array.of(9, 9);
    expect(calcBitMap([], lookup, bloomFilter, bitMap)).toBe(false);
    expect([...bitMap]).toEqual([9, 9]);
  });

  test('leaves out filters without a compiled expression or with bits of other settings', () => {
    const lookup = new PropertyLookup().resetToText('a\x011');
    const [first] = filters;
    if (first === undefined) throw new Error('no filters');
    const always = compileSql92('TRUE');
    const broken: ConsumerFilterData[] = [
      { ...first, compiledExpression: null },
      { ...first, compiledExpression: always, bloomFilterData: null },
      { ...first, compiledExpression: always, bloomFilterData: { bitNum: 8, bitPos: [1, 2, 3] } },
    ];
    const bitMap = new Uint8Array(bloomFilter.bitMapBytes).fill(0xff);
    expect(calcBitMap(broken, lookup, bloomFilter, bitMap)).toBe(true);
    expect(bitMap.every((byte) => byte === 0)).toBe(true);
  });
});

describe('isMatchedByBitMap', () => {
  test('lets no message through unread that its filter takes', () => {
    const lookup = new PropertyLookup();
    let skipped = 0;
    for (const [i, message] of messages.entries()) {
      const bytes = Buffer.from(units[i]?.bitMap ?? '', 'hex');
      for (const filter of filters) {
        const outcome = filter.compiledExpression?.outcome(lookup.resetToText(message.propsRaw));
        const { length } = bytes;
        const isMatched = isMatchedByBitMap(filter, bloomFilter, message.store, bytes, 0, length);
        if (outcome === TRUE) expect(isMatched).toBe(true);
        if (!isMatched) skipped++;
      }
    }
    expect(skipped).toBeGreaterThan(20);
  });

  test('reads every record that says nothing about the filter', () => {
    const [filter] = filters;
    if (filter === undefined) throw new Error('no filters');
    const zeros = new Uint8Array(20);
    const after = filter.bornTime + 1;
    const bytes = bloomFilter.bitMapBytes;
    expect(isMatchedByBitMap(filter, bloomFilter, after, zeros, 3, bytes)).toBe(false);
    expect(isMatchedByBitMap(filter, bloomFilter, filter.bornTime, zeros, 3, bytes)).toBe(true);
    expect(isMatchedByBitMap(filter, bloomFilter, after, zeros, 3, bytes - 1)).toBe(true);
    expect(isMatchedByBitMap(filter, bloomFilter, after, zeros, 3, 0)).toBe(true);
    const uncompiled = { ...filter, compiledExpression: null };
    expect(isMatchedByBitMap(uncompiled, bloomFilter, after, zeros, 3, bytes)).toBe(true);
    const other = { ...filter, bloomFilterData: { bitNum: 8, bitPos: [1, 2, 3] } };
    expect(isMatchedByBitMap(other, bloomFilter, after, zeros, 3, bytes)).toBe(true);
  });
});
