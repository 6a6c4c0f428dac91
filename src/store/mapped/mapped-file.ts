// Room: store. Owner of the log (commitlog worker; the ha worker on a slave). One file of the commit log as its owner sees it: written
// through a descriptor, never mapped here; readers and the flush map it (log-reader.ts). Java's MappedFile stores into its mapping,
// which costs a page fault and a journal handle for each page, and each sync then takes the page from every processor's TLB: that
// was a quarter of the broker's time. A write costs neither, and a disk that fails is an error here, not a SIGBUS.
// Always holds: 0 <= wrotePosition <= sizeBytes.

import { closeSync, openSync, writeSync } from 'node:fs';

export class MappedFile {
  readonly path: string;
  readonly fileFromOffset: number;
  readonly sizeBytes: number;
  wrotePosition = 0;
  #fd = -1;

  constructor(path: string, fileFromOffset: number, sizeBytes: number) {
    this.path = path;
    this.fileFromOffset = fileFromOffset;
    this.sizeBytes = sizeBytes;
  }

  /** Before the first write. Throws ENOENT and the like. */
  open(): void {
    this.#fd = openSync(this.path, 'r+');
  }

  /** The first bytes of the array, whole, at a position. After a throw (EIO and the like) any part of them may be there. */
  write(bytes: Uint8Array, lengthBytes: number, position: number): void {
    let written = 0;
    while (written < lengthBytes) {
      written += writeSync(this.#fd, bytes, written, lengthBytes - written, position + written);
    }
  }

  close(): void {
    if (this.#fd < 0) return;
    closeSync(this.#fd);
    this.#fd = -1;
  }
}
