// Room: store. Whoever recovers the store. Does an entry lead to a record that says it belongs there?

import {
  FIXED_RECORD_BYTES,
  MAGIC_POSITION,
  MESSAGE_MAGIC,
  QUEUE_ID_POSITION,
  QUEUE_OFFSET_POSITION,
  readInt32,
  readInt64,
} from '../../message/message-layout.js';
import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import type { LogView } from '../get/log-view.js';

/** True when the log has, at the entry's offset, a record of the entry's size that names the same queue and queue offset. */
export function isEntryOfRecord(
  log: LogView,
  queue: ConsumeQueue,
  physicalOffset: number,
  sizeBytes: number,
  queueOffset: number,
): boolean {
  return (
    isEntryOfSomeRecord(log, physicalOffset, sizeBytes) &&
    readInt32(log.buffer, log.position + QUEUE_ID_POSITION) === queue.queueId &&
    readInt64(log.buffer, log.position + QUEUE_OFFSET_POSITION) === queueOffset
  );
}

/** For queues whose records belong to other queues first. Leaves the log pointing at the record. */
export function isEntryOfSomeRecord(
  log: LogView,
  physicalOffset: number,
  sizeBytes: number,
): boolean {
  if (sizeBytes < FIXED_RECORD_BYTES || !log.locate(physicalOffset)) return false;
  const { buffer, position } = log;
  return (
    position + sizeBytes <= log.limit &&
    readInt32(buffer, position) === sizeBytes &&
    readInt32(buffer, position + MAGIC_POSITION) === MESSAGE_MAGIC
  );
}
