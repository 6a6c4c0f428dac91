import { crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededPrng } from '../../src/base/prng.js';
import { crc32 } from '../../src/native/crc32.js';

describe('crc32', () => {
  it('knows the vectors of Java', () => {
    expect(crc32(Buffer.from('hi'), 0, 2) & 0x7fffffff).toBe(1486039724);
    expect(crc32(Buffer.alloc(0), 0, 0)).toBe(0);
  });

  it('agrees with zlib at every length around the folding steps, at every alignment', () => {
    const prng = seededPrng(11);
    const bytes = Buffer.from(Array.from({ length: 700 }, () => prng.nextInt(256)));
    for (let length = 0; length < 600; length++) {
      const start = length % 17;
      expect(crc32(bytes, start, length)).toBe(zlibCrc32(bytes.subarray(start, start + length)));
    }
  });

  it('continues from a previous value', () => {
    const bytes = Buffer.alloc(5000, 'abc');
    expect(crc32(bytes, 1000, 4000, crc32(bytes, 0, 1000))).toBe(zlibCrc32(bytes));
  });

  it('refuses a range outside the array', () => {
    expect(() => crc32(Buffer.alloc(4), 2, 3)).toThrow(/EINVAL/);
  });
});
