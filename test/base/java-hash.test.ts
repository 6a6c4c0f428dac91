import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { javaHashCode, javaHashCodeOfUtf8 } from '../../src/base/java-hash.js';
import { goldenJson } from '../golden-data.js';

const { strings } = goldenJson<{ strings: { s: string; hashCode: number }[] }>('micro.json');

describe('javaHashCode', () => {
  it.each(strings)('of $s is $hashCode, as in Java (bug report 29)', ({ s, hashCode }) => {
    expect(javaHashCode(s)).toBe(hashCode);
    const bytes = Buffer.from(`xx${s}yy`);
    expect(javaHashCodeOfUtf8(bytes, 2, bytes.length - 4)).toBe(hashCode);
  });

  it('is a signed 32-bit number for texts of any length', () => {
    for (const length of [1, 6, 7, 40, 1000]) {
      const hash = javaHashCode('z'.repeat(length));
      expect(hash).toBe(hash | 0);
    }
  });

  it('is the same from the text and from its bytes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, (it) => {
        const bytes = Buffer.from(it);
        expect(javaHashCodeOfUtf8(bytes, 0, bytes.length)).toBe(javaHashCode(it));
      }),
      { numRuns: 1000 },
    );
  });
});
