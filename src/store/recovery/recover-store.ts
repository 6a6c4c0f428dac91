// Room: store. Runs once, in the thread that will own the queues, before any agent starts. Opens the store as it was left: finds
// the end of the log, brings the queues and the index into accord with it, and says from where the agents go on. Java's load()
// and recover() are the base (storage.md 9); where Java loses what the log still has, this heals it (reliability.md 2.3).
// Always holds: a second run on the result finds nothing to do; no file that holds a message is deleted.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import { MAGIC_POSITION, MESSAGE_MAGIC, readInt32 } from '../../message/message-layout.js';
import { dropCache } from '../../native/fs.js';
import type { ConsumeQueueConfig } from '../consumequeue/consume-queue.js';
import { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import { correctMinOffset, recoverQueue, truncateQueue } from '../consumequeue/queue-recovery.js';
import { DeletedTopics } from '../dispatch/deleted-topics.js';
import { DispatchRequest, type DispatchRequestConfig } from '../dispatch/dispatch-request.js';
import { StoreSummarizer } from '../dispatch/store-summarizer.js';
import { storeTimestampOf } from '../get/offset-by-time.js';
import type { LogHole } from '../get/record-guard.js';
import type { IndexConfig } from '../index/index-file.js';
import { type IndexCheckpoint, type IndexFindings, IndexService } from '../index/index-service.js';
import { IndexHealer } from './index-healer.js';
import {
  auditLogFiles,
  readCheckpoint,
  refuseLostFiles,
  settleWrongSizes,
  signsOfRecords,
  type Timestamps,
} from './log-audit.js';
import { type WalkResult, walkLog } from './log-walk.js';
import { loadQueues, suspectsByStart, suspectsBySummary } from './queue-audit.js';
import { QueueHealer, type QueueHealerConfig } from './queue-healer.js';
import { type CommitLogPaths, RecoveryLog } from './recovery-log.js';
import { EMPTY_SUMMARY, readSummary, type StoreSummary, writeSummary } from './store-summary.js';

const logger = getLogger('recovery');

/** Files that a clean start walks from the end. */
const CLEAN_START_FILES = 3;
/** Files whose cached pages are dropped after a crash, so that recovery sees the disk. */
const DROPPED_FILES = 2;
/** Log before the walk of which only the heads of records are read. */
const COMPARED_BYTES = 128 * 1024 * 1024;
const CHECKPOINT_SLACK_MS = 3_000;

export interface RecoveryConfig
  extends ConsumeQueueConfig,
    IndexConfig,
    CommitLogPaths,
    QueueHealerConfig,
    DispatchRequestConfig {
  readonly checkCRCOnRecover: boolean;
  readonly messageIndexEnable: boolean;
  readonly messageIndexSafe: boolean;
}

/** Plain data: it crosses to the other threads. */
export interface RecoveredState {
  /** Start of the log, 0 when it is empty. */
  readonly minOffset: number;
  /** End of the log: where the next record goes. */
  readonly maxOffset: number;
  /** `topic-queueId` -> the offset that the queue's next message gets. */
  readonly queueOffsets: ReadonlyMap<string, number>;
  /** What lies before has its entries. */
  readonly reputFromOffset: number;
  readonly abortExisted: boolean;
  /** Store time of the last record that was walked, 0 when there was none. */
  readonly lastStoreTimestamp: number;
  /** Records before this offset were not looked at. */
  readonly verifiedFrom: number;
  readonly holes: readonly LogHole[];
  /** What was found wrong: holes, a torn end, entries healed, queues and index files built anew. */
  readonly damagedRecords: number;
  readonly healedEntries: number;
  readonly rebuiltQueues: readonly string[];
  readonly droppedIndexFiles: number;
  readonly deletedTopics: ReadonlyMap<string, number>;
}

export interface OpenedStore {
  readonly state: RecoveredState;
  readonly table: ConsumeQueueTable;
  readonly index: IndexService;
  readonly deletedTopics: DeletedTopics;
}

/** Recovers and closes again: for those who only want the state. */
export function recoverStore(config: RecoveryConfig, clock: Clock): RecoveredState {
  const { state, table, index } = openStore(config, clock);
  table.close();
  index.close();
  return state;
}

/**
 * Recovers and keeps queues and index open, for the agent that owns them.
 * @param comparedBytes how much of the log before the walk queues and index are compared with.
 * Throws STORE_DAMAGED when the store can't be opened without losing messages, NativeError when the disk fails.
 */
export function openStore(
  config: RecoveryConfig,
  clock: Clock,
  checkpoint: IndexCheckpoint | null = null,
  comparedBytes = COMPARED_BYTES,
): OpenedStore {
  const recovery = new Recovery(config, clock, checkpoint, comparedBytes);
  return recovery.run();
}

class Recovery {
  readonly #config: RecoveryConfig;
  readonly #comparedBytes: number;
  readonly #log: RecoveryLog;
  readonly #table: ConsumeQueueTable;
  readonly #index: IndexService;
  readonly #request: DispatchRequest;
  readonly #summary: StoreSummary | null;
  readonly #times: Timestamps;
  readonly #abortExisted: boolean;
  readonly #deleted: DeletedTopics;
  readonly #queues: QueueHealer;
  readonly #indexHealer: IndexHealer;

  constructor(
    config: RecoveryConfig,
    clock: Clock,
    checkpoint: IndexCheckpoint | null,
    comparedBytes: number,
  ) {
    const root = config.storePathRootDir;
    this.#comparedBytes = comparedBytes;
    this.#config = config;
    this.#abortExisted = existsSync(join(root, 'abort'));
    this.#summary = readSummary(root);
    this.#times = readCheckpoint(root);
    this.#log = new RecoveryLog(config);
    this.#log.mustSync = this.#abortExisted;
    this.#table = new ConsumeQueueTable(config);
    this.#index = new IndexService(config, { clock, checkpoint });
    this.#request = new DispatchRequest(config);
    this.#deleted = new DeletedTopics(this.#summary?.deletedTopics);
    this.#queues = new QueueHealer(this.#table, this.#log, config, this.#deleted);
    this.#indexHealer = new IndexHealer(this.#index);
  }

  run(): OpenedStore {
    this.#openFiles();
    const start = this.#walkStart();
    const compareStart = this.#compareStart(start);
    this.#fillIndexUpTo(compareStart);
    this.#indexHealer.beginWalk(compareStart);
    const earlierHoles = this.#scan(compareStart, start, (request) => this.#derive(request));
    const walked = this.#walk(start);
    const walk = { ...walked, holes: [...earlierHoles, ...walked.holes] };
    const end = this.#endLog(walk);
    this.#finishQueues(end, walk);
    this.#finishIndex(end, walk.holes);
    this.#log.sync();
    const state = this.#state(start, end, walk);
    this.#summarize(end);
    this.#report(state);
    this.#log.close();
    return { state, table: this.#table, index: this.#index, deletedTopics: this.#deleted };
  }

  #openFiles(): void {
    const log = this.#log;
    for (const directory of log.directories) mkdirSync(directory, { recursive: true });
    const findings = log.load();
    auditLogFiles(log, findings);
    if (this.#abortExisted) {
      for (const file of log.files.slice(-DROPPED_FILES)) dropCache(file.path);
    }
    const quarantine = (path: string) => log.quarantine(path);
    for (const queue of loadQueues(this.#table, quarantine)) this.#queues.suspects.add(queue);
    for (const queue of this.#table.queues()) recoverQueue(queue);
    const indexFindings = this.#loadIndex();
    const signs = signsOfRecords(this.#table, this.#index, this.#summary, log.fileSizeBytes);
    settleWrongSizes(log, findings, this.#request, signs);
    refuseLostFiles(log, this.#summary, this.#abortExisted, signs);
    this.#prepareIndex(indexFindings);
  }

  #loadIndex(): IndexFindings {
    const findings = this.#index.load();
    for (const path of findings.foreign) {
      logger.warn('ignored: not a file of the store', { path });
    }
    for (const path of findings.wrongSize) {
      logger.warn('moved aside: an index file of another size', {
        path,
        to: this.#log.quarantine(path),
      });
    }
    return findings;
  }

  #prepareIndex(findings: IndexFindings): void {
    const known = this.#config.messageIndexEnable ? this.#summary?.indexFiles : undefined;
    this.#indexHealer.prepare(
      findings,
      known ?? new Map(),
      this.#log.minOffset,
      this.#log.filesEnd,
      this.#abortExisted,
    );
  }

  /** Storage.md 9, step 2. */
  #walkStart(): number {
    const { files } = this.#log;
    if (files.length === 0) return 0;
    if (!this.#abortExisted) {
      return files[Math.max(0, files.length - CLEAN_START_FILES)]?.fileFromOffset ?? 0;
    }
    const minTimestamp = this.#checkpointTimestamp();
    for (const { fileFromOffset: start } of files.slice(1).reverse()) {
      if (!this.#log.locate(start)) continue;
      const { buffer, position } = this.#log;
      if (readInt32(buffer, position + MAGIC_POSITION) !== MESSAGE_MAGIC) continue;
      const time = storeTimestampOf(this.#log, start, 1);
      if (time > 0 && time <= minTimestamp) return start;
    }
    return this.#log.minOffset;
  }

  #checkpointTimestamp(): number {
    const { physicMsgTimestamp, logicsMsgTimestamp, indexMsgTimestamp } = this.#times;
    const min = Math.min(physicMsgTimestamp, logicsMsgTimestamp) - CHECKPOINT_SLACK_MS;
    const { messageIndexEnable, messageIndexSafe } = this.#config;
    const isSafe = messageIndexEnable && messageIndexSafe;
    return Math.max(0, isSafe ? Math.min(min, indexMsgTimestamp) : min);
  }

  #fillIndexUpTo(start: number): void {
    if (!this.#config.messageIndexEnable) return;
    const from = Math.max(this.#index.lastPhysicalOffset, this.#log.minOffset);
    if (from >= start) return;
    this.#scan(from, start, (request) => this.#indexHealer.put(request));
  }

  /** Queues and index are compared with some more of the log than is walked, as long as that costs little. */
  #compareStart(start: number): number {
    const isNear = (offset: number) => offset >= start - this.#comparedBytes;
    const first = this.#log.files.find(({ fileFromOffset }) => isNear(fileFromOffset));
    return Math.min(start, first?.fileFromOffset ?? start);
  }

  #derive(request: DispatchRequest): void {
    this.#queues.visit(request);
    if (this.#config.messageIndexEnable) this.#indexHealer.visit(request);
  }

  #walk(start: number): WalkResult {
    const options = {
      checkCrc: this.#config.checkCRCOnRecover,
      flushedUpToMs: this.#abortExisted ? this.#times.physicMsgTimestamp : null,
    };
    return walkLog(this.#log, start, this.#request, options, (request) => this.#derive(request));
  }

  #endLog(walk: WalkResult): number {
    const { end } = walk;
    for (const hole of walk.holes) logger.error('a damaged range of the log is left out', hole);
    if (walk.isTorn) logger.warn('the log is cut where its last record is torn', { end });
    for (const fileFromOffset of this.#log.truncateTo(end)) {
      logger.warn('a log file behind the end is gone', {
        path: this.#log.segmentPath(fileFromOffset),
      });
    }
    return end;
  }

  #finishQueues(end: number, walk: WalkResult): void {
    const healer = this.#queues;
    if (this.#log.files.length === 0) {
      for (const queue of this.#table.queues()) queue.destroy();
      return;
    }
    if (this.#table.maxPhysicOffset() >= end) {
      for (const queue of this.#table.queues()) truncateQueue(queue, end);
    }
    for (const queue of suspectsBySummary(this.#table, this.#log, this.#summary, end)) {
      healer.suspects.add(queue);
    }
    for (const queue of suspectsByStart(this.#table, this.#log)) healer.suspects.add(queue);
    healer.checkLastEntries();
    if (this.#isEveryQueueLost(walk)) this.#suspectAll(end);
    if (healer.suspects.size > 0) this.#rebuildQueues(end);
    const { minOffset } = this.#log;
    for (const queue of this.#table.queues()) correctMinOffset(queue, minOffset);
  }

  /** The list of queues goes to disk first: a crash in the middle must not leave half a queue that looks whole. */
  #rebuildQueues(end: number): void {
    const healer = this.#queues;
    const root = this.#config.storePathRootDir;
    const summary = { ...(this.#summary ?? EMPTY_SUMMARY), isClean: false };
    writeSummary(root, { ...summary, rebuild: healer.suspectNames() });
    healer.beginRebuild((path) => this.#log.quarantine(path));
    this.#scan(this.#log.minOffset, end, (request) => healer.rebuild(request));
    healer.endRebuild();
    writeSummary(root, { ...summary, rebuild: [] });
  }

  /** The folder was removed: only what the walk met is there now. */
  #isEveryQueueLost(walk: WalkResult): boolean {
    return walk.records > 0 && this.#table.loadedQueues === 0;
  }

  #suspectAll(end: number): void {
    this.#scan(this.#log.minOffset, end, (request) => {
      if (this.#deleted.covers(request)) return;
      this.#queues.suspectQueuesOf(request);
    });
  }

  #finishIndex(end: number, holes: readonly LogHole[]): void {
    if (!this.#config.messageIndexEnable || !this.#indexHealer.endWalk(end)) return;
    const from = Math.max(this.#index.lastPhysicalOffset, this.#log.minOffset);
    this.#scan(from, end, (request) => {
      const { physicalOffset } = request;
      const isDamaged = holes.some(({ from, to }) => physicalOffset >= from && physicalOffset < to);
      if (!isDamaged) this.#indexHealer.put(request);
    });
  }

  /** Every readable record of a range; the sums of bodies are not computed. The holes in it. */
  #scan(from: number, end: number, visit: (request: DispatchRequest) => void): LogHole[] {
    if (from >= end) return [];
    const options = { checkCrc: false, flushedUpToMs: null, knownEnd: end };
    return walkLog(this.#log, from, this.#request, options, visit).holes;
  }

  /** So that a crash in this life can tell what was here when it began. */
  #summarize(maxOffset: number): void {
    const { minOffset } = this.#log;
    const bounds = () => ({ minOffset, maxOffset });
    const root = this.#config.storePathRootDir;
    new StoreSummarizer(root, this.#table, this.#index, this.#deleted, bounds).write(false);
  }

  #state(start: number, end: number, walk: WalkResult): RecoveredState {
    const queueOffsets = new Map<string, number>();
    for (const queue of this.#table.queues()) {
      queueOffsets.set(`${queue.topic}-${queue.queueId}`, queue.maxOffset);
    }
    const rebuiltQueues = this.#queues.suspectNames();
    const { healedEntries } = this.#queues;
    const { droppedFiles } = this.#indexHealer;
    const damaged = walk.holes.length + (walk.isTorn ? 1 : 0);
    return {
      minOffset: this.#log.minOffset,
      maxOffset: end,
      queueOffsets,
      reputFromOffset: end,
      abortExisted: this.#abortExisted,
      lastStoreTimestamp: walk.lastStoreTimestamp,
      verifiedFrom: start,
      holes: walk.holes,
      damagedRecords: damaged + healedEntries + rebuiltQueues.length + droppedFiles,
      healedEntries,
      rebuiltQueues,
      droppedIndexFiles: droppedFiles,
      deletedTopics: this.#deleted.offsets,
    };
  }

  #report(state: RecoveredState): void {
    const { minOffset, maxOffset, abortExisted, damagedRecords } = state;
    const { healedEntries, rebuiltQueues, droppedIndexFiles } = state;
    logger.info('recovered', { minOffset, maxOffset, abortExisted, damagedRecords });
    if (damagedRecords === 0) return;
    logger.warn('derived files healed from the log', {
      healedEntries,
      rebuiltQueues: rebuiltQueues.length,
      droppedIndexFiles,
    });
  }
}
