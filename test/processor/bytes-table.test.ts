import { describe, expect, it } from 'vitest';
import { BytesTable } from '../../src/processor/bytes-table.js';

const get = (table: BytesTable<number>, name: string): number | undefined => {
  const padded = Buffer.from(`xx${name}yy`);
  return table.get(padded, 2, padded.length - 2);
};

describe('BytesTable', () => {
  it('finds, replaces and deletes thousands of names by their bytes', () => {
    const table = new BytesTable<number>();
    for (let i = 0; i < 5000; i++) table.set(`topic-${i}`, i);
    for (let i = 0; i < 5000; i += 2) table.set(`topic-${i}`, -i);
    for (let i = 0; i < 5000; i += 5) table.delete(`topic-${i}`);
    for (let i = 0; i < 5000; i++) {
      const expected = i % 5 === 0 ? undefined : i % 2 === 0 ? -i : i;
      expect(get(table, `topic-${i}`)).toBe(expected);
    }
    expect([...table.values()].length).toBe(4000);
  });

  it('tells names apart that only share a beginning', () => {
    const table = new BytesTable<number>();
    table.set('abc', 1);
    expect([get(table, 'ab'), get(table, 'abcd'), get(table, 'abc')]).toEqual([
      undefined,
      undefined,
      1,
    ]);
  });
});
