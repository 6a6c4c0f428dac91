// Room: ring. Any thread. A page of 64-bit positions in shared memory, one cache line apart, each with one writer.
// Positions are safe integers in JavaScript and int64 in memory. Read and write them once per batch: a 64-bit atomic
// goes through BigInt and costs 12-18 ns; two plain 32-bit halves would tear.

const LINE_BYTES = 64;
const LINE_WORDS = LINE_BYTES / 8;

export class CursorPage {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
  }

  static create(count: number): CursorPage {
    return new CursorPage(new SharedArrayBuffer(count * LINE_BYTES));
  }

  get(index: number): number {
    return Number(Atomics.load(this.#words, index * LINE_WORDS));
  }

  /** Only the owner of the cursor calls this. */
  set(index: number, position: number): void {
    Atomics.store(this.#words, index * LINE_WORDS, BigInt(position));
  }
}
