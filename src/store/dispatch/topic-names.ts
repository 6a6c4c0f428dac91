// Room: store. Any thread; each has its own. Hot: turns the topic bytes of a record into a string without decoding them again.
// Always holds: equal bytes give the same TopicName object; the table is bounded, and starts afresh when it is full.

import { javaHashCode } from '../../base/java-hash.js';
import { isFolderName } from '../../message/topic-validator.js';

const MAX_NAMES = 200_000;
const BUCKETS = 4_096;

export class TopicName {
  readonly text: string;
  readonly bytes: Buffer;
  readonly javaHash: number;
  /** False for a name that no queue may have: its records are kept, and have no entry. */
  readonly isFolderName: boolean;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.text = bytes.toString('utf8');
    this.javaHash = javaHashCode(this.text);
    this.isFolderName = isFolderName(this.text);
  }
}

export class TopicNames {
  #buckets: TopicName[][] = newBuckets();
  #count = 0;

  find(buffer: Buffer, start: number, length: number): TopicName {
    let hash = length;
    const end = start + length;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + buffer[i]!) | 0;
    const bucket = this.#buckets[hash & (BUCKETS - 1)]!;
    for (let i = 0; i < bucket.length; i++) {
      const name = bucket[i]!;
      if (name.bytes.length === length && equals(name.bytes, buffer, start)) return name;
    }
    return this.#add(bucket, buffer, start, end);
  }

  #add(bucket: TopicName[], buffer: Buffer, start: number, end: number): TopicName {
    const name = new TopicName(Buffer.from(buffer.subarray(start, end)));
    if (this.#count >= MAX_NAMES) {
      this.#buckets = newBuckets();
      this.#count = 0;
    } else {
      bucket.push(name);
      this.#count++;
    }
    return name;
  }
}

function equals(expected: Buffer, buffer: Buffer, start: number): boolean {
  for (let i = 0; i < expected.length; i++) if (expected[i] !== buffer[start + i]) return false;
  return true;
}

function newBuckets(): TopicName[][] {
  return Array.from({ length: BUCKETS }, () => []);
}
