// Room: store. The pool, with an IndexService and a LogView of its own. Records by key (storage.md 7, end; Java's
// DefaultMessageStore.queryMessage). The key's text is not compared: the client sorts out hashes that collide.

import { readInt32 } from '../../message/message-layout.js';
import type { IndexService } from '../index/index-service.js';
import type { QueryMessageResult } from '../message-store.js';
import type { LogView } from './log-view.js';
import { storeTimestampOf } from './offset-by-time.js';
import { isSoundRecord } from './record-guard.js';

const MAX_ROUNDS = 3;

export function queryMessage(
  index: IndexService,
  log: LogView,
  topic: string,
  key: string,
  maxCount: number,
  beginMs: number,
  endMs: number,
  maxMsgsNumBatch = 64,
): QueryMessageResult {
  const records: Buffer[] = [];
  let lastTimestamp = 0;
  let lastPhysicalOffset = 0;
  let end = endMs;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const max = Math.min(maxCount, maxMsgsNumBatch);
    const found = index.query(topic, key, max, beginMs, end);
    if (found.physicalOffsets.length === 0) break;
    found.physicalOffsets.sort((a, b) => a - b);
    lastTimestamp = found.lastUpdateTimestamp;
    lastPhysicalOffset = found.lastUpdatePhysicalOffset;
    for (const [i, physicalOffset] of found.physicalOffsets.entries()) {
      const sizeBytes = recordSizeAt(log, physicalOffset);
      if (sizeBytes < 0) continue;
      if (i === 0) end = storeTimestampOf(log, physicalOffset, sizeBytes);
      const record = copyRecord(log, physicalOffset, sizeBytes);
      if (record !== null) records.push(record);
    }
    if (records.length > 0 || end < beginMs) break;
  }
  return {
    records,
    indexLastUpdateTimestamp: lastTimestamp,
    indexLastUpdatePhyOffset: lastPhysicalOffset,
  };
}

/** The whole record at a physical offset, or null when there is none that may be shown. */
export function lookMessageByOffset(log: LogView, physicalOffset: number): Buffer | null {
  const sizeBytes = recordSizeAt(log, physicalOffset);
  return sizeBytes < 0 ? null : copyRecord(log, physicalOffset, sizeBytes);
}

function recordSizeAt(log: LogView, physicalOffset: number): number {
  if (!log.locate(physicalOffset) || log.position + 8 > log.limit) return -1;
  const sizeBytes = readInt32(log.buffer, log.position);
  return sizeBytes < 91 || log.position + sizeBytes > log.limit ? -1 : sizeBytes;
}

function copyRecord(log: LogView, physicalOffset: number, sizeBytes: number): Buffer | null {
  if (!log.locate(physicalOffset)) return null;
  const { buffer, position } = log;
  if (!isSoundRecord(buffer, position, sizeBytes, physicalOffset)) return null;
  return Buffer.from(buffer.subarray(position, position + sizeBytes));
}
