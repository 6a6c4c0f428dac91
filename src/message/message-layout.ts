// Room: message. Any thread. Hot (bench/01): no allocation. The record as it lies in the CommitLog and travels in pull bodies,
// and the two readers of 64-bit numbers that everything else uses. `!` is used: positions are checked by the callers.
// Follows storage.md 3.1. All numbers are big-endian and signed.
//
//   0 totalSize 4 │ 4 magic 4 │ 8 bodyCRC 4 │ 12 queueId 4 │ 16 flag 4 │ 20 queueOffset 8 │ 28 physicalOffset 8
//  36 sysFlag 4 │ 40 bornTimestamp 8 │ 48 bornHost 4|16 + port 4 │ storeTimestamp 8 │ storeHost 4|16 + port 4
//     reconsumeTimes 4 │ preparedTransactionOffset 8 │ bodyLength 4 + body │ topicLength 1 + topic │ propertiesLength 2 + properties

import { BORNHOST_V6_FLAG, STOREHOST_V6_FLAG } from './message-sys-flag.js';

export const MESSAGE_MAGIC = -626_843_481; // 0xDAA320A7
/** The tail of a segment that no record fitted in. */
export const BLANK_MAGIC = -875_286_124; // 0xCBD43194

export const TOTAL_SIZE_POSITION = 0;
export const MAGIC_POSITION = 4;
export const BODY_CRC_POSITION = 8;
export const QUEUE_ID_POSITION = 12;
export const FLAG_POSITION = 16;
export const QUEUE_OFFSET_POSITION = 20;
export const PHYSICAL_OFFSET_POSITION = 28;
export const SYS_FLAG_POSITION = 36;
export const BORN_TIMESTAMP_POSITION = 40;
export const BORN_HOST_POSITION = 48;

export const IPV4_HOST_BYTES = 8;
export const IPV6_HOST_BYTES = 20;
/** Everything of a record but body, topic and properties, with two IPv4 hosts. */
export const FIXED_RECORD_BYTES = 91;
const IPV6_EXTRA_BYTES = IPV6_HOST_BYTES - IPV4_HOST_BYTES;

export function recordSize(
  bornV6: boolean,
  storeV6: boolean,
  bodyLength: number,
  topicLength: number,
  propertiesLength: number,
): number {
  const hosts = (bornV6 ? IPV6_EXTRA_BYTES : 0) + (storeV6 ? IPV6_EXTRA_BYTES : 0);
  return FIXED_RECORD_BYTES + hosts + bodyLength + topicLength + propertiesLength;
}

/** 56 or 68, within the record. */
export function storeTimestampPosition(sysFlag: number): number {
  return (sysFlag & BORNHOST_V6_FLAG) === 0 ? 56 : 68;
}

export function storeHostPosition(sysFlag: number): number {
  return storeTimestampPosition(sysFlag) + 8;
}

export function reconsumeTimesPosition(sysFlag: number): number {
  const storeHost = (sysFlag & STOREHOST_V6_FLAG) === 0 ? IPV4_HOST_BYTES : IPV6_HOST_BYTES;
  return storeHostPosition(sysFlag) + storeHost;
}

export function preparedTransactionOffsetPosition(sysFlag: number): number {
  return reconsumeTimesPosition(sysFlag) + 4;
}

/** 84, 96 or 108: where the four bytes of the body length lie within the record. */
export function bodyLengthPosition(sysFlag: number): number {
  return reconsumeTimesPosition(sysFlag) + 12;
}

const TWO_POW_32 = 0x1_0000_0000;

export function readInt32(bytes: Uint8Array, position: number): number {
  return (
    (bytes[position]! << 24) |
    (bytes[position + 1]! << 16) |
    (bytes[position + 2]! << 8) |
    bytes[position + 3]!
  );
}

export function writeInt32(bytes: Uint8Array, position: number, value: number): void {
  bytes[position] = value >>> 24;
  bytes[position + 1] = value >>> 16;
  bytes[position + 2] = value >>> 8;
  bytes[position + 3] = value;
}

/** Exact within ±(2^53−1); beyond it the nearest double. readBigInt64BE is for values that must be exact whatever they are. */
export function readInt64(bytes: Uint8Array, position: number): number {
  return readInt32(bytes, position) * TWO_POW_32 + (readInt32(bytes, position + 4) >>> 0);
}

/** Whole numbers; what a double can't hold as int64 (2^63, from Long.MAX_VALUE rounded up) is written as Long.MAX_VALUE. */
export function writeInt64(bytes: Uint8Array, position: number, value: number): void {
  const high = Math.floor(value / TWO_POW_32);
  if (high > 0x7fff_ffff) {
    writeInt32(bytes, position, 0x7fff_ffff);
    writeInt32(bytes, position + 4, -1);
    return;
  }
  writeInt32(bytes, position, high);
  writeInt32(bytes, position + 4, (value - high * TWO_POW_32) | 0);
}

export function readInt16(bytes: Uint8Array, position: number): number {
  return ((bytes[position]! << 24) >> 16) | bytes[position + 1]!;
}

export function writeInt16(bytes: Uint8Array, position: number, value: number): void {
  bytes[position] = value >>> 8;
  bytes[position + 1] = value;
}
