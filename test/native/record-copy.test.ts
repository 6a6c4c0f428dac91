import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededPrng } from '../../src/base/prng.js';
import { MappedRegion } from '../../src/native/mapped-region.js';
import { copyRecordParts } from '../../src/native/record-copy.js';

const POSITIVE = 0x7fff_ffff;
const NONE = new Uint8Array(0);

function noise(length: number, seed: number): Buffer {
  const prng = seededPrng(seed);
  return Buffer.from(Array.from({ length }, () => prng.nextInt(256)));
}

describe('copyRecordParts', () => {
  it('puts body and properties where they belong and leaves every other byte alone', () => {
    const body = noise(600, 1);
    const properties = noise(200, 2);
    for (const length of [0, 1, 15, 16, 63, 64, 65, 500]) {
      const target = Buffer.alloc(1000, 0xee);
      copyRecordParts(target, 10, body, 7, length, 700, properties, 3, 150);
      const expected = Buffer.alloc(1000, 0xee);
      body.copy(expected, 10, 7, 7 + length);
      properties.copy(expected, 700, 3, 153);
      expect(target.equals(expected)).toBe(true);
    }
  });

  it('answers the sum that a record keeps: CRC-32 of the body without the highest bit', () => {
    const body = noise(3000, 3);
    const target = Buffer.alloc(3000);
    let hadHighBit = false;
    for (let length = 0; length < 300; length++) {
      const sum = zlibCrc32(body.subarray(5, 5 + length));
      hadHighBit ||= sum > POSITIVE;
      expect(copyRecordParts(target, 0, body, 5, length, 0, NONE, 0, 0)).toBe(sum & POSITIVE);
    }
    expect(hadHighBit).toBe(true);
  });

  it('takes a body out of shared memory into a mapped file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'cometmq-copy-'));
    const region = MappedRegion.create(join(directory, 'f'), 64 * 1024);
    const ring = Buffer.from(new SharedArrayBuffer(4096));
    noise(4096, 4).copy(ring);
    const sum = copyRecordParts(region.buffer, 5000, ring, 100, 1024, 6100, ring, 2000, 90);
    expect(sum).toBe(zlibCrc32(Buffer.from(ring.subarray(100, 1124))) & POSITIVE);
    expect(region.buffer.compare(ring, 100, 1124, 5000, 6024)).toBe(0);
    expect(region.buffer.compare(ring, 2000, 2090, 6100, 6190)).toBe(0);
    region.release();
    rmSync(directory, { recursive: true });
  });

  it('refuses a range outside its array, a view that was let go among them, and copies nothing then', () => {
    const bytes = noise(100, 5);
    const target = Buffer.alloc(100);
    const refused = [
      () => copyRecordParts(target, 50, bytes, 0, 51, 0, NONE, 0, 0),
      () => copyRecordParts(target, 0, bytes, 90, 11, 0, NONE, 0, 0),
      () => copyRecordParts(target, 0, bytes, 0, 1, 99, bytes, 0, 2),
      () => copyRecordParts(target, 0, bytes, 0, 1, 50, bytes, 99, 2),
      () => copyRecordParts(target, -1, bytes, 0, 1, 50, bytes, 0, 1),
      () => copyRecordParts(target, 0, bytes, 0, Number.MAX_SAFE_INTEGER, 50, bytes, 0, 1),
      () => copyRecordParts(target, 0, bytes, 0, Number.NaN - 1, 50, bytes, 101, 0),
    ];
    for (const copy of refused) expect(copy()).toBe(-1);
    expect(target.equals(Buffer.alloc(100))).toBe(true);

    const directory = mkdtempSync(join(tmpdir(), 'cometmq-copy-'));
    const region = MappedRegion.create(join(directory, 'f'), 4096);
    region.release();
    expect(copyRecordParts(region.buffer, 0, bytes, 0, 1, 2, NONE, 0, 0)).toBe(-1);
    rmSync(directory, { recursive: true });
  });
});
