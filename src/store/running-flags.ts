// Room: store. Any thread, over shared memory when threads are to see each other's flags. Why the store may not be written or read; bits
// as Java's RunningFlags. Unlike Java's, the bits of queues and index go again when they can be written again.

const NOT_READABLE = 1;
const NOT_WRITABLE = 2;
const LOGICS_QUEUE_ERROR = 4;
const DISK_FULL = 16;

export class RunningFlags {
  readonly memory: SharedArrayBuffer;
  readonly #bits: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.memory = memory;
    this.#bits = new Int32Array(memory);
  }

  get bits(): number {
    return Atomics.load(this.#bits, 0);
  }

  isReadable(): boolean {
    return (this.bits & NOT_READABLE) === 0;
  }

  /** The log takes messages. */
  isWritable(): boolean {
    return (this.bits & ~NOT_READABLE) === 0;
  }

  /** Queues take entries: a full disk stops the log alone, so that what is in it can still be read. */
  isConsumeQueueWritable(): boolean {
    return (this.bits & (NOT_WRITABLE | LOGICS_QUEUE_ERROR)) === 0;
  }

  isDiskFull(): boolean {
    return (this.bits & DISK_FULL) !== 0;
  }

  setReadable(isReadable: boolean): void {
    this.#put(NOT_READABLE, !isReadable);
  }

  setWritable(isWritable: boolean): void {
    this.#put(NOT_WRITABLE, !isWritable);
  }

  /** Queues or index can not be written. */
  setLogicsQueueError(hasError: boolean): void {
    this.#put(LOGICS_QUEUE_ERROR, hasError);
  }

  setDiskFull(isFull: boolean): void {
    this.#put(DISK_FULL, isFull);
  }

  #put(bit: number, isSet: boolean): void {
    if (isSet) Atomics.or(this.#bits, 0, bit);
    else Atomics.and(this.#bits, 0, ~bit);
  }
}
