// Room: store. Owner of the log only: the commitlog worker, or the ha worker on a slave. Hot (bench/50-append). Appends records to
// the last file of the log (storage.md 3 and 4), gives queue offsets, rolls over, and is the only writer of the cursors wroteOffset,
// storeTimestamp and logMinOffset.
//
// Always holds: bytes before wroteOffset never change; a record lies in one file and leaves 8 bytes free behind it; queue offsets
// move only when the record is written; store timestamps never go back. The next file is there before the blank at the end of the last
// one is written, so that a log that can not grow stays as it is and takes what still fits.
//
// A batch of work is: beginBatch, any number of appends, publishWroteOffset.

import type { Clock } from '../../base/clock.js';
import { isCometError } from '../../base/errors.js';
import {
  MAX_BATCH_MESSAGES,
  MAX_PROPERTIES_BYTES,
  RECORD_OVERHEAD_BYTES,
  SEGMENT_END_BYTES,
} from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import { BatchBodyReader } from '../../message/batch-codec.js';
import { PROPERTY_SEPARATOR_BYTE } from '../../message/message-const.js';
import { recordSize } from '../../message/message-layout.js';
import { isOutsideQueue, withHostFlags } from '../../message/message-sys-flag.js';
import type { CursorPage } from '../../ring/cursor.js';
import { LogFiles } from '../mapped/log-files.js';
import type { MappedFile } from '../mapped/mapped-file.js';
import { PutMessageStatus } from '../put-message.js';
import { RunningFlags } from '../running-flags.js';
import type { StoreConfig } from '../store-config.js';
import { StoreCursor } from '../store-cursors.js';
import { type AppendRequest, propertiesTooLong } from './append-request.js';
import { LogTail } from './log-tail.js';
import { endsWithNul, mergedLength, needsSeparator } from './merged-properties.js';
import { MultiDispatch } from './multi-dispatch.js';
import { closingLength, copyBytes, RecordWriter } from './record-writer.js';
import { type TopicQueues, TopicQueueTable } from './topic-queue-table.js';

export { AppendRequest } from './append-request.js';

const log = getLogger('commitlog');
/** Java answers a manual request with this many passes of the cleaner. */
const MANUAL_DELETE_PASSES = 20;
/** A file that could not be made is not asked for again before this time is over. */
const CREATE_RETRY_MS = 1000;

/** What recovery found; RecoveredState has it all. */
export interface CommitLogStart {
  readonly minOffset: number;
  /** End of the log. */
  readonly maxOffset: number;
  /** `topic-queueId` to the next queue offset. */
  readonly queueOffsets: ReadonlyMap<string, number>;
}

export interface CommitLogOptions {
  readonly config: StoreConfig;
  readonly cursors: CursorPage;
  readonly clock: Clock;
  readonly recovered: CommitLogStart;
  readonly runningFlags?: RunningFlags;
  /** Asks for the log's next file ahead of need; whoever makes it lets go of it at once. log-files.ts tells why that is no race. */
  readonly requestNextFile?: (path: string, sizeBytes: number) => void;
}

export class CommitLog {
  // Of the last append that was PUT_OK; of a batch, of its first message, but for lastWroteEnd.
  lastQueueOffset = 0;
  lastPhysicalOffset = 0;
  lastWroteEnd = 0;
  lastStoreTimestamp = 0;
  /** The first batchCount are valid. */
  readonly batchPhysicalOffsets: number[] = [];
  batchCount = 0;
  /** Passes that the cleaner still owes to manual requests. */
  manualDeletePasses = 0;
  readonly queues: TopicQueueTable;
  readonly #options: CommitLogOptions;
  readonly #tail: LogTail;
  readonly #flags: RunningFlags;
  readonly #writer = new RecordWriter();
  readonly #batchReader = new BatchBodyReader();
  readonly #multiDispatch: MultiDispatch | null;
  /** Why nothing is taken in, for the present batch of work. */
  #refusal: PutMessageStatus = PutMessageStatus.PUT_OK;
  #maxMessageSize: number;
  #batchStoreTimestamp = 0;
  #isClosed = false;
  #retryCreateMs = 0;

  constructor(options: CommitLogOptions) {
    this.#options = options;
    this.#flags = options.runningFlags ?? new RunningFlags();
    this.#maxMessageSize = options.config.maxMessageSize;
    this.queues = new TopicQueueTable(options.recovered.queueOffsets);
    const { enableMultiDispatch, enableLmq } = options.config;
    this.#multiDispatch = enableMultiDispatch ? new MultiDispatch(this.queues, enableLmq) : null;
    this.#tail = new LogTail(
      new LogFiles(options.config),
      options.recovered.maxOffset,
      options.requestNextFile ?? (() => {}),
    );
  }

  /** End of what was appended, published or not. */
  get wroteOffset(): number {
    return this.#tail.wroteOffset;
  }

  /** Start of the first file, -1 when there is none. */
  get minOffset(): number {
    return this.#tail.minOffset;
  }

  /** The oldest file, for the cleaner; null when it is the one that is appended to. */
  get oldestFile(): MappedFile | null {
    return this.#tail.oldestFile;
  }

  beginBatch(nowMs: number): void {
    if (nowMs > this.#batchStoreTimestamp) this.#batchStoreTimestamp = nowMs;
    this.#maxMessageSize = this.#options.config.maxMessageSize;
    this.#refusal = this.#whyRefused();
  }

  append(request: AppendRequest): PutMessageStatus {
    if (this.#refusal !== PutMessageStatus.PUT_OK) return this.#refusal;
    const topic = this.queues.find(request.topic);
    if (topic === null || request.queueId < 0) return PutMessageStatus.MESSAGE_ILLEGAL;
    const multi = this.#multiDispatch;
    if (multi !== null && !multi.wrap(request)) return PutMessageStatus.MESSAGE_ILLEGAL;
    const { bodyLength, propertiesLength } = request;
    if (propertiesLength > MAX_PROPERTIES_BYTES) return propertiesTooLong(request);
    if (bodyLength > this.#maxMessageSize) return PutMessageStatus.MESSAGE_ILLEGAL;
    const storedLength = propertiesLength + closingLength(request);
    const size = this.#sizeOf(request, topic, bodyLength, storedLength);
    const room = this.#makeRoom(size);
    if (room !== PutMessageStatus.PUT_OK) return room;

    const outside = isOutsideQueue(request.sysFlag);
    const queueOffset = outside ? 0 : topic.next(request.queueId);
    const physicalOffset = this.#tail.wroteOffset;
    this.#prepareWriter(request, queueOffset, physicalOffset);
    this.#writer.sizeBytes = size;
    const { stage, stagePosition } = this.#tail;
    const at = this.#writer.write(
      stage,
      stagePosition,
      request,
      topic.bytes,
      request.flag,
      request.bodyStart,
      bodyLength,
      request.properties,
      request.propertiesStart,
      propertiesLength,
      storedLength,
    );
    if (storedLength > propertiesLength) stage[at] = PROPERTY_SEPARATOR_BYTE;
    this.#tail.advance(size);
    if (!outside) {
      topic.set(request.queueId, queueOffset + 1);
      multi?.advance();
    }
    this.#setLast(queueOffset, physicalOffset);
    return PutMessageStatus.PUT_OK;
  }

  /** All messages of a batch body (storage.md 3.6), or none; all in one file. */
  appendBatch(request: AppendRequest): PutMessageStatus {
    if (this.#refusal !== PutMessageStatus.PUT_OK) return this.#refusal;
    const topic = this.queues.find(request.topic);
    if (topic === null || request.queueId < 0) return PutMessageStatus.MESSAGE_ILLEGAL;
    if (request.propertiesLength > MAX_PROPERTIES_BYTES) return propertiesTooLong(request);
    if (request.bodyLength > this.#maxMessageSize || isOutsideQueue(request.sysFlag)) {
      return PutMessageStatus.MESSAGE_ILLEGAL;
    }
    const size = this.#measureBatch(request, topic);
    if (size < 0) return -size as PutMessageStatus;
    const room = this.#makeRoom(size);
    if (room !== PutMessageStatus.PUT_OK) return room;

    const firstQueueOffset = topic.next(request.queueId);
    const firstPhysicalOffset = this.#tail.wroteOffset;
    this.#prepareWriter(request, firstQueueOffset, firstPhysicalOffset);
    const reader = this.#batchReader;
    reader.begin(request.body, request.bodyStart, request.bodyLength);
    for (let i = 0; reader.next(); i++) {
      this.batchPhysicalOffsets[i] = this.#writer.physicalOffset;
      this.#writeItem(request, topic);
    }
    topic.set(request.queueId, firstQueueOffset + this.batchCount);
    this.#setLast(firstQueueOffset, firstPhysicalOffset);
    return PutMessageStatus.PUT_OK;
  }

  /**
   * Bytes of the master's log, as they are. False when they don't begin where this log ends, don't fit into one file, or can't be
   * stored. A log without files begins where the first bytes do; no bytes at all make its first file.
   */
  appendRaw(physicalOffset: number, bytes: Uint8Array, start: number, length: number): boolean {
    const tail = this.#tail;
    if (this.#isClosed || this.#hasFailed()) return false;
    if (tail.isEmpty) tail.beginAt(physicalOffset);
    if (physicalOffset !== tail.wroteOffset || !this.#openNextFor(0)) return false;
    const file = tail.file!;
    if (length > file.sizeBytes - file.wrotePosition) return false;
    tail.reserve(length);
    copyBytes(tail.stage, tail.stagePosition, bytes, start, length);
    tail.advance(length);
    this.lastWroteEnd = tail.wroteOffset;
    return true;
  }

  /** Once a batch: writes everything appended and makes it visible to the other threads. Throws when the disk does not take it. */
  publishWroteOffset(): void {
    const { cursors } = this.#options;
    this.#tail.writeOut();
    this.#tail.askAhead();
    const { wroteOffset, minOffset } = this.#tail;
    if (minOffset >= 0 && cursors.get(StoreCursor.logMinOffset) !== minOffset) {
      cursors.set(StoreCursor.logMinOffset, minOffset);
    }
    // The time after the position: who reads them the other way round never takes a time for more than it covers.
    cursors.set(StoreCursor.wroteOffset, wroteOffset);
    cursors.set(StoreCursor.storeTimestamp, this.lastStoreTimestamp);
  }

  /** Queue offsets of these topics begin at 0 again. */
  forgetTopics(topics: readonly string[]): void {
    this.queues.forget(topics);
  }

  requestManualDelete(): void {
    this.manualDeletePasses = MANUAL_DELETE_PASSES;
  }

  /** Takes the oldest file out of the log: readers are told first. Its path, for deletion; null when the log has only one file. */
  dropOldestFile(): string | null {
    const dropped = this.#tail.dropOldest();
    if (dropped === null) return null;
    this.#options.cursors.set(StoreCursor.logMinOffset, this.#tail.minOffset);
    return dropped.path;
  }

  /** Lets go of the files, and of the next one when it was made and never used. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#refusal = PutMessageStatus.SERVICE_NOT_AVAILABLE;
    this.#tail.close();
  }

  #whyRefused(): PutMessageStatus {
    const isSlave = this.#options.config.brokerRole === 'SLAVE';
    const open = !this.#isClosed && !isSlave && this.#flags.isWritable() && !this.#hasFailed();
    return open ? PutMessageStatus.PUT_OK : PutMessageStatus.SERVICE_NOT_AVAILABLE;
  }

  #hasFailed(): boolean {
    return this.#options.cursors.get(StoreCursor.storeFailed) !== 0;
  }

  #sizeOf(
    request: AppendRequest,
    topic: TopicQueues,
    bodyLength: number,
    propertiesLength: number,
  ): number {
    return recordSize(
      request.bornHost.length === 16,
      this.#storeHostOf(request).length === 16,
      bodyLength,
      topic.bytes.length,
      propertiesLength,
    );
  }

  #storeHostOf(request: AppendRequest): Uint8Array {
    return request.storeHost.length === 0
      ? this.#options.config.storeHostAddress
      : request.storeHost;
  }

  #makeRoom(size: number): PutMessageStatus {
    if (!this.#tail.fits(size)) {
      const isTooLarge = size + SEGMENT_END_BYTES > this.#options.config.mappedFileSizeCommitLog;
      if (isTooLarge) return PutMessageStatus.MESSAGE_ILLEGAL;
      if (!this.#openNextFor(size)) return PutMessageStatus.CREATE_MAPEDFILE_FAILED;
    }
    this.#tail.reserve(size);
    return PutMessageStatus.PUT_OK;
  }

  /** Rolls over unless the size fits (0: unless the file has any room). False when the next file can't be had. */
  #openNextFor(size: number): boolean {
    const tail = this.#tail;
    if (size === 0 ? tail.file !== null && !tail.isFull : tail.fits(size)) return true;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs < this.#retryCreateMs) return false;
    let next: MappedFile;
    try {
      next = tail.addNext();
    } catch (error) {
      this.#retryCreateMs = nowMs + CREATE_RETRY_MS;
      log.error('the next file of the commit log can not be made', { err: error });
      return false;
    }
    tail.rollOver(next);
    return true;
  }

  #prepareWriter(request: AppendRequest, queueOffset: number, physicalOffset: number): void {
    const writer = this.#writer;
    const storeHost = this.#storeHostOf(request);
    writer.sysFlag = withHostFlags(
      request.sysFlag,
      request.bornHost.length === 16,
      storeHost.length === 16,
    );
    writer.storeHost = storeHost;
    writer.storePort =
      request.storeHost.length === 0 ? this.#options.config.storeHostPort : request.storePort;
    writer.storeTimestamp = this.#batchStoreTimestamp;
    writer.queueOffset = queueOffset;
    writer.physicalOffset = physicalOffset;
  }

  #setLast(queueOffset: number, physicalOffset: number): void {
    this.lastQueueOffset = queueOffset;
    this.lastPhysicalOffset = physicalOffset;
    this.lastStoreTimestamp = this.#batchStoreTimestamp;
    this.lastWroteEnd = this.#tail.wroteOffset;
  }

  /** The bytes that a batch takes in the log, and batchCount; the negative status when it can't be stored. */
  #measureBatch(request: AppendRequest, topic: TopicQueues): number {
    const reader = this.#batchReader;
    let total = 0;
    this.batchCount = 0;
    try {
      reader.begin(request.body, request.bodyStart, request.bodyLength);
      while (reader.next()) {
        const propertiesLength = mergedLength(reader, request);
        if (propertiesLength > MAX_PROPERTIES_BYTES) {
          return -PutMessageStatus.PROPERTIES_SIZE_EXCEEDED;
        }
        total += this.#sizeOf(request, topic, reader.bodyLength, propertiesLength);
        this.batchCount++;
      }
    } catch (error) {
      if (isCometError(error)) return -PutMessageStatus.MESSAGE_ILLEGAL;
      throw error;
    }
    const isLegal =
      this.batchCount > 0 &&
      this.batchCount <= MAX_BATCH_MESSAGES &&
      total <= this.#maxMessageSize + RECORD_OVERHEAD_BYTES;
    return isLegal ? total : -PutMessageStatus.MESSAGE_ILLEGAL;
  }

  /** Writes the reader's present message and moves the writer on to the next. */
  #writeItem(request: AppendRequest, topic: TopicQueues): void {
    const reader = this.#batchReader;
    const writer = this.#writer;
    const { stage, stagePosition } = this.#tail;
    const propertiesLength = mergedLength(reader, request);
    const size = this.#sizeOf(request, topic, reader.bodyLength, propertiesLength);
    writer.sizeBytes = size;
    const ownLength = reader.propertiesLength;
    let at = writer.write(
      stage,
      stagePosition,
      request,
      topic.bytes,
      reader.flag,
      reader.bodyStart,
      reader.bodyLength,
      request.body,
      reader.propertiesStart,
      ownLength,
      propertiesLength,
    );
    if (needsSeparator(reader, request)) stage[at++] = PROPERTY_SEPARATOR_BYTE;
    copyBytes(stage, at, request.properties, request.propertiesStart, request.propertiesLength);
    if (endsWithNul(reader, request)) stage[stagePosition + size - 1] = PROPERTY_SEPARATOR_BYTE;
    this.#tail.advance(size);
    writer.queueOffset++;
    writer.physicalOffset += size;
  }
}
