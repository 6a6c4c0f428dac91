// Room: store. Dispatch worker. HOT: one call a pull, one turn of the loop a record; nothing is allocated and no byte is copied.
// From queue entries to records (storage.md 15; Java's DefaultMessageStore.getMessage). Bench: bench/41-pull.
// Always holds: a result never crosses the end of a ConsumeQueue file; the first record is taken whatever its size; with
// SYNC_FLUSH nothing that is not on disk is served, because no entry leads to it yet.

import { totalmem } from 'node:os';
import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import { CqExtUnit, extOffsetOf } from '../consumequeue/consume-queue-ext.js';
import type { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import {
  CQ_UNIT_BYTES,
  FILLER_SIZE_BYTES,
  isExtAddress,
  readCqPhysicalOffset,
  readCqSizeBytes,
  readCqTagsHigh,
  readCqTagsLow,
} from '../consumequeue/cq-unit.js';
import { DispatchRequest, type DispatchRequestConfig } from '../dispatch/dispatch-request.js';
import type { GetMessageStatus } from '../message-store.js';
import type { LogView } from './log-view.js';
import type { MessageFilter } from './message-filter.js';
import { RecordGuard } from './record-guard.js';
import { repairEntry } from './repair-entry.js';

export interface GetMessageConfig extends DispatchRequestConfig {
  readonly maxTransferBytesOnMessageInMemory: number;
  readonly maxTransferCountOnMessageInMemory: number;
  readonly maxTransferBytesOnMessageInDisk: number;
  readonly maxTransferCountOnMessageInDisk: number;
  readonly accessMessageInMemoryMaxRatio: number;
  readonly offsetCheckInSlave: boolean;
  readonly isSlave: boolean;
}

/** Takes each record; the bytes are valid during the call. False ends the result before this record. */
export interface RecordSink {
  onRecord(buffer: Buffer, position: number, sizeBytes: number, queueOffset: number): boolean;
}

/** Tells whether reading a range of the log would wait for the disk; LogReader does. */
export interface Residency {
  /** So much of the log's end was written or read a moment ago; only what lies before is asked about. */
  readonly hotBytes: number;
  isResident(physicalOffset: number, lengthBytes: number): boolean;
}

/** Bytes of entries that one call looks at, at least. */
const MAX_SCANNED_BYTES = 16_000;

export class GetMessage {
  // The result of the last get(), read before the next.
  status: GetMessageStatus = 'NO_MESSAGE_IN_QUEUE';
  nextBeginOffset = 0;
  minOffset = 0;
  maxOffset = 0;
  messageCount = 0;
  totalBytes = 0;
  /** Where the first record lies that the disk has to bring first; -1 when none had to. Then there are no records. */
  coldOffset = -1;
  /** The reader is further behind than what counts as in memory. */
  suggestPullingFromSlave = false;

  /** Entries that led nowhere and were written anew, since the start. */
  repairedEntries = 0;

  readonly #table: ConsumeQueueTable;
  readonly #log: LogView;
  readonly #config: GetMessageConfig;
  readonly #guard: RecordGuard;
  #residency: Residency | null = null;
  readonly #unit = new CqExtUnit();
  readonly #request: DispatchRequest;
  readonly #memoryBytes: number;
  // Of the entry at hand.
  #tagsHigh = 0;
  #tagsLow = 0;
  #tagsKnown = true;
  #unitRead: CqExtUnit | null = null;

  constructor(
    table: ConsumeQueueTable,
    log: LogView,
    config: GetMessageConfig,
    guard = new RecordGuard(),
    memoryBytes = totalmem(),
  ) {
    this.#table = table;
    this.#log = log;
    this.#config = config;
    this.#guard = guard;
    this.#request = new DispatchRequest(config);
    this.#memoryBytes = memoryBytes;
  }

  get(
    topic: string,
    queueId: number,
    queueOffset: number,
    maxCount: number,
    filter: MessageFilter | null,
    sink: RecordSink,
    residency: Residency | null = null,
  ): void {
    this.coldOffset = -1;
    this.#residency = residency;
    const queue = this.#table.findOrCreate(topic, queueId);
    const min = queue.minOffset;
    const max = queue.maxOffset;
    this.minOffset = min;
    this.maxOffset = max;
    this.messageCount = 0;
    this.totalBytes = 0;
    this.suggestPullingFromSlave = false;
    if (max === 0) this.#answer('NO_MESSAGE_IN_QUEUE', this.#corrected(queueOffset, 0));
    else if (queueOffset < min) this.#answer('OFFSET_TOO_SMALL', this.#corrected(queueOffset, min));
    else if (queueOffset === max) this.#answer('OFFSET_OVERFLOW_ONE', queueOffset);
    else if (queueOffset > max) {
      this.#answer('OFFSET_OVERFLOW_BADLY', this.#corrected(queueOffset, max));
    } else if (queue.locate(queueOffset)) {
      this.#scan(queue, queueOffset, Math.max(0, maxCount), filter, sink);
    } else {
      const next = queue.rollNextFile(queueOffset);
      this.#answer('OFFSET_FOUND_NULL', this.#corrected(queueOffset, next));
    }
  }

  /** True when the entry's record counts as in memory: within the share of physical memory behind the log's end. */
  isInMemory(physicalOffset: number): boolean {
    return this.#log.maxOffset - physicalOffset <= this.#inMemoryBytes();
  }

  #scan(
    queue: ConsumeQueue,
    queueOffset: number,
    maxCount: number,
    filter: MessageFilter | null,
    sink: RecordSink,
  ): void {
    const { buffer } = queue;
    const log = this.#log;
    const start = queue.position;
    const end = Math.min(
      queue.limit,
      start + Math.max(MAX_SCANNED_BYTES, maxCount * CQ_UNIT_BYTES),
    );
    const logEnd = log.maxOffset;
    const inMemoryFrom = logEnd - this.#inMemoryBytes();
    const hotFrom = this.#residency === null ? 0 : logEnd - this.#residency.hotBytes;
    let skipBelow = -1;
    let lastOffset = 0;
    let at = start;
    this.status = 'NO_MATCHED_MESSAGE';
    for (; at < end; at += CQ_UNIT_BYTES) {
      const physicalOffset = readCqPhysicalOffset(buffer, at);
      const sizeBytes = readCqSizeBytes(buffer, at);
      lastOffset = physicalOffset;
      if (physicalOffset < skipBelow) continue;
      if (this.#isFull(sizeBytes, maxCount, physicalOffset < inMemoryFrom)) break;
      this.#readTags(queue, buffer, at);
      if (
        filter !== null &&
        !filter.matchConsumeQueue(this.#tagsKnown, this.#tagsHigh, this.#tagsLow, this.#unitRead)
      ) {
        if (this.totalBytes === 0) this.status = 'NO_MATCHED_MESSAGE';
        continue;
      }
      if (physicalOffset < log.minOffset) {
        if (this.totalBytes === 0) this.status = 'MESSAGE_WAS_REMOVING';
        if (sizeBytes !== FILLER_SIZE_BYTES) skipBelow = nextLogFile(log, physicalOffset);
        continue;
      }
      if (physicalOffset < hotFrom && this.#isCold(physicalOffset, sizeBytes)) break;
      if (!this.#isServable(physicalOffset, sizeBytes)) {
        if (this.totalBytes === 0) this.status = 'MESSAGE_WAS_REMOVING';
        if (repairEntry(queue, queueOffset + (at - start) / CQ_UNIT_BYTES, log, this.#request)) {
          this.repairedEntries++;
          at -= CQ_UNIT_BYTES;
        }
        continue;
      }
      if (filter !== null && !filter.matchCommitLog(log.buffer, log.position, sizeBytes)) {
        if (this.totalBytes === 0) this.status = 'NO_MATCHED_MESSAGE';
        continue;
      }
      const entryOffset = queueOffset + (at - start) / CQ_UNIT_BYTES;
      if (!sink.onRecord(log.buffer, log.position, sizeBytes, entryOffset)) break;
      this.messageCount++;
      this.totalBytes += sizeBytes;
      this.status = 'FOUND';
      skipBelow = -1;
    }
    this.nextBeginOffset = queueOffset + (at - start) / CQ_UNIT_BYTES;
    this.suggestPullingFromSlave = lastOffset < inMemoryFrom;
  }

  /** A record that the disk has to bring ends the result; as the first one it is what the caller has to wait for. */
  #isCold(physicalOffset: number, sizeBytes: number): boolean {
    if (this.#residency?.isResident(physicalOffset, sizeBytes) !== false) return false;
    if (this.messageCount === 0) this.coldOffset = physicalOffset;
    return true;
  }

  /** Is the whole record there, and sound? Leaves the log pointing at it. Java skips the rest of the log file when it isn't. */
  #isServable(physicalOffset: number, sizeBytes: number): boolean {
    const log = this.#log;
    if (!log.locate(physicalOffset) || log.position + sizeBytes > log.limit) return false;
    return this.#guard.isSound(log.buffer, log.position, sizeBytes, physicalOffset);
  }

  #isFull(sizeBytes: number, maxCount: number, isInDisk: boolean): boolean {
    if (this.messageCount === 0) return false;
    if (this.messageCount >= maxCount) return true;
    const config = this.#config;
    const maxBytes = isInDisk
      ? config.maxTransferBytesOnMessageInDisk
      : config.maxTransferBytesOnMessageInMemory;
    const maxMessages = isInDisk
      ? config.maxTransferCountOnMessageInDisk
      : config.maxTransferCountOnMessageInMemory;
    return this.totalBytes + sizeBytes > maxBytes || this.messageCount > maxMessages - 1;
  }

  #readTags(queue: ConsumeQueue, buffer: Buffer, at: number): void {
    this.#tagsHigh = readCqTagsHigh(buffer, at);
    this.#tagsLow = readCqTagsLow(buffer, at);
    this.#tagsKnown = true;
    this.#unitRead = null;
    if (!isExtAddress(this.#tagsHigh, this.#tagsLow)) return;
    const unit = this.#unit;
    const offset = extOffsetOf(this.#tagsHigh, this.#tagsLow);
    if (queue.ext?.get(offset, unit) !== true) {
      this.#tagsKnown = false;
      return;
    }
    this.#tagsHigh = unit.tagsHigh;
    this.#tagsLow = unit.tagsLow;
    this.#unitRead = unit;
  }

  #answer(status: GetMessageStatus, nextBeginOffset: number): void {
    this.status = status;
    this.nextBeginOffset = nextBeginOffset;
  }

  /** A slave that does not check offsets leaves the correction to its master. */
  #corrected(asked: number, corrected: number): number {
    return this.#config.isSlave && !this.#config.offsetCheckInSlave ? asked : corrected;
  }

  #inMemoryBytes(): number {
    return this.#memoryBytes * (this.#config.accessMessageInMemoryMaxRatio / 100);
  }
}

function nextLogFile(log: LogView, physicalOffset: number): number {
  return physicalOffset + log.fileSizeBytes - (physicalOffset % log.fileSizeBytes);
}
