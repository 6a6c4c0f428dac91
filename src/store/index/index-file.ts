// Room: store. Written by the dispatch worker; any thread may read through its own view. One hash index file (storage.md 7).
//
//   header 40:  begin timestamp 8 | end timestamp 8 | begin physical offset 8 | end physical offset 8 | slot count 4 | index count 4
//   slots:      maxHashSlotNum x 4, each the number of the newest entry of its chain, 0 when there is none
//   entries:    maxIndexNum x 20: key hash 4 | physical offset 8 | seconds since begin 4 | number of the entry before it in the chain 4
//
// Always holds: entry 0 is never used; the entry before another in a chain has a smaller number, so that every walk ends.

import { readInt32, readInt64, writeInt32, writeInt64 } from '../../message/message-layout.js';
import { MappedRegion } from '../../native/mapped-region.js';

export const INDEX_HEADER_BYTES = 40;
export const INDEX_SLOT_BYTES = 4;
export const INDEX_ENTRY_BYTES = 20;

const BEGIN_TIMESTAMP = 0;
const END_TIMESTAMP = 8;
const BEGIN_PHYSICAL_OFFSET = 16;
const END_PHYSICAL_OFFSET = 24;
const SLOT_COUNT = 32;
const INDEX_COUNT = 36;
const MAX_INT = 0x7fff_ffff;

export interface IndexConfig {
  readonly storePathRootDir: string;
  readonly maxHashSlotNum: number;
  readonly maxIndexNum: number;
}

export function indexFileSize(config: IndexConfig): number {
  return (
    INDEX_HEADER_BYTES +
    config.maxHashSlotNum * INDEX_SLOT_BYTES +
    config.maxIndexNum * INDEX_ENTRY_BYTES
  );
}

export class IndexFile {
  readonly path: string;
  readonly #region: MappedRegion;
  readonly #slots: number;
  readonly #capacity: number;

  private constructor(path: string, region: MappedRegion, config: IndexConfig) {
    this.path = path;
    this.#region = region;
    this.#slots = config.maxHashSlotNum;
    this.#capacity = config.maxIndexNum;
  }

  static create(
    path: string,
    config: IndexConfig,
    endPhysicalOffset: number,
    endTimestamp: number,
  ): IndexFile {
    const file = new IndexFile(path, MappedRegion.create(path, indexFileSize(config)), config);
    const bytes = file.#region.buffer;
    if (endPhysicalOffset > 0) {
      writeInt64(bytes, BEGIN_PHYSICAL_OFFSET, endPhysicalOffset);
      writeInt64(bytes, END_PHYSICAL_OFFSET, endPhysicalOffset);
    }
    if (endTimestamp > 0) {
      writeInt64(bytes, BEGIN_TIMESTAMP, endTimestamp);
      writeInt64(bytes, END_TIMESTAMP, endTimestamp);
    }
    return file;
  }

  static open(path: string, config: IndexConfig): IndexFile {
    return new IndexFile(path, MappedRegion.open(path, indexFileSize(config)), config);
  }

  get beginTimestamp(): number {
    return readInt64(this.#region.buffer, BEGIN_TIMESTAMP);
  }

  get endTimestamp(): number {
    return readInt64(this.#region.buffer, END_TIMESTAMP);
  }

  get beginPhysicalOffset(): number {
    return readInt64(this.#region.buffer, BEGIN_PHYSICAL_OFFSET);
  }

  get endPhysicalOffset(): number {
    return readInt64(this.#region.buffer, END_PHYSICAL_OFFSET);
  }

  get hashSlotCount(): number {
    return readInt32(this.#region.buffer, SLOT_COUNT);
  }

  /** The number that the next entry gets; a file that was just made says 0 on disk and means 1. */
  get indexCount(): number {
    return Math.max(1, readInt32(this.#region.buffer, INDEX_COUNT));
  }

  get isFull(): boolean {
    return this.indexCount >= this.#capacity;
  }

  /** False when the file is full. */
  put(keyHash: number, physicalOffset: number, storeTimestamp: number): boolean {
    const bytes = this.#region.buffer;
    const count = this.indexCount;
    if (count >= this.#capacity) return false;
    const slotAt = INDEX_HEADER_BYTES + (keyHash % this.#slots) * INDEX_SLOT_BYTES;
    let previous = readInt32(bytes, slotAt);
    if (previous <= 0 || previous > count) previous = 0;
    const begin = readInt64(bytes, BEGIN_TIMESTAMP);
    const at = this.#entryAt(count);
    writeInt32(bytes, at, keyHash);
    writeInt64(bytes, at + 4, physicalOffset);
    writeInt32(bytes, at + 12, secondsSince(begin, storeTimestamp));
    writeInt32(bytes, at + 16, previous);
    writeInt32(bytes, slotAt, count);
    if (count <= 1) {
      writeInt64(bytes, BEGIN_PHYSICAL_OFFSET, physicalOffset);
      writeInt64(bytes, BEGIN_TIMESTAMP, storeTimestamp);
    }
    if (previous === 0) writeInt32(bytes, SLOT_COUNT, readInt32(bytes, SLOT_COUNT) + 1);
    writeInt32(bytes, INDEX_COUNT, count + 1);
    writeInt64(bytes, END_PHYSICAL_OFFSET, physicalOffset);
    writeInt64(bytes, END_TIMESTAMP, storeTimestamp);
    return true;
  }

  /** Does the file hold times of the range, or lie inside it? */
  isTimeMatched(beginMs: number, endMs: number): boolean {
    const begin = this.beginTimestamp;
    const end = this.endTimestamp;
    if (beginMs < begin && endMs > end) return true;
    return (beginMs >= begin && beginMs <= end) || (endMs >= begin && endMs <= end);
  }

  /** Adds the offsets of entries with the hash, newest first, until `offsets` holds maxCount. */
  select(
    offsets: number[],
    keyHash: number,
    maxCount: number,
    beginMs: number,
    endMs: number,
  ): void {
    const bytes = this.#region.buffer;
    const count = this.indexCount;
    let entry = readInt32(bytes, INDEX_HEADER_BYTES + (keyHash % this.#slots) * INDEX_SLOT_BYTES);
    if (count <= 1 || entry <= 0 || entry > count || entry >= this.#capacity) return;
    const begin = this.beginTimestamp;
    while (offsets.length < maxCount) {
      const at = this.#entryAt(entry);
      const seconds = readInt32(bytes, at + 12);
      if (seconds < 0) return;
      const time = begin + seconds * 1_000;
      if (readInt32(bytes, at) === keyHash && time >= beginMs && time <= endMs) {
        offsets.push(readInt64(bytes, at + 4));
      }
      const previous = readInt32(bytes, at + 16);
      if (previous <= 0 || previous >= entry || time < beginMs) return;
      entry = previous;
    }
  }

  entryKeyHash(entry: number): number {
    return readInt32(this.#region.buffer, this.#entryAt(entry));
  }

  entryPhysicalOffset(entry: number): number {
    return readInt64(this.#region.buffer, this.#entryAt(entry) + 4);
  }

  /** How many of the last entries belong to the record at an offset. */
  entriesOf(physicalOffset: number): number {
    let entry = this.indexCount - 1;
    let found = 0;
    while (entry > 0 && this.entryPhysicalOffset(entry) === physicalOffset) {
      entry--;
      found++;
    }
    return found;
  }

  /** The first entry of a record at or behind an offset; indexCount when there is none. */
  firstEntryFrom(physicalOffset: number): number {
    let low = 1;
    let high = this.indexCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entryPhysicalOffset(middle) < physicalOffset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Are the entries as put() leaves them: offsets that only rise and lie below logEnd, each chain through all of its entries,
   * every slot at the newest one, and the header in accord?
   */
  isConsistent(logEnd: number): boolean {
    const bytes = this.#region.buffer;
    const count = this.indexCount;
    if (count > this.#capacity) return false;
    const newest = new Int32Array(this.#slots);
    let used = 0;
    let offset = 0;
    for (let entry = 1; entry < count; entry++) {
      const at = this.#entryAt(entry);
      const hash = readInt32(bytes, at);
      const physicalOffset = readInt64(bytes, at + 4);
      if (hash < 0 || physicalOffset < offset || physicalOffset >= logEnd) return false;
      offset = physicalOffset;
      const slot = hash % this.#slots;
      const previous = newest[slot] ?? 0;
      if (readInt32(bytes, at + 12) < 0 || readInt32(bytes, at + 16) !== previous) return false;
      if (previous === 0) used++;
      newest[slot] = entry;
    }
    for (let slot = 0; slot < this.#slots; slot++) {
      const value = readInt32(bytes, INDEX_HEADER_BYTES + slot * INDEX_SLOT_BYTES);
      if (value !== newest[slot]) return false;
    }
    if (count === 1) return true;
    return (
      used === this.hashSlotCount &&
      this.endPhysicalOffset === offset &&
      this.beginPhysicalOffset === this.entryPhysicalOffset(1) &&
      this.beginTimestamp <= this.endTimestamp
    );
  }

  sync(): void {
    this.#region.sync(0, this.#entryAt(this.indexCount));
  }

  close(): void {
    this.#region.release();
  }

  #entryAt(entry: number): number {
    return INDEX_HEADER_BYTES + this.#slots * INDEX_SLOT_BYTES + entry * INDEX_ENTRY_BYTES;
  }
}

function secondsSince(beginTimestamp: number, storeTimestamp: number): number {
  if (beginTimestamp <= 0) return 0;
  const seconds = Math.trunc((storeTimestamp - beginTimestamp) / 1_000);
  return seconds < 0 ? 0 : Math.min(seconds, MAX_INT);
}
