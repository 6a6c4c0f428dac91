// Room: store. Whoever recovers the store, before anything is read. Are the commit log's files all there? What holds nothing is
// moved aside; what can't be explained refuses the start with one sentence that names the file.
// Always holds after it: the log's files are whole, and neighbours touch.

import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { cometError } from '../../base/errors.js';
import { getLogger } from '../../base/logger.js';
import type { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import { readCqPhysicalOffset } from '../consumequeue/cq-unit.js';
import type { DispatchRequest } from '../dispatch/dispatch-request.js';
import type { IndexService } from '../index/index-service.js';
import { checkRecord, RecordVerdict } from './record-check.js';
import type { LogFindings, RecoveryLog } from './recovery-log.js';
import type { StoreSummary } from './store-summary.js';

const logger = getLogger('recovery');

/** How much of a file of the wrong size is looked at for a record; the largest record fits. */
const LOOKED_AT_BYTES = 8 * 1024 * 1024;
/** Signs in derived files that count as proof; one alone may itself be damage. */
const PROOF = 2;
/** Derived entries this far behind the log are damage, not proof. */
const PLAUSIBLE_FILES = 1_000;

export interface Timestamps {
  readonly physicMsgTimestamp: number;
  readonly logicsMsgTimestamp: number;
  readonly indexMsgTimestamp: number;
}

/** The three times of the checkpoint file; zeroes when it is not there or too short. */
export function readCheckpoint(storePathRootDir: string): Timestamps {
  const path = join(storePathRootDir, 'checkpoint');
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const at = (position: number) =>
    bytes.length >= 24 ? Number(bytes.readBigInt64BE(position)) : 0;
  return { physicMsgTimestamp: at(0), logicsMsgTimestamp: at(8), indexMsgTimestamp: at(16) };
}

/** Foreign names are told once, gaps refuse. What is of the wrong size is judged by settleWrongSizes(). */
export function auditLogFiles(log: RecoveryLog, findings: LogFindings): void {
  for (const path of findings.foreign) logger.warn('ignored: not a file of the store', { path });
  for (const path of findings.blocking) {
    logger.warn('moved aside: a directory with the name of a log file', {
      path,
      to: log.quarantine(path),
    });
  }
  const wrong = new Map(findings.wrongSize.map((entry) => [entry.fileFromOffset, entry]));
  let expected = log.minOffset - log.fileSizeBytes;
  for (const { fileFromOffset } of log.files) {
    expected += log.fileSizeBytes;
    if (fileFromOffset === expected) continue;
    const entry = wrong.get(expected);
    if (entry !== undefined) refuseWrongSize(log, entry.path, entry.sizeBytes);
    refuse(`the commit log file ${log.segmentPath(expected)} is missing; restore it from a copy`);
  }
}

/**
 * Files of the wrong length at the ends. The last one may be what a crash left of a file that was never used: it goes to
 * quarantine when neither it nor anything derived holds a record of it. All others refuse.
 */
export function settleWrongSizes(
  log: RecoveryLog,
  findings: LogFindings,
  request: DispatchRequest,
  countSigns: (fromOffset: number) => number,
): void {
  for (const entry of findings.wrongSize) {
    const isNext = log.files.length === 0 || entry.fileFromOffset >= log.filesEnd;
    const isUnused =
      isNext &&
      entry.fileFromOffset % log.fileSizeBytes === 0 &&
      countSigns(entry.fileFromOffset) === 0 &&
      !beginsWithRecord(entry.path, entry.fileFromOffset, request);
    if (!isUnused) refuseWrongSize(log, entry.path, entry.sizeBytes);
    const to = log.quarantine(entry.path);
    logger.warn('moved aside: a commit log file that holds nothing', { path: entry.path, to });
  }
}

/** Files lost at either end leave traces in what was derived from them. */
export function refuseLostFiles(
  log: RecoveryLog,
  summary: StoreSummary | null,
  afterCrash: boolean,
  countSigns: (fromOffset: number) => number,
): void {
  const end = log.filesEnd;
  if (countSigns(end) >= PROOF) {
    const path = log.segmentPath(end);
    refuse(
      `the commit log file ${path} is missing: queues, index or storeSummary.json lead into it; restore it, or remove ` +
        'consumequeue, index and storeSummary.json to go on without its messages',
    );
  }
  if (summary === null || log.files.length === 0 || summary.logMinOffset >= log.minOffset) return;
  const path = log.segmentPath(summary.logMinOffset);
  if (!afterCrash) {
    refuse(
      `the commit log file ${path} is missing: the log began there when the store was closed; restore it, or remove ` +
        'storeSummary.json to go on without its messages',
    );
  }
  logger.error('the first commit log files are gone', { path, minOffset: log.minOffset });
}

/** Counts what leads to the log at or behind an offset. */
export function signsOfRecords(
  table: ConsumeQueueTable,
  index: IndexService,
  summary: StoreSummary | null,
  fileSizeBytes: number,
): (fromOffset: number) => number {
  return (fromOffset) => {
    const until = fromOffset + fileSizeBytes * PLAUSIBLE_FILES;
    const isBehind = (offset: number) => offset >= fromOffset && offset < until;
    let signs = 0;
    if (summary !== null && summary.logMaxOffset > fromOffset) signs += PROOF;
    if (isBehind(index.lastPhysicalOffset)) signs++;
    for (const queue of table.queues()) {
      const max = queue.maxOffset;
      for (let i = max - 1; i >= Math.max(0, max - PROOF); i--) {
        if (!queue.locate(i)) break;
        if (isBehind(readCqPhysicalOffset(queue.buffer, queue.position))) signs++;
      }
    }
    return signs;
  };
}

function beginsWithRecord(path: string, fileFromOffset: number, request: DispatchRequest): boolean {
  const bytes = Buffer.alloc(LOOKED_AT_BYTES);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    const verdict = checkRecord(request, bytes, 0, length, fileFromOffset, true);
    return verdict === RecordVerdict.GOOD || verdict === RecordVerdict.DAMAGED;
  } finally {
    closeSync(file);
  }
}

function refuseWrongSize(log: RecoveryLog, path: string, sizeBytes: number): never {
  refuse(
    `the commit log file ${path} has ${sizeBytes} bytes and not ${log.fileSizeBytes}; restore it from a copy, or set ` +
      'mappedFileSizeCommitLog to what the store was written with',
  );
}

function refuse(sentence: string): never {
  throw cometError('STORE_DAMAGED', sentence);
}
