import { describe, expect, test } from 'vitest';
import { murmur3Low64 } from '../../src/filter/murmur3-128.js';
import { goldenJson } from '../golden-data.js';

const { murmur3_128_low64: vectors } = goldenJson<{
  murmur3_128_low64: Record<string, string>;
}>('micro.json');

describe('murmur3Low64', () => {
  test.each(Object.entries(vectors))('of %j is what Guava makes of it', (text, expected) => {
    const hash = BigInt.asIntN(64, murmur3Low64(Buffer.from(text, 'utf8')));
    expect(String(hash)).toBe(expected);
  });

  test('does not depend on where in its buffer the text lies', () => {
    const bytes = Buffer.from('xxx17 bytes long str', 'utf8').subarray(3);
    const hash = BigInt.asIntN(64, murmur3Low64(bytes));
    expect(String(hash)).toBe(vectors['17 bytes long str']);
  });
});
