import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { seededPrng } from '../../src/base/prng.js';
import { UniqueKeyMaker, uniqueKeyTimeMs } from '../../src/message/unique-key.js';

const LATE_IN_MONTH = new Date(2026, 10, 30, 23, 59, 59, 999).getTime();

function makerOn(
  clock: ManualClock,
  seed = 1,
  address: Uint8Array | null = Buffer.from([1, 2, 3, 4]),
) {
  return new UniqueKeyMaker({ address, processId: 0x1_abcd, clock, prng: seededPrng(seed) });
}

describe('UniqueKeyMaker', () => {
  it('lays out address, pid, number, time and counter', () => {
    const key = makerOn(new ManualClock(new Date(2026, 10, 1).getTime() + 77)).next();
    expect(key).toMatch(/^01020304ABCD[0-9A-F]{8}0000004D0000$/);
    expect(makerOn(new ManualClock(), 1, Buffer.alloc(16)).next()).toHaveLength(56);
  });

  it('counts on within a millisecond and wraps after 65,536 keys', () => {
    const maker = makerOn(new ManualClock());
    const keys = Array.from({ length: 65_537 }, () => maker.next());
    expect(new Set(keys).size).toBe(65_536);
    expect(keys[65_536]?.slice(-4)).toBe('0000');
  });

  it('starts its time anew when the month ends', () => {
    const clock = new ManualClock(LATE_IN_MONTH);
    const maker = makerOn(clock);
    maker.next();
    clock.advance(1);
    expect(maker.next().slice(-12, -4)).toBe('00000000');
  });

  it('holds its time at 0 when the clock goes back a little over the end of a month', () => {
    const clock = new ManualClock(LATE_IN_MONTH + 1);
    const maker = makerOn(clock);
    clock.stepWallClock(-500);
    expect(maker.next().slice(-12, -4)).toBe('00000000');
  });

  it('differs between two processes with equal address and pid (bug report 30)', () => {
    const clock = new ManualClock();
    expect(makerOn(clock, 1).next()).not.toBe(makerOn(clock, 2).next());
  });
});

describe('uniqueKeyTimeMs', () => {
  it('finds when a key was made, also when it was in the month before', () => {
    const clock = new ManualClock(LATE_IN_MONTH);
    const key = makerOn(clock).next();
    expect(uniqueKeyTimeMs(key, LATE_IN_MONTH + 60_000)).toBe(LATE_IN_MONTH);
    expect(uniqueKeyTimeMs(key, LATE_IN_MONTH)).toBe(LATE_IN_MONTH);
  });

  it('refuses what is no key', () => {
    expect(() => uniqueKeyTimeMs('abc', 0)).toThrow(/UNIQ_KEY/);
  });
});
