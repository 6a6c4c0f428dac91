// Room: native. Any thread. CRC-32 as java.util.zip.CRC32.

import { binding } from './binding.js';

/** @param previous the CRC of what came before. @returns an unsigned 32-bit integer. */
export function crc32(bytes: Uint8Array, start: number, lengthBytes: number, previous = 0): number {
  return binding.crc32(bytes, start, lengthBytes, previous);
}
