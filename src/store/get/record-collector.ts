// Room: store. Dispatch worker. Hot (bench/41-pull). Where the records of one read lie, so that they are copied only once: when their
// sum is known and the ring has room for it. The arrays are reused; what they point at is valid until the duty cycle ends.

import { copyBytes } from '../../native/copy-bytes.js';
import type { RecordSink } from './get-message.js';

export class RecordCollector implements RecordSink {
  count = 0;
  readonly #buffers: Buffer[] = [];
  readonly #positions: number[] = [];
  readonly #sizes: number[] = [];
  readonly #queueOffsets: number[] = [];

  clear(): void {
    this.count = 0;
    this.#buffers.length = 0;
  }

  onRecord(buffer: Buffer, position: number, sizeBytes: number, queueOffset: number): boolean {
    this.#buffers[this.count] = buffer;
    this.#positions[this.count] = position;
    this.#sizes[this.count] = sizeBytes;
    this.#queueOffsets[this.count] = queueOffset;
    this.count++;
    return true;
  }

  /** Copies all records behind one another. */
  copyTo(target: Buffer, at: number): void {
    let to = at;
    for (let i = 0; i < this.count; i++) {
      const sizeBytes = this.#sizes[i]!;
      copyBytes(target, to, this.#buffers[i]!, this.#positions[i]!, sizeBytes);
      to += sizeBytes;
    }
  }

  sizes(): number[] {
    return this.#sizes.slice(0, this.count);
  }

  queueOffsets(): number[] {
    return this.#queueOffsets.slice(0, this.count);
  }

  /** Views of the records, to be copied before the duty cycle ends. */
  views(): Buffer[] {
    return this.sizes().map((size, i) => {
      const position = this.#positions[i]!;
      return this.#buffers[i]!.subarray(position, position + size);
    });
  }
}
