// Room: ring. A single-producer single-consumer byte ring in a SharedArrayBuffer; the only way a message's bytes go from
// one thread to another. Hot, hence `!`. Bench: bench/20-ring-handoff.
//
//   control (256 bytes)  int32 0: tail, bytes ever published (mod 2^32), written by the producer
//                        int32 32: head, bytes ever released (mod 2^32), written by the consumer
//   data                 records, each 8-byte aligned and never across the end:
//                        +0 int32 payload size (-1: skip to the start of the data)   +4 int32 kind   +8 payload
//
// Memory order: the payload is written with plain stores, then tail is stored with Atomics (release); the consumer
// loads tail with Atomics (acquire) before it reads plain. head the other way round. Each side caches the other's word
// and reads it again only when the cached one is not enough.
//
// An empty ring begins again at its start, once it is some way in: what is written next then lies where the caches still
// have it, and a quiet ring never touches most of its memory.
//
// Full means back-pressure: claim() answers -1 and the producer tries later; nothing is dropped, nothing throws.

import { assert } from '../base/assert.js';

const CONTROL_BYTES = 256;
const TAIL = 0;
const HEAD = 32;
const RECORD_HEADER_BYTES = 8;
const SKIP = -1;
/** How far in an empty ring goes back to its start. */
const REWIND_BYTES = 1024 * 1024;

export class SpscRing {
  readonly memory: SharedArrayBuffer;
  /** The whole memory; payload positions index into it. */
  readonly bytes: Buffer;
  /** The same memory as 32-bit words; a payload begins on an even word. */
  readonly words: Int32Array;
  readonly #control: Int32Array;
  readonly #capacity: number;
  readonly #mask: number;
  // Producer's state.
  #tail: number;
  #cachedHead: number;
  #claimedAt = 0;
  #claimedSize = 0;
  // Consumer's state.
  #head: number;
  #cachedTail: number;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#control = new Int32Array(memory, 0, CONTROL_BYTES / 4);
    this.words = new Int32Array(memory);
    this.bytes = Buffer.from(memory);
    this.#capacity = memory.byteLength - CONTROL_BYTES;
    assert(
      (this.#capacity & (this.#capacity - 1)) === 0 && this.#capacity <= 0x40000000,
      'ring capacity must be a power of two of at most 1 GiB',
    );
    this.#mask = this.#capacity - 1;
    this.#tail = Atomics.load(this.#control, TAIL);
    this.#head = Atomics.load(this.#control, HEAD);
    this.#cachedHead = this.#head;
    this.#cachedTail = this.#tail;
  }

  /** @param capacityBytes a power of two, larger than the largest record. */
  static create(capacityBytes: number): SpscRing {
    return new SpscRing(new SharedArrayBuffer(CONTROL_BYTES + capacityBytes));
  }

  /** The largest payload that finds room in an empty ring, at the second try at the latest. */
  get maxPayloadBytes(): number {
    return this.#capacity - RECORD_HEADER_BYTES;
  }

  // ---- producer ----

  /** Room for one record: the position of its payload in `bytes`, or -1 when the ring is full. */
  claim(sizeBytes: number): number {
    const need = (RECORD_HEADER_BYTES + sizeBytes + 7) & ~7;
    let at = this.#tail & this.#mask;
    const toEnd = this.#capacity - at;
    let total = need <= toEnd ? need : toEnd + need;
    if (at > REWIND_BYTES && this.#isDrained()) total = toEnd + need;
    if (total > this.#capacity || this.#free() < total) {
      this.#cachedHead = Atomics.load(this.#control, HEAD);
      if (total > this.#capacity) {
        if (this.#cachedHead === this.#tail) this.#skip(at, toEnd);
        return -1;
      }
      if (this.#free() < total) return -1;
    }
    if (total > need) {
      this.#skip(at, toEnd);
      at = 0;
    }
    this.#claimedAt = CONTROL_BYTES + at;
    this.#claimedSize = need;
    return this.#claimedAt + RECORD_HEADER_BYTES;
  }

  /** Ends the claimed record with its true size (at most what was claimed). Visible to the consumer after publish(). */
  commit(kind: number, sizeBytes: number): void {
    const word = this.#claimedAt >> 2;
    this.words[word] = sizeBytes;
    this.words[word + 1] = kind;
    const used = (RECORD_HEADER_BYTES + sizeBytes + 7) & ~7;
    assert(used <= this.#claimedSize, 'a record outgrew its claim');
    this.#tail = (this.#tail + used) | 0;
  }

  /** Makes all committed records visible. Once a batch; then wake the consumer. */
  publish(): void {
    Atomics.store(this.#control, TAIL, this.#tail);
  }

  /** True when the consumer has released all that was published; asks the shared word only now and then. */
  #isDrained(): boolean {
    if (this.#cachedHead !== this.#tail) this.#cachedHead = Atomics.load(this.#control, HEAD);
    return this.#cachedHead === this.#tail;
  }

  /** The rest of the memory is left out; the next record stands at the start. */
  #skip(at: number, toEnd: number): void {
    this.words[(CONTROL_BYTES + at) >> 2] = SKIP;
    this.#tail = (this.#tail + toEnd) | 0;
    this.publish();
  }

  #free(): number {
    return this.#capacity - ((this.#tail - this.#cachedHead) | 0);
  }

  // ---- consumer ----

  /** Size of the next record's payload, or -1 when there is none. kind() and position() then speak of that record. */
  peek(): number {
    for (;;) {
      if (this.#head === this.#cachedTail) {
        this.#cachedTail = Atomics.load(this.#control, TAIL);
        if (this.#head === this.#cachedTail) return -1;
      }
      const at = this.#head & this.#mask;
      const size = this.words[(CONTROL_BYTES + at) >> 2]!;
      if (size !== SKIP) return size;
      this.#head = (this.#head + this.#capacity - at) | 0;
      if (this.#head === this.#cachedTail) this.release();
    }
  }

  /** Looks for records that have been published by now; hasSeen() speaks of those. */
  look(): boolean {
    this.#cachedTail = Atomics.load(this.#control, TAIL);
    return this.hasSeen();
  }

  /** True while a record that the last look() or peek() saw has not been stepped over. */
  hasSeen(): boolean {
    return this.#head !== this.#cachedTail;
  }

  kind(): number {
    return this.words[((CONTROL_BYTES + (this.#head & this.#mask)) >> 2) + 1]!;
  }

  position(): number {
    return CONTROL_BYTES + (this.#head & this.#mask) + RECORD_HEADER_BYTES;
  }

  /** Steps over the record that peek() showed. Its bytes stay valid until release(). */
  next(sizeBytes: number): void {
    this.#head = (this.#head + ((RECORD_HEADER_BYTES + sizeBytes + 7) & ~7)) | 0;
  }

  /** Gives the room of all records stepped over back to the producer. Once a batch. */
  release(): void {
    Atomics.store(this.#control, HEAD, this.#head);
  }

  isEmpty(): boolean {
    return this.#head === Atomics.load(this.#control, TAIL);
  }
}
