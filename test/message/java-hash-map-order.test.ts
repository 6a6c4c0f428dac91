import { describe, expect, it } from 'vitest';
import { javaHashMapOrder } from '../../src/message/java-hash-map-order.js';
import { goldenJson } from '../golden-data.js';

interface Micro {
  readonly hashMapOrder: { readonly insert: string[] | string; readonly iterate: string[] }[];
}

describe('javaHashMapOrder', () => {
  it('is the order in which Java iterated, also after the table grew', () => {
    const { hashMapOrder } = goldenJson<Micro>('micro.json');
    expect(hashMapOrder.length).toBeGreaterThan(5);
    for (const { insert, iterate } of hashMapOrder) {
      const keys =
        typeof insert === 'string' ? Array.from({ length: 40 }, (_, i) => `prop${i}`) : insert;
      expect(javaHashMapOrder(keys)).toEqual(iterate);
    }
  });

  it('does not mix up names with spaces in them, asked again or not', () => {
    for (let i = 0; i < 2; i++) {
      expect([...javaHashMapOrder(['a b', 'c'])].sort()).toEqual(['a b', 'c']);
      expect([...javaHashMapOrder(['a', 'b c'])].sort()).toEqual(['a', 'b c']);
      expect([...javaHashMapOrder(['a', 'b', 'c'])].sort()).toEqual(['a', 'b', 'c']);
    }
  });

  it('keeps the order of insertion inside a bucket', () => {
    // Aa and BB have the same hash code.
    expect(javaHashMapOrder(['Aa', 'BB'])).toEqual(['Aa', 'BB']);
    expect(javaHashMapOrder(['BB', 'Aa'])).toEqual(['BB', 'Aa']);
    expect(javaHashMapOrder([])).toEqual([]);
  });
});
