// Room: filter. Any thread. Which bits of a consume queue unit's bitmap stand for a consumer group (storage 6). The broker
// sets them for each filter that takes a message; a pull whose bits are not all set skips the message without reading it.
// Bit p is byte p / 8, mask 1 << (p % 8). Always holds: bitCount is a multiple of 8, positions are below it.

import { cometError } from '../base/errors.js';
import { murmur3Low64 } from './murmur3-128.js';

/** Stored in consumerFilter.json under these names. */
export interface BloomFilterData {
  readonly bitNum: number;
  readonly bitPos: readonly number[];
}

export class BloomFilter {
  /** Java's k. */
  readonly hashCount: number;
  /** Java's m. */
  readonly bitCount: number;

  /** Percent of messages that may be read in vain, with so many groups whose filters take a message. */
  constructor(errorRatePercent: number, expectedGroups: number) {
    if (!(errorRatePercent >= 1 && errorRatePercent < 100)) {
      throw cometError('CONFIG_INVALID', 'maxErrorRateOfBloomFilter must be from 1 to 99');
    }
    if (!(expectedGroups >= 1)) {
      throw cometError('CONFIG_INVALID', 'expectConsumerNumUseFilter must be at least 1');
    }
    const errorRate = errorRatePercent / 100;
    const bits = expectedGroups * logarithm(2, 1 / errorRate) * logarithm(2, Math.E);
    this.hashCount = Math.ceil(logarithm(0.5, errorRate));
    this.bitCount = 8 * Math.ceil(Math.ceil(bits) / 8);
  }

  get bitMapBytes(): number {
    return this.bitCount / 8;
  }

  /** The bits of a group's filter on a topic. */
  generate(consumerGroup: string, topic: string): BloomFilterData {
    return { bitNum: this.bitCount, bitPos: this.positions(`${consumerGroup}#${topic}`) };
  }

  positions(text: string): number[] {
    const hash = murmur3Low64(Buffer.from(text, 'utf8'));
    const first = Number(BigInt.asIntN(32, hash));
    const second = Number(BigInt.asIntN(32, hash >> 32n));
    const positions: number[] = [];
    for (let i = 1; i <= this.hashCount; i++) {
      const combined = (first + Math.imul(i, second)) | 0;
      positions.push((combined < 0 ? ~combined : combined) % this.bitCount);
    }
    return positions;
  }

  /** False for data that another size or error rate made, whose bits mean nothing here. */
  isValid(data: BloomFilterData | null): data is BloomFilterData {
    return data !== null && data.bitNum === this.bitCount && data.bitPos.length === this.hashCount;
  }
}

export function setBits(bitMap: Uint8Array, { bitPos }: BloomFilterData): void {
  for (const position of bitPos) {
    const at = position >>> 3;
    bitMap[at] = (bitMap[at] ?? 0) | (1 << (position & 7));
  }
}

/** Whether all bits of the data are set in the bitmap that begins at `start`. */
export function hasBits(bytes: Uint8Array, start: number, { bitPos }: BloomFilterData): boolean {
  for (const position of bitPos) {
    if (((bytes[start + (position >>> 3)] ?? 0) & (1 << (position & 7))) === 0) return false;
  }
  return true;
}

function logarithm(base: number, value: number): number {
  return Math.log(value) / Math.log(base);
}
