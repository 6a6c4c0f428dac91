// Room: store. Dispatch worker only: it is the one writer and the one reader. One queue of one topic: where in the log each of
// its messages is. Java's ConsumeQueue; the rules are storage.md section 5. Recovery of a queue is in queue-recovery.ts.
// Hot: append() and locate() run once per message and once per pull. Bench: bench/70-reput.
// Always holds: entry i is at byte 20*i of the stream; minLogicOffset <= files.maxOffset once there is an entry.

import { join } from 'node:path';
import { ConsumeQueueExt } from './consume-queue-ext.js';
import {
  CQ_UNIT_BYTES,
  isCqUnitValid,
  readCqPhysicalOffset,
  readCqSizeBytes,
  writeCqFiller,
  writeCqUnit,
} from './cq-unit.js';
import type { MappedFilePool } from './queue-file.js';
import { QueueFiles } from './queue-files.js';

/** The part of the store's configuration that the queues read; names and defaults as in Java. */
export interface ConsumeQueueConfig {
  readonly storePathRootDir: string;
  readonly mappedFileSizeConsumeQueue: number;
  readonly enableConsumeQueueExt: boolean;
  readonly mappedFileSizeConsumeQueueExt: number;
}

export function queueFileSize(config: ConsumeQueueConfig): number {
  return Math.ceil(config.mappedFileSizeConsumeQueue / CQ_UNIT_BYTES) * CQ_UNIT_BYTES;
}

export const CqAppend = {
  /** Written, or there already. */
  DONE: 0,
  /** Entries before this one are missing. Nothing was written. Only with `GapPolicy` REPORT. */
  GAP: 1,
} as const;

export type CqAppend = (typeof CqAppend)[keyof typeof CqAppend];

export const GapPolicy = {
  /** As Java does: the entry goes to the end of the queue, whatever its offset says. */
  APPEND: 0,
  /** Nothing is written; recovery rebuilds the queue from the log. */
  REPORT: 1,
} as const;

export type GapPolicy = (typeof GapPolicy)[keyof typeof GapPolicy];

export class ConsumeQueue {
  readonly topic: string;
  readonly queueId: number;
  readonly files: QueueFiles;
  readonly ext: ConsumeQueueExt | null;
  /** Byte offset of the first entry that counts. */
  minLogicOffset = 0;
  /** End in the log of the last record that has an entry, -1 when there is none. */
  maxPhysicOffset = -1;
  gapPolicy: GapPolicy = GapPolicy.APPEND;
  /** Appends that found entries missing before them. */
  gapCount = 0;

  // Where locate() found the entries.
  buffer: Buffer = Buffer.alloc(0);
  position = 0;
  limit = 0;

  constructor(topic: string, queueId: number, config: ConsumeQueueConfig, pool: MappedFilePool) {
    this.topic = topic;
    this.queueId = queueId;
    const root = config.storePathRootDir;
    this.files = new QueueFiles(
      join(root, 'consumequeue', topic, String(queueId)),
      queueFileSize(config),
      pool,
    );
    this.ext = config.enableConsumeQueueExt
      ? new ConsumeQueueExt(
          join(root, 'consumequeue_ext', topic, String(queueId)),
          config.mappedFileSizeConsumeQueueExt,
          pool,
        )
      : null;
  }

  get minOffset(): number {
    return Math.floor(this.minLogicOffset / CQ_UNIT_BYTES);
  }

  get maxOffset(): number {
    return Math.floor(this.files.maxOffset / CQ_UNIT_BYTES);
  }

  /**
   * Writes the entry of a record (Java's putMessagePositionInfo). Throws NativeError when a file is needed and can't be made;
   * the queue is then as it was.
   */
  append(
    physicalOffset: number,
    sizeBytes: number,
    tagsHigh: number,
    tagsLow: number,
    queueOffset: number,
  ): CqAppend {
    if (physicalOffset + sizeBytes <= this.maxPhysicOffset) return CqAppend.DONE;
    const target = queueOffset * CQ_UNIT_BYTES;
    const files = this.files;
    if (queueOffset !== 0 && files.files.length > 0) {
      const current = files.maxOffset;
      if (target < current) return CqAppend.DONE;
      if (target > current) {
        this.gapCount++;
        if (this.gapPolicy === GapPolicy.REPORT) return CqAppend.GAP;
      }
    }
    const isFirst = files.files.length === 0;
    const file = files.lastForAppend(target);
    if (isFirst && queueOffset !== 0) this.#beginAt(target);
    const position = file.wrotePosition;
    writeCqUnit(file.buffer, position, physicalOffset, sizeBytes, tagsHigh, tagsLow);
    file.wrotePosition = position + CQ_UNIT_BYTES;
    this.maxPhysicOffset = physicalOffset + sizeBytes;
    return CqAppend.DONE;
  }

  /** Points buffer, position and limit at the entries from queueOffset to the end of their file; false when there are none. */
  locate(queueOffset: number): boolean {
    const offset = queueOffset * CQ_UNIT_BYTES;
    if (offset < this.minLogicOffset) return false;
    const file = this.files.find(offset);
    if (file === null) return false;
    const position = offset - file.fileFromOffset;
    if (position >= file.wrotePosition) return false;
    this.buffer = file.buffer;
    this.position = position;
    this.limit = file.wrotePosition;
    return true;
  }

  /** Fillers take the places of records that are lost, so that the later ones keep theirs. Recovery only. */
  fillUpTo(queueOffset: number): void {
    const target = queueOffset * CQ_UNIT_BYTES;
    while (this.files.maxOffset < target) {
      const file = this.files.lastForAppend(target);
      writeCqFiller(file.buffer, file.wrotePosition);
      file.wrotePosition += CQ_UNIT_BYTES;
    }
  }

  /** The first queue offset of the next file. */
  rollNextFile(queueOffset: number): number {
    const perFile = this.files.fileSizeBytes / CQ_UNIT_BYTES;
    return queueOffset + perFile - (queueOffset % perFile);
  }

  /** End in the log of the last entry that looks valid in the last file, -1 when there is none. */
  lastPhysicalEnd(): number {
    const file = this.files.last;
    if (file === null) return -1;
    const buffer = file.buffer;
    let end = -1;
    let at = Math.max(0, file.wrotePosition - CQ_UNIT_BYTES);
    for (; at + CQ_UNIT_BYTES <= file.sizeBytes && isCqUnitValid(buffer, at); at += CQ_UNIT_BYTES) {
      end = readCqPhysicalOffset(buffer, at) + readCqSizeBytes(buffer, at);
    }
    return end;
  }

  destroy(): void {
    this.files.destroy();
    this.ext?.destroy();
    this.minLogicOffset = 0;
    this.maxPhysicOffset = -1;
  }

  close(): void {
    this.files.close();
    this.ext?.close();
  }

  /** A queue that begins in the middle: fillers stand for the history that is not here. */
  #beginAt(target: number): void {
    const file = this.files.files[0]!;
    const buffer = file.buffer;
    const until = target % this.files.fileSizeBytes;
    for (let at = 0; at < until; at += CQ_UNIT_BYTES) writeCqFiller(buffer, at);
    file.wrotePosition = until;
    file.flushedPosition = 0;
    this.minLogicOffset = target;
  }
}
