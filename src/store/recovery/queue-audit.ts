// Room: store. Whoever recovers the store. Which queues are not what they were? By the files on disk, and by the summary that was
// written when they were whole.

import { basename } from 'node:path';
import { getLogger } from '../../base/logger.js';
import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import type { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import { CQ_UNIT_BYTES } from '../consumequeue/cq-unit.js';
import type { LoadFindings } from '../consumequeue/queue-files.js';
import type { LogView } from '../get/log-view.js';
import type { QueueSummary, StoreSummary } from './store-summary.js';

const logger = getLogger('recovery');

/** Opens the queues; those with odd files are answered, the odd files moved aside. */
export function loadQueues(
  table: ConsumeQueueTable,
  quarantine: (path: string) => string,
): ConsumeQueue[] {
  const suspects: ConsumeQueue[] = [];
  for (const { queue, entries, ext } of table.load()) {
    const isOdd = [entries, ext].map((found) => found !== null && settle(found, quarantine));
    if (isOdd.includes(true)) suspects.push(queue);
  }
  return suspects;
}

/** Queues that are shorter than they were, or begin later though the log doesn't. */
export function suspectsBySummary(
  table: ConsumeQueueTable,
  log: LogView,
  summary: StoreSummary | null,
  logEnd: number,
): ConsumeQueue[] {
  const suspects: ConsumeQueue[] = [];
  if (summary === null) return suspects;
  for (const [topic, queues] of summary.queues) {
    for (const [queueId, bounds] of queues) {
      const known = table.find(topic, queueId);
      if (!isShort(known, bounds, log, summary, logEnd)) continue;
      suspects.push(known ?? table.findOrCreate(topic, queueId));
    }
  }
  for (const name of summary.rebuild) {
    const slash = name.lastIndexOf('/');
    suspects.push(table.findOrCreate(name.slice(0, slash), Number(name.slice(slash + 1))));
  }
  return suspects;
}

/** While the log has lost nothing, no queue may have. */
export function suspectsByStart(table: ConsumeQueueTable, log: LogView): ConsumeQueue[] {
  if (log.minOffset > 0) return [];
  return [...table.queues()].filter(({ files }) => (files.first?.fileFromOffset ?? 0) > 0);
}

function isShort(
  queue: ConsumeQueue | undefined,
  [min, max, maxPhysicOffset]: QueueSummary,
  log: LogView,
  summary: StoreSummary,
  logEnd: number,
): boolean {
  // What the log lost, or no longer keeps, the queue may lack as well.
  if (maxPhysicOffset > logEnd || maxPhysicOffset <= log.minOffset || max === 0) return false;
  if (queue === undefined || queue.maxOffset < max) return true;
  const first = queue.files.first;
  return (
    summary.logMinOffset === log.minOffset &&
    first !== null &&
    first.fileFromOffset > min * CQ_UNIT_BYTES
  );
}

function settle(findings: LoadFindings, quarantine: (path: string) => string): boolean {
  let isOdd = findings.missing.length > 0;
  for (const path of findings.wrongSize) {
    logger.warn('moved aside: a queue file of another size', { path, to: quarantine(path) });
    isOdd = true;
  }
  for (const path of findings.foreign) {
    if (/^\d{20}$/.test(basename(path))) {
      logger.warn('moved aside: in the way of a queue file', { path, to: quarantine(path) });
      isOdd = true;
    } else {
      logger.warn('ignored: not a file of the store', { path });
    }
  }
  return isOdd;
}
