import { describe, expect, test } from 'vitest';
import { BloomFilter, hasBits, setBits } from '../../src/filter/bloom-filter.js';
import { goldenJson } from '../golden-data.js';

interface Vector {
  readonly f: number;
  readonly n: number;
  readonly k: number;
  readonly m: number;
  readonly positions: Record<string, number[]>;
  readonly 'bits(CG_sql1,CG_sql3)': string;
  readonly 'hit CG_sql2': boolean;
}

const { bloom: vectors } = goldenJson<{ bloom: readonly Vector[] }>('micro.json');

describe.each(vectors)('a BloomFilter of $f percent for $n groups', (vector) => {
  const filter = new BloomFilter(vector.f, vector.n);

  test('has the size and positions that Java gives it', () => {
    expect([filter.hashCount, filter.bitCount]).toEqual([vector.k, vector.m]);
    for (const [text, positions] of Object.entries(vector.positions)) {
      expect(filter.positions(text)).toEqual(positions);
    }
  });

  test('sets and finds the bits that Java does', () => {
    const bitMap = new Uint8Array(filter.bitMapBytes);
    setBits(bitMap, filter.generate('CG_sql1', 'GoldenSql'));
    setBits(bitMap, filter.generate('CG_sql3', 'GoldenSql'));
    expect(Buffer.from(bitMap).toString('hex')).toBe(vector['bits(CG_sql1,CG_sql3)']);
    expect(hasBits(bitMap, 0, filter.generate('CG_sql1', 'GoldenSql'))).toBe(true);
    const hit = hasBits(bitMap, 0, filter.generate('CG_sql2', 'GoldenSql'));
    expect(hit).toBe(vector['hit CG_sql2']);
  });
});

describe('BloomFilter', () => {
  test('knows data that was made with other settings', () => {
    const filter = new BloomFilter(20, 32);
    expect(filter.isValid(filter.generate('g', 't'))).toBe(true);
    expect(filter.isValid(new BloomFilter(20, 64).generate('g', 't'))).toBe(false);
    expect(filter.isValid({ bitNum: 112, bitPos: [1, 2] })).toBe(false);
    expect(filter.isValid(null)).toBe(false);
  });

  test.each([
    [0, 32],
    [100, 32],
    [20, 0],
    [Number.NaN, 32],
  ])('refuses the settings %d percent for %d groups', (percent, groups) => {
    expect(() => new BloomFilter(percent, groups)).toThrow(/must be/);
  });

  test('reads bits at their place in larger bytes, and none beyond their end', () => {
    const filter = new BloomFilter(20, 32);
    const data = filter.generate('g', 't');
    const bytes = new Uint8Array(40);
    setBits(bytes.subarray(10, 10 + filter.bitMapBytes), data);
    expect(hasBits(bytes, 10, data)).toBe(true);
    expect(hasBits(bytes, 9, data)).toBe(false);
    expect(hasBits(bytes, 1_000, data)).toBe(false);
  });
});
