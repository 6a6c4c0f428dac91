// Room: store. Whoever recovers the store. Walks the log record by record and tells a torn tail from rot (reliability.md 2.3):
// a bad record with nothing valid behind it is where the log ends; one with a valid record behind it is a hole, and what is
// behind the hole is kept.
// Always holds: end <= log.filesEnd; every record visited is whole, and visited once, in the order of the log.

import { MAGIC_POSITION, MESSAGE_MAGIC } from '../../message/message-layout.js';
import type { DispatchRequest } from '../dispatch/dispatch-request.js';
import type { LogHole } from '../get/record-guard.js';
import { checkRecord, endsUnwritten, RecordVerdict } from './record-check.js';
import { firstNonZeroChunk, type RecoveryLog } from './recovery-log.js';

const PAGE_BYTES = 4_096;
/** Records stored this long before the end may be unflushed after a power cut: the thorough flush interval and some slack. */
const UNFLUSHED_WINDOW_MS = 11_000;
const MAGIC_BYTES = Buffer.alloc(4);
MAGIC_BYTES.writeInt32BE(MESSAGE_MAGIC);

export interface WalkOptions {
  readonly checkCrc: boolean;
  /** After a crash: everything stored up to this time has been flushed; null after a clean stop. */
  readonly flushedUpToMs: number | null;
  /** End of the log when it is known already: the walk then cuts nothing. */
  readonly knownEnd?: number;
}

export interface WalkResult {
  /** Where the log ends. */
  readonly end: number;
  readonly holes: LogHole[];
  readonly records: number;
  /** True when bytes of a torn record were met at the end. */
  readonly isTorn: boolean;
  readonly lastStoreTimestamp: number;
}

/** Visits each record from `start` on. The request is the walker's own and is filled again for the next one. */
export function walkLog(
  log: RecoveryLog,
  start: number,
  request: DispatchRequest,
  options: WalkOptions,
  visit: (request: DispatchRequest) => void,
): WalkResult {
  const holes: LogHole[] = [];
  const stop = options.knownEnd ?? log.filesEnd;
  let position = start;
  let records = 0;
  let lastStoreTimestamp = 0;
  let previousStoreTimestamp = 0;
  let isTorn = false;
  while (position < stop && log.locate(position)) {
    const verdict = judge(log, request, position, options.checkCrc);
    if (verdict === RecordVerdict.BLANK) {
      const next = position - log.position + log.fileSizeBytes;
      if (next >= log.filesEnd) break;
      position = next;
      continue;
    }
    if (verdict === RecordVerdict.GOOD && isComplete(log, request, position, options)) {
      visit(request);
      records++;
      previousStoreTimestamp = lastStoreTimestamp;
      lastStoreTimestamp = request.storeTimestamp;
      position += request.sizeBytes;
      continue;
    }
    // The smaller of two, lest one damaged time makes leftovers of all that follows.
    const notBeforeMs = Math.min(lastStoreTimestamp, previousStoreTimestamp);
    const next = nextValid(log, request, position, verdict, notBeforeMs, options);
    isTorn = !isUnwritten(log, position);
    if (next < 0) break;
    if (isLostWrite(log, request, position, next, options)) break;
    holes.push({ from: position, to: next });
    isTorn = false;
    position = next;
  }
  return { end: position, holes, records, isTorn, lastStoreTimestamp };
}

/** False for a record whose end was never written. Only the last record of the log can be such a one. */
function isComplete(
  log: RecoveryLog,
  request: DispatchRequest,
  position: number,
  options: WalkOptions,
): boolean {
  if (options.knownEnd !== undefined || !endsUnwritten(request)) return true;
  const end = position + request.sizeBytes;
  const hasSuccessor =
    nextAt(log, request, end, true) ||
    nextValid(log, request, end, RecordVerdict.UNREADABLE, 0, options) >= 0;
  judge(log, request, position, false);
  return hasSuccessor;
}

function judge(
  log: RecoveryLog,
  request: DispatchRequest,
  physicalOffset: number,
  checkCrc: boolean,
): RecordVerdict {
  if (!log.locate(physicalOffset)) return RecordVerdict.UNREADABLE;
  return checkRecord(request, log.buffer, log.position, log.limit, physicalOffset, checkCrc);
}

/** Is there a valid record at an offset? Its store time may not be before that of the last good one: it would be a leftover. */
function nextAt(
  log: RecoveryLog,
  request: DispatchRequest,
  physicalOffset: number,
  acceptBlank: boolean,
  notBeforeMs = 0,
): boolean {
  const verdict = judge(log, request, physicalOffset, true);
  if (verdict === RecordVerdict.GOOD) return request.storeTimestamp >= notBeforeMs;
  if (verdict !== RecordVerdict.BLANK || !acceptBlank) return false;
  const next = physicalOffset - log.position + log.fileSizeBytes;
  return judge(log, request, next, true) === RecordVerdict.GOOD;
}

/** Where the log goes on behind a bad record, -1 when it doesn't. */
function nextValid(
  log: RecoveryLog,
  request: DispatchRequest,
  position: number,
  verdict: RecordVerdict,
  notBeforeMs: number,
  options: WalkOptions,
): number {
  if (verdict === RecordVerdict.DAMAGED) {
    const end = position + request.sizeBytes;
    if (nextAt(log, request, end, true, notBeforeMs)) return end;
  }
  const stop = options.knownEnd ?? log.filesEnd;
  let from = position;
  while (from < stop) {
    const found = scanFile(log, request, from, notBeforeMs);
    if (found >= 0) return found;
    if (!log.locate(from)) return -1;
    from += log.fileSizeBytes - log.position;
    if (from < stop && nextAt(log, request, from, false, notBeforeMs)) return from;
  }
  return -1;
}

/** Looks for the magic in the rest of a file, chunk by chunk, until there has been zero for long. */
function scanFile(
  log: RecoveryLog,
  request: DispatchRequest,
  from: number,
  notBeforeMs: number,
): number {
  if (!log.locate(from)) return -1;
  const { buffer } = log;
  const fileStart = from - log.position;
  let at = log.position + 1;
  for (;;) {
    const chunk = firstNonZeroChunk(buffer, at);
    if (chunk < 0) return -1;
    const found = buffer.indexOf(MAGIC_BYTES, Math.max(at, chunk - 3) + MAGIC_POSITION);
    if (found < 0) return -1;
    const candidate = fileStart + found - MAGIC_POSITION;
    if (nextAt(log, request, candidate, false, notBeforeMs)) return candidate;
    at = found - MAGIC_POSITION + 1;
  }
}

/**
 * A hole that a power cut may have made: after a crash, in the last seconds of the log, with a page in it that was never
 * written. Nothing behind it was acknowledged as flushed, and a log that ends is better than one with a gap in it.
 */
function isLostWrite(
  log: RecoveryLog,
  request: DispatchRequest,
  from: number,
  to: number,
  options: WalkOptions,
): boolean {
  if (options.flushedUpToMs === null || options.knownEnd !== undefined) return false;
  if (!hasUnwrittenPage(log, from, to)) return false;
  if (judge(log, request, to, false) !== RecordVerdict.GOOD) return false;
  const firstBehind = request.storeTimestamp;
  if (firstBehind <= options.flushedUpToMs) return false;
  let last = firstBehind;
  let position = to;
  while (judge(log, request, position, false) === RecordVerdict.GOOD) {
    last = Math.max(last, request.storeTimestamp);
    position += request.sizeBytes;
  }
  return last - firstBehind <= UNFLUSHED_WINDOW_MS;
}

const ZERO_PAGE = Buffer.alloc(PAGE_BYTES);

function hasUnwrittenPage(log: RecoveryLog, from: number, to: number): boolean {
  if (!log.locate(from)) return false;
  const end = Math.min(log.fileSizeBytes, log.position + (to - from));
  const first = Math.ceil(log.position / PAGE_BYTES) * PAGE_BYTES;
  for (let at = first; at + PAGE_BYTES <= end; at += PAGE_BYTES) {
    if (log.buffer.compare(ZERO_PAGE, 0, PAGE_BYTES, at, at + PAGE_BYTES) === 0) return true;
  }
  return false;
}

/** Nothing has been written from here on, as far as the next record's head would reach. */
function isUnwritten(log: RecoveryLog, position: number): boolean {
  if (!log.locate(position)) return true;
  const end = Math.min(log.position + 64, log.limit);
  return log.buffer.compare(ZERO_PAGE, 0, end - log.position, log.position, end) === 0;
}
