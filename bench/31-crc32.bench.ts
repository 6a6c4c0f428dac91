// CRC-32 of a body: the addon, zlib.crc32 and a table in JavaScript.

import * as zlib from 'node:zlib';
import { crc32 } from '#dist/native/crc32.js';
import { keep, mustEqual, type Piece, trial } from './harness.js';

const SIZES = [16, 128, 1024, 65_536];
/** Node has it since 20.15; the types of 20 do not say so. */
const zlibCrc32 = (zlib as { crc32?: (bytes: Uint8Array) => number }).crc32;

const TABLE = Int32Array.from({ length: 256 }, (_, i) => {
  let entry = i;
  for (let bit = 0; bit < 8; bit++)
    entry = (entry & 1) === 0 ? entry >>> 1 : (entry >>> 1) ^ 0xedb8_8320;
  return entry;
});

await trial('the CRC-32 of one body', async (run) => {
  for (const size of SIZES) {
    const body = run.bytes(size);
    mustEqual('CRC-32', crc32(body, 0, size), tableCrc32(body, 0, size));
    const ops = Math.max(1, run.scale(Math.ceil(200_000 / (size + 100)), 1));
    const times = (work: () => number) => () => {
      for (let i = 0; i < ops; i++) keep(work());
    };
    const piece = (name: string, work: () => number): Piece => {
      return { name, ops, bytes: size, fn: times(work) };
    };
    await run.group(`${size} bytes`, [
      { ...piece('table in JavaScript', () => tableCrc32(body, 0, size)), isBaseline: true },
      ...(zlibCrc32 === undefined ? [] : [piece('zlib.crc32', () => zlibCrc32(body))]),
      piece('addon', () => crc32(body, 0, size)),
    ]);
  }
});

function tableCrc32(bytes: Uint8Array, start: number, length: number): number {
  let crc = -1;
  for (let i = start; i < start + length; i++) {
    crc = (TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
