// Room: store. Dispatch worker only. The ext stream of a ConsumeQueue (storage.md section 6): what does not fit in a 20-byte
// entry. A unit's address, which the entry carries in place of its tags code, is its byte offset + Long.MIN_VALUE; here it is
// handled as the plain offset, and only turned into two 32-bit halves for the entry.
//
//   0      2           10              18             20
//   +------+-----------+---------------+--------------+-----------+
//   | unit | tagsCode  | message store | bitmap bytes | bitmap    |
//   | size |           | time          |              |           |
//   +------+-----------+---------------+--------------+-----------+
//
// Always holds: at least 4 bytes stay free at the end of a file; a unit that needs them leaves the short -1 behind and begins
// the next file.

import type { MappedFilePool } from './queue-file.js';
import { type LoadFindings, QueueFiles } from './queue-files.js';

const UNIT_HEADER_BYTES = 20;
const END_BLANK_BYTES = 4;
const MAX_UNIT_BYTES = 32_767;
const END_MARK = -1;
const TWO_32 = 0x1_0000_0000;

/** A unit as it was read; reused by the reader. */
export class CqExtUnit {
  sizeBytes = 0;
  tagsHigh = 0;
  tagsLow = 0;
  msgStoreTime = 0;
  bitMap: Buffer | null = null;
}

export function extAddressHigh(offset: number): number {
  return Math.floor(offset / TWO_32) | 0x8000_0000 | 0;
}

export function extAddressLow(offset: number): number {
  return (offset % TWO_32) | 0;
}

export function extOffsetOf(high: number, low: number): number {
  return (high & 0x7fff_ffff) * TWO_32 + (low >>> 0);
}

export class ConsumeQueueExt {
  readonly files: QueueFiles;

  constructor(directory: string, fileSizeBytes: number, pool: MappedFilePool) {
    this.files = new QueueFiles(directory, fileSizeBytes, pool);
  }

  load(): LoadFindings {
    return this.files.load();
  }

  /** The offset of the unit now stored, or -1 when it can't be: the entry then takes the plain tags code. */
  put(tagsHigh: number, tagsLow: number, msgStoreTime: number, bitMap: Uint8Array | null): number {
    const bitMapBytes = bitMap === null ? 0 : bitMap.length;
    const sizeBytes = UNIT_HEADER_BYTES + bitMapBytes;
    if (sizeBytes > MAX_UNIT_BYTES) return -1;
    let file = this.files.lastForAppend(0);
    if (sizeBytes > file.sizeBytes - file.wrotePosition - END_BLANK_BYTES) {
      file.buffer.writeInt16BE(END_MARK, file.wrotePosition);
      file.wrotePosition = file.sizeBytes;
      file = this.files.lastForAppend(0);
      if (sizeBytes > file.sizeBytes - END_BLANK_BYTES) return -1;
    }
    const at = file.wrotePosition;
    const buffer = file.buffer;
    buffer.writeInt16BE(sizeBytes, at);
    buffer.writeInt32BE(tagsHigh, at + 2);
    buffer.writeInt32BE(tagsLow, at + 6);
    buffer.writeInt32BE(Math.floor(msgStoreTime / TWO_32), at + 10);
    buffer.writeUInt32BE(msgStoreTime % TWO_32, at + 14);
    buffer.writeInt16BE(bitMapBytes, at + 18);
    if (bitMap !== null) buffer.set(bitMap, at + UNIT_HEADER_BYTES);
    file.wrotePosition = at + sizeBytes;
    return file.fileFromOffset + at;
  }

  /** Reads the unit at an offset; false when there is none. */
  get(offset: number, unit: CqExtUnit): boolean {
    const file = this.files.find(offset);
    if (file === null) return false;
    const at = offset - file.fileFromOffset;
    if (at + UNIT_HEADER_BYTES > file.wrotePosition) return false;
    const buffer = file.buffer;
    const sizeBytes = buffer.readInt16BE(at);
    if (sizeBytes < UNIT_HEADER_BYTES) return false;
    const bitMapBytes = buffer.readInt16BE(at + 18);
    unit.sizeBytes = sizeBytes;
    unit.tagsHigh = buffer.readInt32BE(at + 2);
    unit.tagsLow = buffer.readInt32BE(at + 6);
    unit.msgStoreTime = buffer.readInt32BE(at + 10) * TWO_32 + buffer.readUInt32BE(at + 14);
    const end = at + UNIT_HEADER_BYTES + bitMapBytes;
    unit.bitMap =
      bitMapBytes > 0 && end <= file.wrotePosition
        ? buffer.subarray(at + UNIT_HEADER_BYTES, end)
        : null;
    return true;
  }

  /** Walks all units and cuts behind the last one. */
  recover(): void {
    let end = this.files.first?.fileFromOffset ?? 0;
    for (const file of this.files.files) {
      const buffer = file.buffer;
      let at = 0;
      while (at + 2 <= file.sizeBytes) {
        const sizeBytes = buffer.readInt16BE(at);
        if (sizeBytes <= 0 || at + sizeBytes > file.sizeBytes) break;
        at += sizeBytes;
      }
      end = file.fileFromOffset + at;
    }
    this.files.truncateTo(end);
  }

  /** Cuts behind the unit at the last offset that the queue holds. */
  truncateAfter(offset: number): void {
    const unit = new CqExtUnit();
    if (this.get(offset, unit)) this.files.truncateTo(offset + unit.sizeBytes);
  }

  /** Deletes the files that end before the first unit that the queue still points to. */
  deleteBefore(offset: number): void {
    for (;;) {
      const first = this.files.first;
      if (first === null || first.fileFromOffset + first.sizeBytes >= offset) return;
      this.files.deleteFirst();
    }
  }

  destroy(): void {
    this.files.destroy();
  }

  close(): void {
    this.files.close();
  }
}
