// Room: store. HA thread. What travels between a master and its slaves (storage.md 22.2): raw TCP, big-endian, nothing but this.
//
//   slave → master   report   0 int64  end of the slave's log
//   master → slave   frame    0 int64  physical offset of the bytes   8 int32  how many, 0 in a heartbeat   12 the bytes
//
// Both readers take the stream as it comes, split or joined; what they hand on is valid during the call.

import { MAX_HA_FRAME_BYTES } from '../../base/limits.js';
import { readInt32, readInt64, writeInt32, writeInt64 } from '../../message/message-layout.js';

export const HA_FRAME_HEADER_BYTES = 12;
export const HA_REPORT_BYTES = 8;

export function encodeReport(physicalOffset: number): Buffer {
  const report = Buffer.alloc(HA_REPORT_BYTES);
  writeInt64(report, 0, physicalOffset);
  return report;
}

export function writeFrameHeader(
  target: Uint8Array,
  physicalOffset: number,
  sizeBytes: number,
): void {
  writeInt64(target, 0, physicalOffset);
  writeInt32(target, 8, sizeBytes);
}

/** Master side. A value may be any int64, rounded to a double: whoever takes it checks it. */
export class HaReportReader {
  readonly #partial = Buffer.alloc(HA_REPORT_BYTES);
  #filled = 0;

  push(chunk: Uint8Array, onReport: (physicalOffset: number) => void): void {
    for (let at = 0; at < chunk.length; ) {
      const end = Math.min(chunk.length, at + HA_REPORT_BYTES - this.#filled);
      this.#partial.set(chunk.subarray(at, end), this.#filled);
      this.#filled += end - at;
      at = end;
      if (this.#filled < HA_REPORT_BYTES) return;
      this.#filled = 0;
      onReport(readInt64(this.#partial, 0));
    }
  }
}

/** @returns false to end the reading: the connection is given up. */
export type OnHaFrame = (
  physicalOffset: number,
  bytes: Uint8Array,
  start: number,
  sizeBytes: number,
) => boolean;

/** Slave side. */
export class HaFrameReader {
  /** Bytes of a frame that is not whole yet. */
  #partial = Buffer.alloc(64 * 1024);
  #filled = 0;

  /** False when a frame was refused, or has a length that none may have. */
  push(chunk: Uint8Array, onFrame: OnHaFrame): boolean {
    let at = 0;
    while (this.#filled > 0) {
      const missing = this.#missing();
      if (missing < 0) return false;
      const end = Math.min(chunk.length, at + missing);
      this.#keep(chunk, at, end);
      at = end;
      if (this.#missing() > 0) {
        if (at === chunk.length) return true;
        continue;
      }
      if (!this.#handOut(this.#partial, 0, onFrame)) return false;
      this.#filled = 0;
    }
    for (;;) {
      const left = chunk.length - at;
      const size = left < HA_FRAME_HEADER_BYTES ? -1 : frameSize(chunk, at);
      if (size > MAX_HA_FRAME_BYTES) return false;
      if (size < 0 || size > left) break;
      if (!this.#handOut(chunk, at, onFrame)) return false;
      at += size;
    }
    this.#keep(chunk, at, chunk.length);
    return true;
  }

  /** Bytes until the partial frame is whole, or until its length is known; negative when the length is none. */
  #missing(): number {
    if (this.#filled < HA_FRAME_HEADER_BYTES) return HA_FRAME_HEADER_BYTES - this.#filled;
    const size = frameSize(this.#partial, 0);
    return size > MAX_HA_FRAME_BYTES ? -1 : size - this.#filled;
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    const needed = this.#filled + end - start;
    if (needed > this.#partial.length) {
      const larger = Buffer.alloc(needed * 2);
      larger.set(this.#partial.subarray(0, this.#filled));
      this.#partial = larger;
    }
    this.#partial.set(chunk.subarray(start, end), this.#filled);
    this.#filled = needed;
  }

  #handOut(bytes: Uint8Array, at: number, onFrame: OnHaFrame): boolean {
    const start = at + HA_FRAME_HEADER_BYTES;
    return onFrame(readInt64(bytes, at), bytes, start, readInt32(bytes, at + 8));
  }
}

/** With its header; beyond every bound when the length is negative. */
function frameSize(bytes: Uint8Array, at: number): number {
  return HA_FRAME_HEADER_BYTES + (readInt32(bytes, at + 8) >>> 0);
}
