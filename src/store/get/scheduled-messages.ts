// Room: store. Dispatch worker. Delayed messages of one level, in the order of their queue, as far as they are due: Java's
// ScheduleMessageService reads them one by one, here a page of them is one answer. An entry's tags code is the time when it is
// due (storage.md 5 and 18). Nothing is copied: records are views, to be copied before the duty cycle ends.
// Always holds: an entry that can not be read has its place in the answer, with null for its record.

import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import { CqExtUnit, extOffsetOf } from '../consumequeue/consume-queue-ext.js';
import {
  isExtAddress,
  readCqPhysicalOffset,
  readCqSizeBytes,
  readCqTagsHigh,
  readCqTagsLow,
} from '../consumequeue/cq-unit.js';
import type { ScheduledLimit, ScheduledMessages } from '../message-store.js';
import type { LogView } from './log-view.js';
import { storeTimestampOf } from './offset-by-time.js';
import { isSoundRecord } from './record-guard.js';

const NONE = -1;
const TWO_POW_32 = 0x1_0000_0000;

/** @param repair tries to make an entry fit its record again; true when it did. */
export function scheduledMessages(
  queue: ConsumeQueue | undefined,
  log: LogView,
  startOffset: number,
  limit: ScheduledLimit,
  repair: (queueOffset: number) => boolean,
): ScheduledMessages {
  const deliverTimestamps: number[] = [];
  const records: (Buffer | null)[] = [];
  let nextDeliverTimestamp = NONE;
  let totalBytes = 0;
  for (let offset = startOffset; queue?.locate(offset) === true; offset++) {
    const deliverTimestamp = deliverTimestampOf(queue, log, limit.delayMs);
    const isFull = records.length >= limit.maxCount || totalBytes >= limit.maxBytes;
    if (isFull || deliverTimestamp > limit.dueMs) {
      nextDeliverTimestamp = deliverTimestamp;
      break;
    }
    let record = recordOf(queue, log);
    if (record === null && repair(offset) && queue.locate(offset)) record = recordOf(queue, log);
    deliverTimestamps.push(deliverTimestamp);
    records.push(record);
    totalBytes += record?.length ?? 0;
  }
  const { minOffset, maxOffset } = queue ?? { minOffset: 0, maxOffset: 0 };
  return { minOffset, maxOffset, deliverTimestamps, records, nextDeliverTimestamp };
}

/** Of the entry that was located; 0 counts as due for one that tells nothing at all. */
function deliverTimestampOf(queue: ConsumeQueue, log: LogView, delayMs: number): number {
  const { buffer, position } = queue;
  const high = readCqTagsHigh(buffer, position);
  const low = readCqTagsLow(buffer, position);
  if (!isExtAddress(high, low)) return high * TWO_POW_32 + (low >>> 0);
  const unit = new CqExtUnit();
  if (queue.ext?.get(extOffsetOf(high, low), unit) === true) {
    return unit.tagsHigh * TWO_POW_32 + (unit.tagsLow >>> 0);
  }
  const physicalOffset = readCqPhysicalOffset(buffer, position);
  const storeTimestamp = storeTimestampOf(log, physicalOffset, readCqSizeBytes(buffer, position));
  return storeTimestamp < 0 ? 0 : storeTimestamp + delayMs;
}

function recordOf(queue: ConsumeQueue, log: LogView): Buffer | null {
  const physicalOffset = readCqPhysicalOffset(queue.buffer, queue.position);
  const sizeBytes = readCqSizeBytes(queue.buffer, queue.position);
  if (!log.locate(physicalOffset) || log.position + sizeBytes > log.limit) return null;
  const { buffer, position } = log;
  if (!isSoundRecord(buffer, position, sizeBytes, physicalOffset)) return null;
  return buffer.subarray(position, position + sizeBytes);
}
