// Room: filter. Numbers beside what Java's valueOf made of the same texts (test/golden/java-number.json).

import { describe, expect, test } from 'vitest';
import {
  compareDoubles,
  parseJavaDouble,
  parseJavaInt,
  parseJavaLong,
} from '../../src/filter/java-number.js';
import { goldenJson } from '../golden-data.js';

const { rows } = goldenJson<{
  rows: readonly (readonly [text: string, int: string, long: string, doubleBits: string])[];
}>('java-number.json');

describe('the texts of numbers', () => {
  test('are read as Integer.valueOf, Long.valueOf and Double.valueOf read them, to the bit', () => {
    expect(rows.length).toBeGreaterThan(300);
    for (const [text, int, long, doubleBits] of rows) {
      // Neighbours that must not be read.
      const bytes = Buffer.from(`7${text}7`, 'utf8');
      const end = bytes.length - 1;
      const actual = [
        String(parseJavaInt(bytes, 1, end) ?? '-'),
        String(parseJavaLong(bytes, 1, end) ?? '-'),
        bitsOf(parseJavaDouble(bytes, 1, end)),
      ];
      expect([text, ...actual]).toEqual([text, int, long, doubleBits]);
    }
  });

  test('are a number where that is exact and a bigint beyond', () => {
    const read = (text: string) => parseJavaLong(Buffer.from(text), 0, text.length);
    expect(read('9007199254740991')).toBe(9007199254740991);
    expect(read('9007199254740993')).toBe(9007199254740993n);
    expect(read('-0')).toBe(0);
  });

  test('of 32 KB take no more than their length', () => {
    for (const text of ['1'.repeat(32_000), `${'1'.repeat(32_000)}x`, '٣'.repeat(16_000)]) {
      const bytes = Buffer.from(text, 'utf8');
      const before = process.cpuUsage();
      parseJavaLong(bytes, 0, bytes.length);
      parseJavaDouble(bytes, 0, bytes.length);
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(100);
    }
  });
});

describe('compareDoubles', () => {
  test('orders as Double.compareTo', () => {
    const ascending = [-Infinity, -1, -0, 0, 1, Infinity, NaN];
    for (const [i, left] of ascending.entries()) {
      for (const [j, right] of ascending.entries()) {
        expect(compareDoubles(left, right)).toBe(Math.sign(i - j));
      }
    }
  });
});

function bitsOf(value: number | null): string {
  if (value === null) return '-';
  if (Number.isNaN(value)) return '7ff8000000000000';
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}
