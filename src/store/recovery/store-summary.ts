// Room: store. The dispatch worker writes it (at every thorough flush and at a clean stop), recovery reads it. A small file beside
// the store's own, `storeSummary.json`, that Java doesn't know and doesn't mind: how far each queue reached, which index files
// there were, where the log began, and which topics were deleted at what position of the log. It lets recovery see that a
// derived file is lost, which the files that are left don't tell.
// Always holds: what it says was true once; queues only grow from there, unless the log was cut. Without it, or with a damaged
// one, recovery does what Java does and the checks that need no summary.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAME = 'storeSummary.json';
const VERSION = 1;

/** [min offset, max offset, end in the log of the last record with an entry]. */
export type QueueSummary = readonly [number, number, number];

export interface StoreSummary {
  readonly isClean: boolean;
  readonly logMinOffset: number;
  readonly logMaxOffset: number;
  /** topic -> queue id -> bounds */
  readonly queues: ReadonlyMap<string, ReadonlyMap<number, QueueSummary>>;
  /** Names, with the log offset of each file's last record. */
  readonly indexFiles: ReadonlyMap<string, number>;
  /** Records of the topic before the offset are not dispatched again. */
  readonly deletedTopics: ReadonlyMap<string, number>;
  /** `topic/queueId` of queues that have to be built anew. */
  readonly rebuild: readonly string[];
}

export const EMPTY_SUMMARY: StoreSummary = {
  isClean: false,
  logMinOffset: 0,
  logMaxOffset: 0,
  queues: new Map(),
  indexFiles: new Map(),
  deletedTopics: new Map(),
  rebuild: [],
};

export function summaryPath(storePathRootDir: string): string {
  return join(storePathRootDir, NAME);
}

/** The summary on disk, null when there is none that can be read. */
export function readSummary(storePathRootDir: string): StoreSummary | null {
  let text: string;
  try {
    text = readFileSync(summaryPath(storePathRootDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return parseSummary(text);
}

export function parseSummary(text: string): StoreSummary | null {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return null; // A damaged summary counts as none.
  }
  if (!isRecord(data) || data['version'] !== VERSION) return null;
  const { logMinOffset, logMaxOffset, queues, indexFiles, deletedTopics, rebuild } = data;
  if (!isOffset(logMinOffset) || !isOffset(logMaxOffset)) return null;
  if (!isRecord(queues) || !isRecord(indexFiles) || !isRecord(deletedTopics)) return null;
  return {
    isClean: data['isClean'] === true,
    logMinOffset,
    logMaxOffset,
    queues: new Map(Object.entries(queues).map(([topic, ids]) => [topic, queuesOf(ids)])),
    indexFiles: numbersOf(indexFiles),
    deletedTopics: numbersOf(deletedTopics),
    rebuild: Array.isArray(rebuild) ? rebuild.filter((name) => typeof name === 'string') : [],
  };
}

export function formatSummary(summary: StoreSummary): string {
  const queues: Record<string, Record<string, QueueSummary>> = {};
  for (const [topic, ids] of summary.queues) queues[topic] = Object.fromEntries(ids);
  return JSON.stringify({
    version: VERSION,
    isClean: summary.isClean,
    logMinOffset: summary.logMinOffset,
    logMaxOffset: summary.logMaxOffset,
    queues,
    indexFiles: Object.fromEntries(summary.indexFiles),
    deletedTopics: Object.fromEntries(summary.deletedTopics),
    rebuild: summary.rebuild,
  });
}

/** Replaces the file whole: synced under another name, then renamed, then the folder synced. Throws the system's error. */
export function writeSummary(storePathRootDir: string, summary: StoreSummary): void {
  const path = summaryPath(storePathRootDir);
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w');
  try {
    writeSync(file, formatSummary(summary));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function queuesOf(value: unknown): ReadonlyMap<number, QueueSummary> {
  const queues = new Map<number, QueueSummary>();
  if (!isRecord(value)) return queues;
  for (const [id, bounds] of Object.entries(value)) {
    if (!Array.isArray(bounds) || bounds.length !== 3 || !bounds.every(Number.isSafeInteger)) {
      continue;
    }
    queues.set(Number(id), bounds as unknown as QueueSummary);
  }
  return queues;
}

function numbersOf(value: Record<string, unknown>): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [name, number] of Object.entries(value)) {
    if (Number.isSafeInteger(number)) numbers.set(name, number as number);
  }
  return numbers;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
