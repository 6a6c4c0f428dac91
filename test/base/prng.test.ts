import { describe, expect, it } from 'vitest';
import { seededPrng, systemPrng } from '../../src/base/prng.js';

describe('seededPrng', () => {
  it('repeats its numbers for the same seed and not for another', () => {
    const numbers = (seed: number) => {
      const prng = seededPrng(seed);
      return Array.from({ length: 20 }, () => prng.nextInt(1_000_000));
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).not.toEqual(numbers(8));
  });

  it('gives the same numbers on every machine', () => {
    const prng = seededPrng(42);
    expect([prng.nextInt(1000), prng.nextInt(1000), prng.nextInt(1000)]).toEqual([153, 850, 18]);
  });

  it('fills its range evenly', () => {
    const prng = seededPrng(1);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const at = prng.nextInt(10);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });
});

describe('every generator', () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 33])('refuses the bound %d', (bound) => {
    expect(() => seededPrng(1).nextInt(bound)).toThrow(/bound/);
    expect(() => systemPrng.nextInt(bound)).toThrow(/bound/);
  });

  it('stays below its bound', () => {
    for (let i = 0; i < 100; i++) {
      expect(systemPrng.nextInt(1)).toBe(0);
      expect(seededPrng(i).nextFloat()).toBeLessThan(1);
    }
  });
});
