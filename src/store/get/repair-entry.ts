// Room: store. Dispatch worker; cold. An entry that leads to no sound record is damaged, or its record is. The entries beside it tell
// where in the log the record must be; when it is found there the entry is written anew.
// Always holds: an entry is only changed to one whose record names this queue and this queue offset and has a sound body.

import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import {
  CQ_UNIT_BYTES,
  FILLER_SIZE_BYTES,
  readCqPhysicalOffset,
  readCqSizeBytes,
  tagsHighOf,
  tagsLowOf,
  writeCqUnit,
} from '../consumequeue/cq-unit.js';
import { type DispatchRequest, RecordState } from '../dispatch/dispatch-request.js';
import type { LogView } from './log-view.js';
import { isSoundRecord } from './record-guard.js';

/** No more log than this is searched for one entry. */
const MAX_SEARCHED_BYTES = 16 * 1024 * 1024;

/** True when the entry was wrong and is right now. */
export function repairEntry(
  queue: ConsumeQueue,
  queueOffset: number,
  log: LogView,
  request: DispatchRequest,
): boolean {
  const offset = queueOffset * CQ_UNIT_BYTES;
  const file = queue.files.find(offset);
  if (queue.ext !== null || file === null) return false;
  const at = offset - file.fileFromOffset;
  if (readCqSizeBytes(file.buffer, at) === FILLER_SIZE_BYTES) return false;
  const before = at === 0 ? -1 : endOf(file.buffer, at - CQ_UNIT_BYTES);
  const behind =
    at + CQ_UNIT_BYTES < file.wrotePosition ? startOf(file.buffer, at + CQ_UNIT_BYTES) : -1;
  const from = Math.max(before, log.minOffset);
  const limit = Math.min(log.maxOffset, from + MAX_SEARCHED_BYTES);
  const to = behind > from ? Math.min(behind, limit) : limit;
  if (!find(queue, queueOffset, from, to, log, request)) return false;
  if (startOf(file.buffer, at) === request.physicalOffset) {
    if (readCqSizeBytes(file.buffer, at) === request.sizeBytes) return false;
  }
  const { physicalOffset, sizeBytes, tagsCode } = request;
  const high = tagsHighOf(tagsCode);
  writeCqUnit(file.buffer, at, physicalOffset, sizeBytes, high, tagsLowOf(tagsCode));
  return true;
}

/** Walks the records of a range until the one that names the queue and offset; the request then holds it. */
function find(
  queue: ConsumeQueue,
  queueOffset: number,
  from: number,
  to: number,
  log: LogView,
  request: DispatchRequest,
): boolean {
  let position = from;
  while (position < to && log.locate(position)) {
    const state = request.read(log.buffer, log.position, log.limit);
    if (state === RecordState.BLANK) {
      position += log.fileSizeBytes - log.position;
      continue;
    }
    if (state === RecordState.BAD) return false;
    if (
      state === RecordState.GOOD &&
      request.queueOffset === queueOffset &&
      request.queueId === queue.queueId &&
      request.topicName.text === queue.topic
    ) {
      return isSoundRecord(log.buffer, log.position, request.sizeBytes, position);
    }
    position += request.sizeBytes;
  }
  return false;
}

function startOf(buffer: Buffer, at: number): number {
  return readCqPhysicalOffset(buffer, at);
}

function endOf(buffer: Buffer, at: number): number {
  const sizeBytes = readCqSizeBytes(buffer, at);
  return sizeBytes === FILLER_SIZE_BYTES ? -1 : readCqPhysicalOffset(buffer, at) + sizeBytes;
}
