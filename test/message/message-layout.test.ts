import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bodyLengthPosition,
  preparedTransactionOffsetPosition,
  readInt16,
  readInt32,
  readInt64,
  reconsumeTimesPosition,
  recordSize,
  storeHostPosition,
  storeTimestampPosition,
  writeInt16,
  writeInt32,
  writeInt64,
} from '../../src/message/message-layout.js';

const bytes = Buffer.alloc(16);

describe('64-bit numbers', () => {
  it('are read and written as Buffer does, for all safe integers', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(8), (value, position) => {
        writeInt64(bytes, position, value);
        expect(bytes.readBigInt64BE(position)).toBe(BigInt(value));
        expect(readInt64(bytes, position)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    0,
    -1,
    1,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    -0x8000_0000,
    -0x1_0000_0000,
    -0x1_0000_0001,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])('are exact at the edge %d', (value) => {
    writeInt64(bytes, 3, value);
    expect(bytes.readBigInt64BE(3)).toBe(BigInt(value));
    expect(readInt64(bytes, 3)).toBe(value);
  });

  it('come near where a number is not exact, and never change their sign', () => {
    bytes.writeBigInt64BE(0x7fff_ffff_ffff_ffffn, 0);
    expect(readInt64(bytes, 0)).toBe(2 ** 63);
    writeInt64(bytes, 8, 2 ** 63);
    expect(bytes.readBigInt64BE(8)).toBe(0x7fff_ffff_ffff_ffffn);
    writeInt64(bytes, 8, -(2 ** 63));
    expect(bytes.readBigInt64BE(8)).toBe(-0x8000_0000_0000_0000n);
  });
});

describe('shorter numbers', () => {
  it('are read and written as Buffer does', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -0x8000, max: 0x7fff }), (int, short) => {
        writeInt32(bytes, 1, int);
        writeInt16(bytes, 9, short);
        expect([bytes.readInt32BE(1), readInt32(bytes, 1)]).toEqual([int, int]);
        expect([bytes.readInt16BE(9), readInt16(bytes, 9)]).toEqual([short, short]);
      }),
    );
  });
});

describe('the places in a record', () => {
  it.each([
    [0x00, 56, 64, 72, 76, 84],
    [0x10, 68, 76, 84, 88, 96],
    [0x20, 56, 64, 84, 88, 96],
    [0x30, 68, 76, 96, 100, 108],
  ])(
    'move with the IPv6 bits of sysFlag %i',
    (sysFlag, storeTime, storeHost, reconsume, prepared, body) => {
      expect(storeTimestampPosition(sysFlag)).toBe(storeTime);
      expect(storeHostPosition(sysFlag)).toBe(storeHost);
      expect(reconsumeTimesPosition(sysFlag)).toBe(reconsume);
      expect(preparedTransactionOffsetPosition(sysFlag)).toBe(prepared);
      expect(bodyLengthPosition(sysFlag)).toBe(body);
      const empty = recordSize((sysFlag & 0x10) !== 0, (sysFlag & 0x20) !== 0, 0, 0, 0);
      expect(empty).toBe(body + 4 + 1 + 2);
    },
  );
});
