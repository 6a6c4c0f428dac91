// Room: store. The file `checkpoint` (storage.md 8): up to which store time the log, the queues and the index are on disk. The flush
// thread moves the first time, the dispatch thread the other two; each thread has an instance of its own over the same mapped page.
//
//   0 physicMsgTimestamp 8 │ 8 logicsMsgTimestamp 8 │ 16 indexMsgTimestamp 8 │ zero to 4096
//
// Always holds: an instance writes only the times that it was given, so none undoes another's; the page has a time only after
// what the time speaks of was synced.

import { mkdirSync, readFileSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { isNativeError } from '../native/binding.js';
import { MappedRegion } from '../native/mapped-region.js';

export const CHECKPOINT_BYTES = 4096;

/** Taken off the recovered times: who flushes and who notes the time are not the same moment. */
const SLACK_MS = 3000;

export class StoreCheckpoint {
  readonly #region: MappedRegion;
  readonly #page: DataView;
  readonly #times: [number, number, number];
  readonly #changed: [boolean, boolean, boolean] = [false, false, false];

  /** Opens the file, or makes it. Throws NativeError. */
  constructor(path: string) {
    this.#region = openPage(path);
    const { buffer, byteOffset, byteLength } = this.#region.buffer;
    this.#page = new DataView(buffer, byteOffset, byteLength);
    this.#times = [this.#read(0), this.#read(1), this.#read(2)];
  }

  get physicMsgTimestamp(): number {
    return this.#times[0];
  }

  set physicMsgTimestamp(timestampMs: number) {
    this.#set(0, timestampMs);
  }

  get logicsMsgTimestamp(): number {
    return this.#times[1];
  }

  set logicsMsgTimestamp(timestampMs: number) {
    this.#set(1, timestampMs);
  }

  get indexMsgTimestamp(): number {
    return this.#times[2];
  }

  set indexMsgTimestamp(timestampMs: number) {
    this.#set(2, timestampMs);
  }

  /** Records stored up to here are on disk with their queue entries. */
  get minTimestamp(): number {
    return Math.max(0, Math.min(this.#times[0], this.#times[1]) - SLACK_MS);
  }

  get minTimestampIndex(): number {
    return Math.min(this.minTimestamp, this.#times[2]);
  }

  /** The times of this instance into the page; whoever syncs next takes them to disk. */
  write(): void {
    for (const index of [0, 1, 2] as const) {
      if (!this.#changed[index]) continue;
      this.#changed[index] = false;
      this.#page.setBigInt64(index * 8, BigInt(this.#times[index]));
    }
  }

  /** write(), and the page is on disk when this returns. Throws NativeError. */
  flush(): void {
    this.write();
    this.#region.sync(0, CHECKPOINT_BYTES);
  }

  close(): void {
    if (!this.#region.isReleased) this.write();
    this.#region.release();
  }

  #read(index: number): number {
    return Number(this.#page.getBigInt64(index * 8));
  }

  #set(index: 0 | 1 | 2, timestampMs: number): void {
    if (this.#times[index] === timestampMs) return;
    this.#times[index] = timestampMs;
    this.#changed[index] = true;
  }
}

function openPage(path: string): MappedRegion {
  mkdirSync(dirname(path), { recursive: true });
  let kept: Buffer | null = null;
  for (;;) {
    try {
      return MappedRegion.open(path, CHECKPOINT_BYTES);
    } catch (error) {
      if (!isNativeError(error) || (error.code !== 'ENOENT' && error.code !== 'ESIZE')) throw error;
      // A file of another length is made anew with what it says: Java stretches it.
      if (error.code === 'ESIZE') {
        kept = readFileSync(path).subarray(0, CHECKPOINT_BYTES);
        unlinkSync(path);
      }
    }
    try {
      const region = MappedRegion.create(path, CHECKPOINT_BYTES);
      if (kept !== null) region.buffer.set(kept);
      return region;
    } catch (error) {
      // Another thread was first.
      if (!isNativeError(error) || error.code !== 'EEXIST') throw error;
    }
  }
}
