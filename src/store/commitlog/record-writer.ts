// Room: store. Owner of the log only; hot (bench/50-append): nothing is allocated. Makes one record in the log's stage, every byte of it,
// in the layout that message/message-layout.ts draws. `!` is used: the caller has checked that the record fits.

import { assert } from '../../base/assert.js';
import { MAX_PROPERTIES_BYTES } from '../../base/limits.js';
import {
  BODY_CRC_POSITION,
  BORN_HOST_POSITION,
  BORN_TIMESTAMP_POSITION,
  FLAG_POSITION,
  MAGIC_POSITION,
  MESSAGE_MAGIC,
  PHYSICAL_OFFSET_POSITION,
  QUEUE_ID_POSITION,
  QUEUE_OFFSET_POSITION,
  SYS_FLAG_POSITION,
  writeInt16,
  writeInt32,
  writeInt64,
} from '../../message/message-layout.js';
import { copyRecordParts } from '../../native/record-copy.js';
import type { AppendRequest } from './append-request.js';

/** Below this a loop beats the making of a view (see bench/50-append). */
const LOOP_COPY_BYTES = 48;

export class RecordWriter {
  // Of the record that is written next.
  sizeBytes = 0;
  sysFlag = 0;
  queueOffset = 0;
  physicalOffset = 0;
  storeTimestamp = 0;
  storeHost: Uint8Array = new Uint8Array(4);
  storePort = 0;

  /**
   * All of the record but for what may follow the given properties: storedLength is the length of the text as it is stored.
   * @returns the position behind the given properties.
   */
  write(
    target: Uint8Array,
    start: number,
    request: AppendRequest,
    topic: Uint8Array,
    flag: number,
    bodyStart: number,
    bodyLength: number,
    properties: Uint8Array,
    propertiesStart: number,
    propertiesLength: number,
    storedLength: number,
  ): number {
    const bornHost = request.bornHost;
    const storeTimestampAt = start + BORN_HOST_POSITION + bornHost.length + 4;
    const bodyAt = storeTimestampAt + 8 + this.storeHost.length + 4 + 16;
    const propertiesAt = bodyAt + bodyLength + 1 + topic.length + 2;
    const crc = copyRecordParts(
      target,
      bodyAt,
      request.body,
      bodyStart,
      bodyLength,
      propertiesAt,
      properties,
      propertiesStart,
      propertiesLength,
    );
    assert(crc >= 0, 'a record lies outside its file');
    writeInt32(target, start + BODY_CRC_POSITION, crc);
    writeInt32(target, start + QUEUE_ID_POSITION, request.queueId);
    writeInt32(target, start + FLAG_POSITION, flag);
    writeInt64(target, start + QUEUE_OFFSET_POSITION, this.queueOffset);
    writeInt64(target, start + PHYSICAL_OFFSET_POSITION, this.physicalOffset);
    writeInt32(target, start + SYS_FLAG_POSITION, this.sysFlag);
    writeInt64(target, start + BORN_TIMESTAMP_POSITION, request.bornTimestamp);
    writeHost(target, start + BORN_HOST_POSITION, bornHost, request.bornPort);
    writeInt64(target, storeTimestampAt, this.storeTimestamp);
    const at = writeHost(target, storeTimestampAt + 8, this.storeHost, this.storePort);
    writeInt32(target, at, request.reconsumeTimes);
    writeInt64(target, at + 4, request.preparedTransactionOffset);
    writeInt32(target, at + 12, bodyLength);
    const topicAt = bodyAt + bodyLength;
    target[topicAt] = topic.length;
    for (let i = 0; i < topic.length; i++) target[topicAt + 1 + i] = topic[i]!;
    writeInt16(target, propertiesAt - 2, storedLength);
    writeInt32(target, start + MAGIC_POSITION, MESSAGE_MAGIC);
    writeInt32(target, start, this.sizeBytes);
    return propertiesAt + propertiesLength;
  }
}

export function copyBytes(
  target: Uint8Array,
  targetStart: number,
  source: Uint8Array,
  start: number,
  lengthBytes: number,
): void {
  if (lengthBytes < LOOP_COPY_BYTES) {
    for (let i = 0; i < lengthBytes; i++) target[targetStart + i] = source[start + i]!;
  } else {
    target.set(new Uint8Array(source.buffer, source.byteOffset + start, lengthBytes), targetStart);
  }
}

function writeHost(target: Uint8Array, at: number, address: Uint8Array, port: number): number {
  const size = address.length;
  for (let i = 0; i < size; i++) target[at + i] = address[i]!;
  writeInt32(target, at + size, port);
  return at + size + 4;
}

/**
 * A text whose last byte is NUL gets a separator behind it, which no reader minds: a record that ends with NUL then is one that was
 * never written to its end (recovery/record-check).
 */
export function closingLength(request: AppendRequest): number {
  const { properties, propertiesStart, propertiesLength } = request;
  if (propertiesLength === 0 || propertiesLength >= MAX_PROPERTIES_BYTES) return 0;
  return properties[propertiesStart + propertiesLength - 1] === 0 ? 1 : 0;
}
