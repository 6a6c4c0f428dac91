// Room: store. Dispatch worker. The queue offset of a time (storage.md 5.1; Java's getOffsetInQueueByTime), with all that Java
// does: the file is chosen by its time of change, and the answer is the nearest entry, the earlier one when both are as near.

import { statSync } from 'node:fs';
import {
  readInt32,
  readInt64,
  SYS_FLAG_POSITION,
  storeTimestampPosition,
} from '../../message/message-layout.js';
import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import { CQ_UNIT_BYTES, readCqPhysicalOffset, readCqSizeBytes } from '../consumequeue/cq-unit.js';
import type { QueueFile } from '../consumequeue/queue-file.js';
import type { LogView } from './log-view.js';

/** Milliseconds when a file was last changed; a seam for tests. */
export type ModifiedTime = (path: string) => number;

const modifiedTime: ModifiedTime = (path) => Math.floor(statSync(path).mtimeMs);

export function offsetByTime(
  queue: ConsumeQueue,
  log: LogView,
  timestampMs: number,
  mtimeMs: ModifiedTime = modifiedTime,
): number {
  const file = fileByTime(queue, timestampMs, mtimeMs);
  if (file === null) return 0;
  const { buffer } = file;
  let low = Math.max(0, queue.minLogicOffset - file.fileFromOffset);
  let high = file.wrotePosition - CQ_UNIT_BYTES;
  let left = -1;
  let right = -1;
  let leftTime = -1;
  let rightTime = -1;
  while (high >= low) {
    const middle = Math.floor((low + high) / (2 * CQ_UNIT_BYTES)) * CQ_UNIT_BYTES;
    const physicalOffset = readCqPhysicalOffset(buffer, middle);
    if (physicalOffset < log.minOffset) {
      low = middle + CQ_UNIT_BYTES;
      left = middle;
      continue;
    }
    const time = storeTimestampOf(log, physicalOffset, readCqSizeBytes(buffer, middle));
    if (time < 0) return 0;
    if (time === timestampMs) return (file.fileFromOffset + middle) / CQ_UNIT_BYTES;
    if (time > timestampMs) {
      high = middle - CQ_UNIT_BYTES;
      right = middle;
      rightTime = time;
    } else {
      low = middle + CQ_UNIT_BYTES;
      left = middle;
      leftTime = time;
    }
  }
  let chosen = right;
  if (leftTime !== -1) {
    const isRightNearer = Math.abs(timestampMs - leftTime) > Math.abs(timestampMs - rightTime);
    chosen = rightTime !== -1 && isRightNearer ? right : left;
  }
  return Math.trunc((file.fileFromOffset + chosen) / CQ_UNIT_BYTES);
}

/** Store time of the record at a physical offset, -1 when it can't be read. */
export function storeTimestampOf(log: LogView, physicalOffset: number, sizeBytes: number): number {
  if (!log.locate(physicalOffset)) return -1;
  const { buffer, position } = log;
  if (sizeBytes <= 0 || position + Math.max(sizeBytes, 76) > log.limit) return -1;
  const sysFlag = readInt32(buffer, position + SYS_FLAG_POSITION);
  return readInt64(buffer, position + storeTimestampPosition(sysFlag));
}

/** Store time of a queue's entry, -1 when there is none (Java's getMessageStoreTimeStamp). */
export function storeTimestampInQueue(
  queue: ConsumeQueue,
  log: LogView,
  queueOffset: number,
): number {
  if (!queue.locate(queueOffset)) return -1;
  const physicalOffset = readCqPhysicalOffset(queue.buffer, queue.position);
  return storeTimestampOf(log, physicalOffset, readCqSizeBytes(queue.buffer, queue.position));
}

function fileByTime(queue: ConsumeQueue, timestampMs: number, mtimeMs: ModifiedTime) {
  const { files } = queue.files;
  let chosen: QueueFile | null = null;
  for (const file of files) {
    chosen = file;
    if (mtimeMs(file.path) >= timestampMs) break;
  }
  return chosen;
}
