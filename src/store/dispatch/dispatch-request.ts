// Room: store. Dispatch worker, and recovery. Hot: one object is filled again for every record; nothing is allocated but the
// first sight of a topic. What a record says to those who derive something from it (Java's DispatchRequest; storage.md 11).
// `!` is not used. Bench: bench/70-reput.
// Always holds after GOOD: every inner length is within the record, and the record is within the limit. The body isn't read.

import { javaHashCode, javaHashCodeOfUtf8 } from '../../base/java-hash.js';
import { type DelayLevelTable, parseDelayLevels } from '../../message/delay-level-table.js';
import {
  PROPERTY_DELAY_TIME_LEVEL,
  PROPERTY_INNER_MULTI_DISPATCH,
  PROPERTY_INNER_MULTI_QUEUE_OFFSET,
  PROPERTY_KEYS,
  PROPERTY_TAGS,
  PROPERTY_UNIQUE_CLIENT_MESSAGE_ID_KEYIDX,
} from '../../message/message-const.js';
import {
  BLANK_MAGIC,
  bodyLengthPosition,
  FIXED_RECORD_BYTES,
  MAGIC_POSITION,
  MESSAGE_MAGIC,
  PHYSICAL_OFFSET_POSITION,
  preparedTransactionOffsetPosition,
  QUEUE_ID_POSITION,
  QUEUE_OFFSET_POSITION,
  readInt16,
  readInt32,
  readInt64,
  SYS_FLAG_POSITION,
  storeTimestampPosition,
} from '../../message/message-layout.js';
import { PropertyScan } from '../../message/property-scan.js';
import { SCHEDULE_TOPIC } from '../../message/topic-validator.js';
import { type TopicName, TopicNames } from './topic-names.js';

const KEYS = 0;
const UNIQ_KEY = 1;
const TAGS = 2;
const DELAY = 3;
const MULTI_DISPATCH = 4;
const MULTI_QUEUE_OFFSET = 5;
const SCANNED_PROPERTIES = [
  PROPERTY_KEYS,
  PROPERTY_UNIQUE_CLIENT_MESSAGE_ID_KEYIDX,
  PROPERTY_TAGS,
  PROPERTY_DELAY_TIME_LEVEL,
  PROPERTY_INNER_MULTI_DISPATCH,
  PROPERTY_INNER_MULTI_QUEUE_OFFSET,
];
const SPACE = 0x20;
const HASH_SIGN = 0x23;

export const RecordState = {
  GOOD: 0,
  /** The rest of the file is unused. */
  BLANK: 1,
  /** The record's size is known, its inner lengths disagree with it. */
  BAD_LENGTH: 2,
  /** Nothing that could be a record, or not all of it is there yet. */
  BAD: 3,
} as const;

export type RecordState = (typeof RecordState)[keyof typeof RecordState];

export interface DispatchRequestConfig {
  readonly messageDelayLevel: string;
}

export class DispatchRequest {
  buffer: Buffer = Buffer.alloc(0);
  position = 0;
  sizeBytes = 0;
  topicName: TopicName;
  queueId = 0;
  queueOffset = 0;
  physicalOffset = 0;
  sysFlag = 0;
  storeTimestamp = 0;
  preparedTransactionOffset = 0;
  bodyStart = 0;
  bodyLength = 0;
  propertiesStart = 0;
  propertiesLength = 0;
  /** Hash of the tags, or the time of delivery of a message in the schedule topic. */
  tagsCode = 0;
  /** Filled by the dispatcher that knows the SQL filters of the topic. */
  bitMap: Uint8Array | null = null;

  readonly #delayLevels: DelayLevelTable;
  readonly #topicNames = new TopicNames();
  readonly #scan = new PropertyScan(SCANNED_PROPERTIES);

  constructor(config: DispatchRequestConfig) {
    this.#delayLevels = parseDelayLevels(config.messageDelayLevel);
    this.topicName = this.#topicNames.find(Buffer.alloc(0), 0, 0);
  }

  get topic(): string {
    return this.topicName.text;
  }

  /** Reads the record at a position; limit is where the readable bytes of the file end. */
  read(buffer: Buffer, position: number, limit: number): RecordState {
    this.sizeBytes = 0;
    if (position + 8 > limit) return RecordState.BAD;
    const magic = readInt32(buffer, position + MAGIC_POSITION);
    if (magic === BLANK_MAGIC) return RecordState.BLANK;
    const sizeBytes = readInt32(buffer, position);
    if (magic !== MESSAGE_MAGIC || sizeBytes < FIXED_RECORD_BYTES || position + sizeBytes > limit) {
      return RecordState.BAD;
    }
    this.sizeBytes = sizeBytes;
    this.buffer = buffer;
    this.position = position;
    if (!this.#readLengths(buffer, position, sizeBytes)) return RecordState.BAD_LENGTH;
    const sysFlag = this.sysFlag;
    this.queueId = readInt32(buffer, position + QUEUE_ID_POSITION);
    this.queueOffset = readInt64(buffer, position + QUEUE_OFFSET_POSITION);
    this.physicalOffset = readInt64(buffer, position + PHYSICAL_OFFSET_POSITION);
    this.storeTimestamp = readInt64(buffer, position + storeTimestampPosition(sysFlag));
    this.preparedTransactionOffset = readInt64(
      buffer,
      position + preparedTransactionOffsetPosition(sysFlag),
    );
    this.bitMap = null;
    this.#scan.scan(buffer, this.propertiesStart, this.propertiesLength);
    this.tagsCode = this.#tagsCode(buffer);
    return RecordState.GOOD;
  }

  get hasKeys(): boolean {
    return this.#scan.has(UNIQ_KEY) || this.#scan.has(KEYS);
  }

  /** Index hashes of `topic#key` for the unique key first and then each of KEYS; the number of them. */
  keyHashes(into: number[]): number {
    let count = 0;
    const scan = this.#scan;
    if (scan.has(UNIQ_KEY)) {
      into[count++] = this.#keyHash(scan.valueStart(UNIQ_KEY), scan.valueEnd(UNIQ_KEY));
    }
    if (!scan.has(KEYS)) return count;
    const end = scan.valueEnd(KEYS);
    let start = scan.valueStart(KEYS);
    for (let at = start; at <= end; at++) {
      if (at < end && this.buffer[at] !== SPACE) continue;
      if (at > start) into[count++] = this.#keyHash(start, at);
      start = at + 1;
    }
    return count;
  }

  /** Names of further queues that this record belongs to (storage.md 21), null when it names none. Allocates. */
  multiDispatch(): { readonly names: string[]; readonly queueOffsets: number[] } | null {
    const names = this.#scan.valueText(MULTI_DISPATCH);
    const offsets = this.#scan.valueText(MULTI_QUEUE_OFFSET);
    if (names === null || offsets === null) return null;
    const queueOffsets = offsets.split(',').map(Number);
    const list = names.split(',');
    return list.length === queueOffsets.length && queueOffsets.every(Number.isSafeInteger)
      ? { names: list, queueOffsets }
      : null;
  }

  /** Finds topic and properties; false when the lengths inside don't add up to the record's. */
  #readLengths(buffer: Buffer, position: number, sizeBytes: number): boolean {
    const end = position + sizeBytes;
    const sysFlag = readInt32(buffer, position + SYS_FLAG_POSITION);
    this.sysFlag = sysFlag;
    const bodyAt = position + bodyLengthPosition(sysFlag);
    if (bodyAt + 4 > end) return false;
    const bodyLength = readInt32(buffer, bodyAt);
    const topicAt = bodyAt + 4 + bodyLength;
    if (bodyLength < 0 || topicAt + 3 > end) return false;
    const topicLength = ((buffer[topicAt] ?? 0) << 24) >> 24;
    const propertiesAt = topicAt + 1 + topicLength;
    if (topicLength < 0 || propertiesAt + 2 > end) return false;
    const propertiesLength = readInt16(buffer, propertiesAt);
    if (propertiesLength < 0 || propertiesAt + 2 + propertiesLength !== end) return false;
    this.bodyStart = bodyAt + 4;
    this.bodyLength = bodyLength;
    this.topicName = this.#topicNames.find(buffer, topicAt + 1, topicLength);
    this.propertiesStart = propertiesAt + 2;
    this.propertiesLength = propertiesLength;
    return true;
  }

  #tagsCode(buffer: Buffer): number {
    const scan = this.#scan;
    if (this.topicName.text === SCHEDULE_TOPIC) {
      const levels = this.#delayLevels;
      const level = levels.capLevel(scan.valueInt(DELAY, 0));
      if (level > 0) return levels.deliverTimestamp(level, this.storeTimestamp);
    }
    if (!scan.has(TAGS)) return 0;
    return javaHashCodeOfUtf8(buffer, scan.valueStart(TAGS), scan.valueLength(TAGS));
  }

  #keyHash(start: number, end: number): number {
    let hash = (Math.imul(this.topicName.javaHash, 31) + HASH_SIGN) | 0;
    for (let i = start; i < end; i++) {
      const byte = this.buffer[i] ?? 0;
      if (byte >= 0x80) {
        return indexHash(
          javaHashCode(`${this.topicName.text}#${this.buffer.toString('utf8', start, end)}`),
        );
      }
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    return indexHash(hash);
  }
}

/** Java's indexKeyHashMethod of `topic#key`: the absolute value, and 0 for the one number that has none. */
export function indexKeyHash(topic: string, key: string): number {
  return indexHash(javaHashCode(`${topic}#${key}`));
}

function indexHash(hash: number): number {
  if (hash >= 0) return hash;
  return hash === -0x8000_0000 ? 0 : -hash;
}
