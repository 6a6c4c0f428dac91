// Room: store. Whoever recovers the store. Is there a whole, undamaged record at a position? Stricter than Java, which looks at
// lengths and the body's sum: the record must also say where it is, its topic must be a name, and its last byte must have been
// written (see endsUnwritten).

import { BODY_CRC_POSITION, readInt32 } from '../../message/message-layout.js';
import { crc32 } from '../../native/crc32.js';
import { type DispatchRequest, RecordState } from '../dispatch/dispatch-request.js';

const CRC_MASK = 0x7fff_ffff;

export const RecordVerdict = {
  GOOD: 0,
  /** The unused end of a file. */
  BLANK: 1,
  /** The lengths are right, so the next record is known to begin at sizeBytes from here; the content is not. */
  DAMAGED: 2,
  /** No record can be made out. */
  UNREADABLE: 3,
} as const;

export type RecordVerdict = (typeof RecordVerdict)[keyof typeof RecordVerdict];

/** Reads the record into the request and judges it. `limit` is the end of the file. */
export function checkRecord(
  request: DispatchRequest,
  buffer: Buffer,
  position: number,
  limit: number,
  physicalOffset: number,
  checkCrc: boolean,
): RecordVerdict {
  const state = request.read(buffer, position, limit);
  if (state === RecordState.BLANK) {
    return readInt32(buffer, position) === limit - position
      ? RecordVerdict.BLANK
      : RecordVerdict.UNREADABLE;
  }
  if (state !== RecordState.GOOD) return RecordVerdict.UNREADABLE;
  if (request.physicalOffset !== physicalOffset || request.queueOffset < 0) {
    return RecordVerdict.DAMAGED;
  }
  if (request.queueId < 0 || !isTopicName(request)) return RecordVerdict.DAMAGED;
  if (checkCrc && request.bodyLength > 0) {
    const sum = crc32(buffer, request.bodyStart, request.bodyLength) & CRC_MASK;
    if (sum !== readInt32(buffer, position + BODY_CRC_POSITION)) return RecordVerdict.DAMAGED;
  }
  return RecordVerdict.GOOD;
}

/**
 * Was the end of the properties never written? The body's sum does not cover them, so a record torn there looks whole: the
 * rest of it is zero, as all bytes of a new file are. The rule: **the last record of the log counts as torn when its properties
 * are not empty and its last byte is NUL.** No text that this store appends ends with NUL (append adds the separator, which every
 * reader ignores), and records that have a valid one behind them are never asked. Java never writes such a text but for a
 * producer whose last property value ends with NUL.
 */
export function endsUnwritten(request: DispatchRequest): boolean {
  const { buffer, position, sizeBytes, propertiesLength } = request;
  return propertiesLength > 0 && buffer[position + sizeBytes - 1] === 0;
}

function isTopicName(request: DispatchRequest): boolean {
  const { bytes } = request.topicName;
  return bytes.length > 0 && !bytes.includes(0) && !bytes.includes(0x2f);
}
