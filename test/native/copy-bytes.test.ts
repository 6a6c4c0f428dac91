import { describe, expect, it } from 'vitest';
import { copyBytes } from '../../src/native/copy-bytes.js';

describe('copyBytes', () => {
  it('copies between plain and shared memory, views with offsets included', () => {
    const shared = Buffer.from(new SharedArrayBuffer(64)).subarray(8, 40);
    const source = Buffer.from('0123456789').subarray(2);
    expect(copyBytes(shared, 3, source, 1, 5)).toBe(5);
    expect(shared.toString('latin1', 2, 9)).toBe('\u000034567\u0000');
    const back = Buffer.alloc(5);
    copyBytes(back, 0, shared, 3, 5);
    expect(back.toString()).toBe('34567');
  });

  it('refuses a range outside either array and copies nothing then', () => {
    const target = Buffer.alloc(4);
    const source = Buffer.from('abcdef');
    for (const [at, start, size] of [
      [0, 0, 5],
      [0, 5, 2],
      [4, 0, 1],
      [-1, 0, 1],
      [0, -1, 1],
    ] as const) {
      expect(copyBytes(target, at, source, start, size)).toBe(-1);
    }
    expect(target.every((byte) => byte === 0)).toBe(true);
  });
});
