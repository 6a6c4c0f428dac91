// The ledger (reliability.md 4): what the broker has acknowledged, and nothing else. A message's body follows from its seed, producer and
// number, so whoever reads a record can tell whether it is whole, and whose it is.

import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { seededPrng } from '../../src/base/prng.js';
import type { MessageExt } from '../../src/message/message-ext.js';

const NOISE_BYTES = 80 * 1024;
const HEADER = /^(\d+):(\d+):(\d+):/;
const CRC_MASK = 0x7fff_ffff;

export interface LedgerEntry {
  readonly producer: number;
  readonly seq: number;
  /** Where the record is: for a delayed or half message the internal topic. */
  readonly topic: string;
  readonly queueId: number;
  readonly queueOffset: number;
  readonly physicalOffset: number;
  readonly bodyBytes: number;
  readonly bodyCrc: number;
  readonly key: string;
}

/** The numbers in a body: those of a message of this run, or what is wrong with it. */
export type Identity = { readonly producer: number; readonly seq: number } | string;

export class Bodies {
  readonly #seed: number;
  readonly #noise: Buffer;

  constructor(seed: number) {
    this.#seed = seed;
    const prng = seededPrng(seed);
    this.#noise = Buffer.alloc(NOISE_BYTES);
    for (let i = 0; i < NOISE_BYTES; i += 4) {
      this.#noise.writeUInt32LE(prng.nextInt(0x1_0000_0000), i);
    }
  }

  make(producer: number, seq: number, sizeBytes: number): Buffer {
    const body = Buffer.alloc(sizeBytes);
    const start = body.write(`${this.#seed}:${producer}:${seq}:`);
    const at = (producer * 7919 + seq * 31) % (NOISE_BYTES - 65_536 - 64);
    this.#noise.copy(body, start, at, at + sizeBytes - start);
    return body;
  }

  identify(message: MessageExt): Identity {
    const { body } = message;
    const numbers = HEADER.exec(body.toString('latin1', 0, 40));
    if (numbers === null) return 'its body is none of ours';
    if (Number(numbers[1]) !== this.#seed) return 'its body is of another run';
    const producer = Number(numbers[2]);
    const seq = Number(numbers[3]);
    if (!body.equals(this.make(producer, seq, body.length))) return 'its body is not whole';
    if ((message.bodyCrc & CRC_MASK) !== (crc32(body) & CRC_MASK)) return 'its CRC is not its body';
    if (message.properties.get('KEYS') !== keyOf(producer, seq))
      return 'its properties are not whole';
    return { producer, seq };
  }
}

export function keyOf(producer: number, seq: number): string {
  return `p${producer}-${seq}`;
}

export function crcOf(body: Buffer): number {
  return crc32(body) & CRC_MASK;
}

export class Ledger {
  readonly entries: LedgerEntry[] = [];
  /** What went wrong already while entries were made: an offset that was given twice. */
  readonly violations: string[] = [];
  readonly #queues = new Map<string, Map<number, LedgerEntry>>();

  add(entry: LedgerEntry): void {
    this.entries.push(entry);
    const name = queueName(entry.topic, entry.queueId);
    const queue = this.#queues.get(name) ?? new Map<number, LedgerEntry>();
    this.#queues.set(name, queue);
    const other = queue.get(entry.queueOffset);
    if (other !== undefined) {
      this.violations.push(
        `L2: ${name} offset ${entry.queueOffset} was acknowledged to ${other.key} and to ${entry.key}`,
      );
    }
    queue.set(entry.queueOffset, entry);
  }

  queue(topic: string, queueId: number): ReadonlyMap<number, LedgerEntry> {
    return this.#queues.get(queueName(topic, queueId)) ?? new Map();
  }

  /** Topic and queue of everything that was acknowledged. */
  queues(): { topic: string; queueId: number }[] {
    return [...this.#queues.keys()].map((name) => {
      const at = name.lastIndexOf('/');
      return { topic: name.slice(0, at), queueId: Number(name.slice(at + 1)) };
    });
  }

  save(path: string): void {
    writeFileSync(path, this.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }
}

export function queueName(topic: string, queueId: number): string {
  return `${topic}/${queueId}`;
}
