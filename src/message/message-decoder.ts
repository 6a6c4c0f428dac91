// Room: message. Any thread; cold paths, the client and the tools. Reads whole records (storage.md 3.1) out of pull bodies and log
// pieces. Nothing that it returns refers to the buffer it read: bodies are copies.
// Always holds: any bytes give a message or null; decoding stops at the first record that can not be read, as Java does.

import type { MessageExt } from './message-ext.js';
import { messageIdOfBytes } from './message-id.js';
import {
  BODY_CRC_POSITION,
  BORN_HOST_POSITION,
  BORN_TIMESTAMP_POSITION,
  bodyLengthPosition,
  FIXED_RECORD_BYTES,
  FLAG_POSITION,
  MAGIC_POSITION,
  MESSAGE_MAGIC,
  PHYSICAL_OFFSET_POSITION,
  QUEUE_ID_POSITION,
  QUEUE_OFFSET_POSITION,
  readInt32,
  readInt64,
  reconsumeTimesPosition,
  recordSize,
  SYS_FLAG_POSITION,
  storeHostPosition,
  storeTimestampPosition,
} from './message-layout.js';
import { decodeProperties } from './message-properties.js';
import { BORNHOST_V6_FLAG, STOREHOST_V6_FLAG } from './message-sys-flag.js';

/** All records that lie back to back in the buffer, up to the first that can not be read. */
export function decodeMessages(buffer: Buffer): MessageExt[] {
  const messages: MessageExt[] = [];
  let position = 0;
  while (position < buffer.length) {
    const message = decodeMessage(buffer, position);
    if (message === null) break;
    messages.push(message);
    position += message.storeSize;
  }
  return messages;
}

/** The record at the position; null when there is none, it is a blank, or its lengths do not fit together. */
export function decodeMessage(buffer: Buffer, position: number): MessageExt | null {
  const layout = recordLayout(buffer, position);
  if (layout === null) return null;
  const { sysFlag, bodyStart, topicStart, propertiesStart, end } = layout;
  const at = (offset: number) => position + offset;
  const propertiesText = buffer.toString('utf8', propertiesStart, end);
  const storeHost = hostAt(
    buffer,
    at(storeHostPosition(sysFlag)),
    (sysFlag & STOREHOST_V6_FLAG) !== 0,
  );
  return {
    storeSize: end - position,
    bodyCrc: readInt32(buffer, at(BODY_CRC_POSITION)),
    queueId: readInt32(buffer, at(QUEUE_ID_POSITION)),
    flag: readInt32(buffer, at(FLAG_POSITION)),
    queueOffset: readInt64(buffer, at(QUEUE_OFFSET_POSITION)),
    physicalOffset: readInt64(buffer, at(PHYSICAL_OFFSET_POSITION)),
    sysFlag,
    bornTimestamp: readInt64(buffer, at(BORN_TIMESTAMP_POSITION)),
    bornHost: hostAt(buffer, at(BORN_HOST_POSITION), (sysFlag & BORNHOST_V6_FLAG) !== 0),
    storeTimestamp: readInt64(buffer, at(storeTimestampPosition(sysFlag))),
    storeHost,
    reconsumeTimes: readInt32(buffer, at(reconsumeTimesPosition(sysFlag))),
    preparedTransactionOffset: readInt64(buffer, at(reconsumeTimesPosition(sysFlag) + 4)),
    body: Buffer.from(buffer.subarray(bodyStart, topicStart - 1)),
    topic: buffer.toString('utf8', topicStart, propertiesStart - 2),
    propertiesText,
    properties: decodeProperties(propertiesText),
    offsetMsgId: offsetMsgIdAt(
      buffer,
      at(storeHostPosition(sysFlag)),
      storeHost.address.length,
      at(0),
    ),
  };
}

export interface RecordLayout {
  readonly sysFlag: number;
  readonly bodyStart: number;
  readonly topicStart: number;
  readonly propertiesStart: number;
  readonly end: number;
}

/** Where the three variable parts lie, or null when the lengths contradict each other or the buffer. */
export function recordLayout(buffer: Buffer, position: number): RecordLayout | null {
  const available = buffer.length - position;
  if (available < FIXED_RECORD_BYTES) return null;
  const size = readInt32(buffer, position);
  if (size < FIXED_RECORD_BYTES || size > available) return null;
  if (readInt32(buffer, position + MAGIC_POSITION) !== MESSAGE_MAGIC) return null;
  const end = position + size;
  const sysFlag = readInt32(buffer, position + SYS_FLAG_POSITION);
  const bodyStart = position + bodyLengthPosition(sysFlag) + 4;
  if (bodyStart > end) return null;
  const bodyLength = readInt32(buffer, bodyStart - 4);
  const topicStart = bodyStart + bodyLength + 1;
  if (bodyLength < 0 || topicStart > end) return null;
  const topicLength = buffer.readInt8(topicStart - 1);
  const propertiesStart = topicStart + topicLength + 2;
  if (topicLength < 0 || propertiesStart > end) return null;
  const propertiesLength = buffer.readInt16BE(propertiesStart - 2);
  const bornV6 = (sysFlag & BORNHOST_V6_FLAG) !== 0;
  const storeV6 = (sysFlag & STOREHOST_V6_FLAG) !== 0;
  const expected = recordSize(bornV6, storeV6, bodyLength, topicLength, propertiesLength);
  if (propertiesLength < 0 || expected !== size) return null;
  return { sysFlag, bodyStart, topicStart, propertiesStart, end };
}

function hostAt(buffer: Buffer, position: number, v6: boolean) {
  const addressEnd = position + (v6 ? 16 : 4);
  return {
    address: Buffer.from(buffer.subarray(position, addressEnd)),
    port: readInt32(buffer, addressEnd),
  };
}

/** From the bytes, so that it is exact even for offsets that no number holds. */
function offsetMsgIdAt(
  buffer: Buffer,
  hostPosition: number,
  addressBytes: number,
  recordPosition: number,
): string {
  const physical = recordPosition + PHYSICAL_OFFSET_POSITION;
  return messageIdOfBytes(
    buffer.subarray(hostPosition, hostPosition + addressBytes + 4),
    buffer.subarray(physical, physical + 8),
  );
}
