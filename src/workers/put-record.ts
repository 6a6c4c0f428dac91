// Room: workers. The PUT record (main to commitlog worker) and its answer: an append that the control plane asks for. Written on
// main, read in the commitlog worker. Layouts are drawn in ring-records.ts.

import { copyBytes } from '../native/copy-bytes.js';
import type { AppendRequest } from '../store/commitlog/commit-log.js';
import type { MessageToPut, PutMessageResult } from '../store/message-store.js';
import { PutMessageStatus } from '../store/put-message.js';
import {
  highWord,
  joinWords,
  PUT_BORN_IPV6,
  PUT_DELAY_SERVED,
  PUT_HAS_STORE_HOST,
  PUT_HEADER_BYTES,
  PUT_STORE_IPV6,
  PUT_WAIT,
} from './ring-records.js';

export function putSize(message: MessageToPut): number {
  const textBytes = Buffer.byteLength(message.topic) + Buffer.byteLength(message.properties);
  return PUT_HEADER_BYTES + textBytes + message.body.length;
}

/** Writes putSize() bytes. */
export function writePut(out: Buffer, at: number, requestId: number, message: MessageToPut): void {
  const { body, bornHost, storeHost } = message;
  const topicAt = at + PUT_HEADER_BYTES;
  const propertiesAt = topicAt + out.write(message.topic, topicAt, 'utf8');
  const bodyAt = propertiesAt + out.write(message.properties, propertiesAt, 'utf8');
  writeLong(out, at, requestId);
  out.writeInt32LE(message.queueId, at + 8);
  out.writeInt32LE(message.flag, at + 12);
  out.writeInt32LE(message.sysFlag, at + 16);
  out.writeInt32LE(message.reconsumeTimes, at + 20);
  writeLong(out, at + 24, message.bornTimestamp);
  out.writeInt32LE(message.bornPort, at + 32);
  out.writeInt32LE(storeHost?.port ?? 0, at + 36);
  writeLong(out, at + 40, message.preparedTransactionOffset);
  out.writeInt32LE(putFlags(message), at + 48);
  out.writeInt32LE(propertiesAt - topicAt, at + 52);
  out.writeInt32LE(bodyAt - propertiesAt, at + 56);
  out.writeInt32LE(body.length, at + 60);
  out.set(bornHost, at + 64);
  if (storeHost !== undefined) out.set(storeHost.address, at + 80);
  copyBytes(out, bodyAt, body, 0, body.length);
}

function putFlags({ bornHost, storeHost, waitStoreMsgOk, isDelayServed }: MessageToPut): number {
  let flags = bornHost.length === 16 ? PUT_BORN_IPV6 : 0;
  if (waitStoreMsgOk) flags |= PUT_WAIT;
  if (isDelayServed === true) flags |= PUT_DELAY_SERVED;
  if (storeHost !== undefined) {
    flags |= PUT_HAS_STORE_HOST | (storeHost.address.length === 16 ? PUT_STORE_IPV6 : 0);
  }
  return flags;
}

export interface DecodedPut {
  readonly requestId: number;
  readonly waitStoreMsgOk: boolean;
  readonly isDelayServed: boolean;
  readonly propertiesText: string;
}

/** Fills the append from the record; its body stays in the ring. */
export function decodePut(bytes: Buffer, at: number, request: AppendRequest): DecodedPut {
  const flags = bytes.readInt32LE(at + 48);
  const topicLength = bytes.readInt32LE(at + 52);
  const propertiesLength = bytes.readInt32LE(at + 56);
  const topicAt = at + PUT_HEADER_BYTES;
  const propertiesAt = topicAt + topicLength;
  request.topic = bytes.toString('utf8', topicAt, propertiesAt);
  request.queueId = bytes.readInt32LE(at + 8);
  request.flag = bytes.readInt32LE(at + 12);
  request.sysFlag = bytes.readInt32LE(at + 16);
  request.reconsumeTimes = bytes.readInt32LE(at + 20);
  request.bornTimestamp = readLong(bytes, at + 24);
  request.bornHost = Buffer.from(
    bytes.subarray(at + 64, at + 64 + ((flags & PUT_BORN_IPV6) !== 0 ? 16 : 4)),
  );
  request.bornPort = bytes.readInt32LE(at + 32);
  if ((flags & PUT_HAS_STORE_HOST) !== 0) {
    request.storeHost = Buffer.from(
      bytes.subarray(at + 80, at + 80 + ((flags & PUT_STORE_IPV6) !== 0 ? 16 : 4)),
    );
    request.storePort = bytes.readInt32LE(at + 36);
  }
  request.preparedTransactionOffset = readLong(bytes, at + 40);
  request.properties = bytes;
  request.propertiesStart = propertiesAt;
  request.propertiesLength = propertiesLength;
  request.body = bytes;
  request.bodyStart = propertiesAt + propertiesLength;
  request.bodyLength = bytes.readInt32LE(at + 60);
  return {
    requestId: readLong(bytes, at),
    waitStoreMsgOk: (flags & PUT_WAIT) !== 0,
    isDelayServed: (flags & PUT_DELAY_SERVED) !== 0,
    propertiesText: bytes.toString('utf8', propertiesAt, propertiesAt + propertiesLength),
  };
}

export interface PutResultRecord {
  readonly requestId: number;
  readonly status: PutMessageStatus;
  readonly waitFor: number;
  readonly wroteEnd: number;
  readonly queueOffset: number;
  readonly physicalOffset: number;
  readonly storeTimestamp: number;
}

export function encodePutResult(bytes: Buffer, at: number, result: PutResultRecord): void {
  writeLong(bytes, at, result.requestId);
  bytes.writeInt32LE(result.status, at + 8);
  bytes.writeInt32LE(result.waitFor, at + 12);
  writeLong(bytes, at + 16, result.wroteEnd);
  writeLong(bytes, at + 24, result.queueOffset);
  writeLong(bytes, at + 32, result.physicalOffset);
  writeLong(bytes, at + 40, result.storeTimestamp);
}

export function decodePutResult(bytes: Buffer, at: number): PutResultRecord {
  return {
    requestId: readLong(bytes, at),
    status: bytes.readInt32LE(at + 8) as PutMessageStatus,
    waitFor: bytes.readInt32LE(at + 12),
    wroteEnd: readLong(bytes, at + 16),
    queueOffset: readLong(bytes, at + 24),
    physicalOffset: readLong(bytes, at + 32),
    storeTimestamp: readLong(bytes, at + 40),
  };
}

/** The answer that the control plane sees. */
export class PutAnswer implements PutMessageResult {
  readonly status: PutMessageStatus;
  readonly queueOffset: number;
  readonly physicalOffset: number;
  readonly storeTimestamp: number;
  readonly wroteEnd: number;
  readonly #isAppended: boolean;
  readonly #messageId: (physicalOffset: number) => string;

  constructor(
    record: PutResultRecord,
    status: PutMessageStatus,
    messageId: (physicalOffset: number) => string,
  ) {
    this.status = status;
    this.queueOffset = record.queueOffset;
    this.physicalOffset = record.physicalOffset;
    this.storeTimestamp = record.storeTimestamp;
    this.wroteEnd = record.wroteEnd;
    this.#isAppended = record.status === PutMessageStatus.PUT_OK;
    this.#messageId = messageId;
  }

  /** Made when somebody asks: most puts of the control plane are deliveries, and there nobody does. */
  get msgId(): string {
    return this.#isAppended ? this.#messageId(this.physicalOffset) : '';
  }
}

function writeLong(bytes: Buffer, at: number, value: number): void {
  const high = highWord(value);
  bytes.writeInt32LE((value - high * 0x1_0000_0000) | 0, at);
  bytes.writeInt32LE(high | 0, at + 4);
}

function readLong(bytes: Buffer, at: number): number {
  return joinWords(bytes.readInt32LE(at), bytes.readInt32LE(at + 4));
}
