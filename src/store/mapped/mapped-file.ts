// Room: store. Owner of the log (commitlog worker; the ha worker on a slave). One file of the commit log as its owner sees it. Only the
// file that is appended to is mapped here; readers have views of their own (log-reader.ts).
// Always holds: 0 <= wrotePosition <= sizeBytes.

import type { MappedRegion } from '../../native/mapped-region.js';

const NO_BYTES = Buffer.alloc(0);

export class MappedFile {
  readonly path: string;
  readonly fileFromOffset: number;
  readonly sizeBytes: number;
  /** Empty while the file is not mapped. */
  buffer: Buffer = NO_BYTES;
  wrotePosition = 0;
  #region: MappedRegion | null = null;

  constructor(path: string, fileFromOffset: number, sizeBytes: number) {
    this.path = path;
    this.fileFromOffset = fileFromOffset;
    this.sizeBytes = sizeBytes;
  }

  attach(region: MappedRegion): void {
    this.#region = region;
    this.buffer = region.buffer;
  }

  /** Lets go of this thread's view. */
  release(): void {
    this.buffer = NO_BYTES;
    this.#region?.release();
    this.#region = null;
  }
}
