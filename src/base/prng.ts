// Room: base. Any thread. The only door to randomness: a simulation puts a seeded generator in its place and is replayed by
// its seed. Not for secrets. A seeded generator (xoshiro128**) belongs to the one who made it.

import { assert } from './assert.js';

export interface Prng {
  /** A whole number in 0..boundExclusive-1. */
  nextInt(boundExclusive: number): number;
  /** A number in 0 (inclusive) to 1 (exclusive). */
  nextFloat(): number;
}

export const systemPrng: Prng = {
  nextInt(boundExclusive) {
    assertBound(boundExclusive);
    return Math.floor(Math.random() * boundExclusive);
  },
  nextFloat: () => Math.random(),
};

/** The same seed gives the same numbers, on every machine. */
export function seededPrng(seed: number): Prng {
  const state = expandSeed(seed);
  const nextFloat = () => nextUint32(state) / 0x1_0000_0000;
  return {
    nextInt(boundExclusive) {
      assertBound(boundExclusive);
      return Math.floor(nextFloat() * boundExclusive);
    },
    nextFloat,
  };
}

function assertBound(boundExclusive: number): void {
  assert(
    Number.isInteger(boundExclusive) && boundExclusive > 0 && boundExclusive <= 0x1_0000_0000,
    `a bound is a whole number in 1..2^32, not ${boundExclusive}`,
  );
}

/** splitmix32 fills the state, so that near seeds give unlike numbers. */
function expandSeed(seed: number): Uint32Array {
  const state = new Uint32Array(4);
  let counter = seed | 0;
  for (let i = 0; i < state.length; i++) {
    counter = (counter + 0x9e37_79b9) | 0;
    let word = counter ^ (counter >>> 16);
    word = Math.imul(word, 0x21f0_aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a_2d97);
    state[i] = word ^ (word >>> 15);
  }
  return state;
}

function nextUint32(state: Uint32Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = state;
  const scrambled = Math.imul(b, 5);
  const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9);
  const third = c ^ a;
  const fourth = d ^ b;
  state[0] = a ^ fourth;
  state[1] = b ^ third;
  state[2] = third ^ (b << 9);
  state[3] = (fourth << 11) | (fourth >>> 21);
  return result >>> 0;
}
