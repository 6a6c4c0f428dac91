// Test support: a small store made here, whose whole content is known, and a reader that takes it all out again through the paths that
// consumers use.

import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '../../src/base/clock.js';
import { DEFAULT_DELAY_LEVELS } from '../../src/message/delay-level-table.js';
import { encodeMessage } from '../../src/message/message-encoder.js';
import { BLANK_MAGIC, writeInt32 } from '../../src/message/message-layout.js';
import { decodeProperties } from '../../src/message/message-properties.js';
import { StoreSummarizer } from '../../src/store/dispatch/store-summarizer.js';
import { GetMessage } from '../../src/store/get/get-message.js';
import { queryMessage } from '../../src/store/get/query-message.js';
import { RecordGuard } from '../../src/store/get/record-guard.js';
import {
  type OpenedStore,
  openStore,
  type RecoveryConfig,
} from '../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../src/store/recovery/recovery-log.js';
import { storeConfig } from './golden-store.js';

export const LOG_FILE_BYTES = 16_384;
export const FIRST_STORE_TIME = 1_700_000_000_000;

export interface SmallMessage {
  readonly topic: string;
  readonly queueId: number;
  readonly body: string;
  readonly properties: string;
}

export interface StoredMessage extends SmallMessage {
  readonly physicalOffset: number;
  readonly sizeBytes: number;
  readonly queueOffset: number;
}

/** Log files of 16 KiB, queue files of 20 entries, index files of 39 keys. */
export function smallConfig(root: string): RecoveryConfig {
  return storeConfig(root, {
    mappedFileSizeCommitLog: LOG_FILE_BYTES,
    mappedFileSizeConsumeQueue: 400,
    maxHashSlotNum: 16,
    maxIndexNum: 40,
  });
}

export const getConfig = {
  messageDelayLevel: DEFAULT_DELAY_LEVELS,
  maxTransferBytesOnMessageInMemory: 262_144,
  maxTransferCountOnMessageInMemory: 32,
  maxTransferBytesOnMessageInDisk: 65_536,
  maxTransferCountOnMessageInDisk: 8,
  accessMessageInMemoryMaxRatio: 40,
  offsetCheckInSlave: false,
  isSlave: false,
};

export function message(i: number, topic = 'T', queueId = i % 2, bodyBytes = 200): SmallMessage {
  const body = `body of ${topic} ${i} `.padEnd(bodyBytes, 'abcdefghij');
  return { topic, queueId, body, properties: `KEYS\u0001k${i}\u0002TAGS\u0001t${i % 3}` };
}

/** So many messages; the first fifth goes to a queue of topic Q that is quiet from then on. */
export function messages(count: number): SmallMessage[] {
  const quiet = Math.floor(count / 5);
  return Array.from({ length: count }, (_, i) =>
    i < quiet ? message(i, 'Q', 0) : message(i, 'T', i % 2),
  );
}

/** Writes log files as a broker would, rolling over with blanks. */
export function writeLog(root: string, messages: readonly SmallMessage[]): StoredMessage[] {
  const stored: StoredMessage[] = [];
  const next = new Map<string, number>();
  let file = Buffer.alloc(LOG_FILE_BYTES);
  let fileStart = 0;
  let position = 0;
  for (const [i, item] of messages.entries()) {
    const queue = `${item.topic}-${item.queueId}`;
    const queueOffset = next.get(queue) ?? 0;
    next.set(queue, queueOffset + 1);
    const encode = () => encodeRecord(item, queueOffset, fileStart + position, i);
    let record = encode();
    if (position + record.length + 8 > LOG_FILE_BYTES) {
      writeInt32(file, position, LOG_FILE_BYTES - position);
      writeInt32(file, position + 4, BLANK_MAGIC);
      writeLogFile(root, fileStart, file);
      file = Buffer.alloc(LOG_FILE_BYTES);
      fileStart += LOG_FILE_BYTES;
      position = 0;
      record = encode();
    }
    file.set(record, position);
    stored.push({
      ...item,
      queueOffset,
      physicalOffset: fileStart + position,
      sizeBytes: record.length,
    });
    position += record.length;
  }
  writeLogFile(root, fileStart, file);
  return stored;
}

export function encodeRecord(
  item: SmallMessage,
  queueOffset: number,
  physicalOffset: number,
  i: number,
): Buffer {
  return encodeMessage({
    topic: item.topic,
    queueId: item.queueId,
    flag: 0,
    sysFlag: 0,
    queueOffset,
    physicalOffset,
    bornTimestamp: FIRST_STORE_TIME + i * 10 - 1,
    bornHost: { address: Buffer.from([127, 0, 0, 1]), port: 40_000 },
    storeTimestamp: FIRST_STORE_TIME + i * 10,
    storeHost: { address: Buffer.from([127, 0, 0, 1]), port: 10_911 },
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(item.body),
    propertiesText: item.properties,
  });
}

export function writeLogFile(root: string, fileStart: number, bytes: Buffer): void {
  mkdirSync(join(root, 'commitlog'), { recursive: true });
  writeFileSync(logPath(root, fileStart), bytes);
}

export function logPath(root: string, fileStart: number): string {
  return join(root, 'commitlog', String(fileStart).padStart(20, '0'));
}

/** Overwrites bytes at a position of a file. */
export function patch(path: string, position: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  fsyncSync(file);
  closeSync(file);
}

/** Derives queues and index, and stops as the broker does: cleanly, or by a crash some time after the last summary. */
export function settle(root: string, how: 'clean' | 'crash'): void {
  const opened = openStore(smallConfig(root), new ManualClock());
  writeSummaryOf(root, opened, how === 'clean');
  close(opened);
  const checkpoint = Buffer.alloc(4_096);
  checkpoint.writeBigInt64BE(BigInt(FIRST_STORE_TIME), 0);
  checkpoint.writeBigInt64BE(BigInt(FIRST_STORE_TIME), 8);
  writeFileSync(join(root, 'checkpoint'), checkpoint);
  if (how === 'crash') writeFileSync(join(root, 'abort'), '');
}

export function writeSummaryOf(root: string, opened: OpenedStore, isClean: boolean): void {
  const { table, index, deletedTopics, state } = opened;
  const bounds = () => ({ minOffset: state.minOffset, maxOffset: state.maxOffset });
  new StoreSummarizer(root, table, index, deletedTopics, bounds).write(isClean);
}

export function close(opened: OpenedStore): void {
  opened.table.close();
  opened.index.close();
}

export interface Content {
  /** `topic-queueId` -> bodies by queue offset; null where nothing is served. */
  readonly queues: Record<string, (string | null)[]>;
  /** Bodies that the key of each message finds. */
  readonly byKey: Record<string, string[]>;
  /** Records that were asked for and are damaged. */
  readonly damagedReads: number;
}

/** All that a consumer can get, one pull after another, and all that the keys find. */
export function readAll(root: string, opened: OpenedStore, keys: readonly string[]): Content {
  const log = new RecoveryLog(smallConfig(root));
  log.load();
  log.endOffset = opened.state.maxOffset;
  const guard = new RecordGuard(opened.state.verifiedFrom, opened.state.holes);
  const get = new GetMessage(opened.table, log, getConfig, guard);
  const queues: Record<string, (string | null)[]> = {};
  for (const queue of opened.table.queues()) {
    const bodies: (string | null)[] = Array(queue.maxOffset).fill(null);
    const sink = {
      onRecord(buffer: Buffer, position: number, _size: number, queueOffset: number) {
        const length = buffer.readInt32BE(position + 84);
        bodies[queueOffset] = buffer.toString('utf8', position + 88, position + 88 + length);
        return true;
      },
    };
    for (let at = queue.minOffset; at < queue.maxOffset; at = get.nextBeginOffset) {
      get.get(queue.topic, queue.queueId, at, 32, null, sink);
      if (get.nextBeginOffset <= at) throw new Error(`no progress at ${at}`);
    }
    if (bodies.length > 0) queues[`${queue.topic}-${queue.queueId}`] = bodies;
  }
  const byKey: Record<string, string[]> = {};
  for (const key of keys) {
    const found = queryMessage(opened.index, log, 'T', key, 64, 0, Number.MAX_SAFE_INTEGER);
    const isOwn = (record: Buffer) => record.includes(`KEYS\u0001${key}\u0002`);
    byKey[key] = found.records
      .filter(isOwn)
      .map((record) => record.toString('utf8', 88, 88 + record.readInt32BE(84)));
  }
  log.close();
  return { queues, byKey, damagedReads: guard.damagedReads + get.repairedEntries };
}

/** What readAll must give for the messages. */
export function contentOf(messages: readonly StoredMessage[]): Content {
  const queues: Record<string, (string | null)[]> = {};
  const byKey: Record<string, string[]> = {};
  for (const { topic, queueId, body, properties } of messages) {
    const name = `${topic}-${queueId}`;
    queues[name] = [...(queues[name] ?? []), body];
    const key = decodeProperties(properties).get('KEYS');
    if (topic === 'T' && key !== undefined) byKey[key] = [...(byKey[key] ?? []), body];
  }
  return { queues, byKey, damagedReads: 0 };
}
