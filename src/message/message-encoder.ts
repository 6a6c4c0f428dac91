// Room: message. Any thread; cold paths and tests (the store makes its records itself). One whole record as bytes,
// in the layout of message-layout.

import { crc32 } from 'node:zlib';
import { cometError } from '../base/errors.js';
import { MAX_PROPERTIES_BYTES, MAX_TOPIC_BYTES } from '../base/limits.js';
import type { MessageFields } from './message-ext.js';
import {
  BODY_CRC_POSITION,
  BORN_HOST_POSITION,
  BORN_TIMESTAMP_POSITION,
  bodyLengthPosition,
  FLAG_POSITION,
  MAGIC_POSITION,
  MESSAGE_MAGIC,
  PHYSICAL_OFFSET_POSITION,
  preparedTransactionOffsetPosition,
  QUEUE_ID_POSITION,
  QUEUE_OFFSET_POSITION,
  reconsumeTimesPosition,
  recordSize,
  SYS_FLAG_POSITION,
  storeHostPosition,
  storeTimestampPosition,
  writeInt16,
  writeInt32,
  writeInt64,
} from './message-layout.js';
import { withHostFlags } from './message-sys-flag.js';

/** The IPv6 bits of sysFlag follow the addresses. Throws MESSAGE_TOO_LARGE when topic or properties exceed their length fields. */
export function encodeMessage(message: MessageFields): Buffer {
  const { body, bornHost, storeHost } = message;
  const topic = bounded('topic', Buffer.from(message.topic), MAX_TOPIC_BYTES);
  const properties = bounded(
    'properties',
    Buffer.from(message.propertiesText),
    MAX_PROPERTIES_BYTES,
  );
  const bornV6 = bornHost.address.length === 16;
  const storeV6 = storeHost.address.length === 16;
  const sysFlag = withHostFlags(message.sysFlag, bornV6, storeV6);
  const size = recordSize(bornV6, storeV6, body.length, topic.length, properties.length);
  const record = Buffer.alloc(size);
  writeInt32(record, 0, size);
  writeInt32(record, MAGIC_POSITION, MESSAGE_MAGIC);
  writeInt32(record, BODY_CRC_POSITION, body.length === 0 ? 0 : bodyCrc(body));
  writeInt32(record, QUEUE_ID_POSITION, message.queueId);
  writeInt32(record, FLAG_POSITION, message.flag);
  writeInt64(record, QUEUE_OFFSET_POSITION, message.queueOffset);
  writeInt64(record, PHYSICAL_OFFSET_POSITION, message.physicalOffset);
  writeInt32(record, SYS_FLAG_POSITION, sysFlag);
  writeInt64(record, BORN_TIMESTAMP_POSITION, message.bornTimestamp);
  writeHost(record, BORN_HOST_POSITION, bornHost);
  writeInt64(record, storeTimestampPosition(sysFlag), message.storeTimestamp);
  writeHost(record, storeHostPosition(sysFlag), storeHost);
  writeInt32(record, reconsumeTimesPosition(sysFlag), message.reconsumeTimes);
  writeInt64(record, preparedTransactionOffsetPosition(sysFlag), message.preparedTransactionOffset);
  let position = bodyLengthPosition(sysFlag);
  writeInt32(record, position, body.length);
  record.set(body, position + 4);
  position += 4 + body.length;
  record[position] = topic.length;
  record.set(topic, position + 1);
  position += 1 + topic.length;
  writeInt16(record, position, properties.length);
  record.set(properties, position + 2);
  return record;
}

/** CRC-32 of a stored body, without its highest bit. */
export function bodyCrc(body: Uint8Array): number {
  return crc32(body) & 0x7fff_ffff;
}

function bounded(what: string, bytes: Buffer, limit: number): Buffer {
  if (bytes.length <= limit) return bytes;
  throw cometError('MESSAGE_TOO_LARGE', `its ${what} of ${bytes.length} bytes is above ${limit}`);
}

function writeHost(
  record: Buffer,
  position: number,
  host: { readonly address: Uint8Array; readonly port: number },
): void {
  record.set(host.address, position);
  writeInt32(record, position + host.address.length, host.port);
}
