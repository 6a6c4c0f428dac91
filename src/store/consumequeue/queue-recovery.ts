// Room: store. Dispatch worker, or whoever recovers the store before the agents start. What is done to a whole ConsumeQueue:
// finding its end after a start (storage.md 5.2), cutting it to the log (5.3), correcting its first offset and dropping files
// whose records are gone (16.2). Hot at a start with many queues; `!`: indexes are within the row of files.

import type { ConsumeQueue } from './consume-queue.js';
import { extOffsetOf } from './consume-queue-ext.js';
import {
  CQ_UNIT_BYTES,
  isCqFiller,
  isCqUnitValid,
  isExtAddress,
  readCqPhysicalOffset,
  readCqSizeBytes,
  readCqTagsHigh,
  readCqTagsLow,
} from './cq-unit.js';
import type { QueueFile } from './queue-file.js';

/** Files that recovery walks from the end; the ones before them were complete long ago. */
const RECOVERED_FILES = 3;

/** Finds the end of the valid entries in the last files, and cuts there. */
export function recoverQueue(queue: ConsumeQueue): void {
  queue.ext?.recover();
  const files = queue.files.files;
  if (files.length === 0) return;
  let lastExtOffset = -1;
  let end = 0;
  for (let i = Math.max(0, files.length - RECOVERED_FILES); i < files.length; i++) {
    const file = files[i]!;
    const count = countValidEntries(file);
    end = file.fileFromOffset + count * CQ_UNIT_BYTES;
    if (count > 0) {
      noteLastRecord(queue, file, count);
      if (queue.ext !== null) lastExtOffset = Math.max(lastExtOffset, lastExtOf(file, count));
    }
    if (count * CQ_UNIT_BYTES < file.sizeBytes) break;
  }
  queue.files.truncateTo(end);
  if (lastExtOffset >= 0) queue.ext?.truncateAfter(lastExtOffset);
}

/** Takes away every entry that points to or behind an end of the log. */
export function truncateQueue(queue: ConsumeQueue, logEnd: number): void {
  queue.maxPhysicOffset = logEnd;
  for (;;) {
    const file = queue.files.last;
    if (file === null) break;
    const buffer = file.buffer;
    const first = readCqPhysicalOffset(buffer, 0);
    if (isCqUnitValid(buffer, 0) && first >= logEnd) {
      queue.files.deleteLast();
      continue;
    }
    let count = 0;
    const end = file.sizeBytes / CQ_UNIT_BYTES;
    for (; count < end; count++) {
      const at = count * CQ_UNIT_BYTES;
      if (!isCqUnitValid(buffer, at) || readCqPhysicalOffset(buffer, at) >= logEnd) break;
      if (isCqFiller(buffer, at)) continue;
      queue.maxPhysicOffset = readCqPhysicalOffset(buffer, at) + readCqSizeBytes(buffer, at);
    }
    queue.files.truncateTo(file.fileFromOffset + count * CQ_UNIT_BYTES);
    return;
  }
}

/**
 * The first entry of the first file whose record the log still has becomes the queue's minimum. When that file has none the
 * minimum stays as it was, as in Java.
 */
export function correctMinOffset(queue: ConsumeQueue, logMinOffset: number): void {
  const file = queue.files.first;
  if (file === null) return;
  const buffer = file.buffer;
  for (let at = 0; at < file.wrotePosition; at += CQ_UNIT_BYTES) {
    if (readCqPhysicalOffset(buffer, at) < logMinOffset) continue;
    queue.minLogicOffset = file.fileFromOffset + at;
    const high = readCqTagsHigh(buffer, at);
    const low = readCqTagsLow(buffer, at);
    if (queue.ext !== null && isExtAddress(high, low))
      queue.ext.deleteBefore(extOffsetOf(high, low));
    return;
  }
}

/** Drops the files of which every record is gone from the log, never the last one. The number of files dropped. */
export function deleteExpiredFiles(queue: ConsumeQueue, logMinOffset: number): number {
  let count = 0;
  while (queue.files.files.length > 1) {
    const first = queue.files.first!;
    if (readCqPhysicalOffset(first.buffer, first.sizeBytes - CQ_UNIT_BYTES) >= logMinOffset) break;
    queue.files.deleteFirst();
    count++;
  }
  correctMinOffset(queue, logMinOffset);
  return count;
}

function countValidEntries(file: QueueFile): number {
  const buffer = file.buffer;
  const end = file.sizeBytes / CQ_UNIT_BYTES;
  let count = 0;
  while (count < end && isCqUnitValid(buffer, count * CQ_UNIT_BYTES)) count++;
  return count;
}

/** Fillers say nothing about the log: Java lets them, and then drops every record of the first 2 GiB. */
function noteLastRecord(queue: ConsumeQueue, file: QueueFile, count: number): void {
  const buffer = file.buffer;
  for (let at = (count - 1) * CQ_UNIT_BYTES; at >= 0; at -= CQ_UNIT_BYTES) {
    if (isCqFiller(buffer, at)) continue;
    queue.maxPhysicOffset = readCqPhysicalOffset(buffer, at) + readCqSizeBytes(buffer, at);
    return;
  }
}

function lastExtOf(file: QueueFile, count: number): number {
  const buffer = file.buffer;
  for (let at = (count - 1) * CQ_UNIT_BYTES; at >= 0; at -= CQ_UNIT_BYTES) {
    const high = readCqTagsHigh(buffer, at);
    const low = readCqTagsLow(buffer, at);
    if (isExtAddress(high, low)) return extOffsetOf(high, low);
  }
  return -1;
}
