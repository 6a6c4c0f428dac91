// Room: store. Flush thread. Makes the log durable and says so: the only writer of flushedWhere and of the checkpoint's first time. Java's
// GroupCommitService (SYNC_FLUSH) and FlushRealTimeService (ASYNC_FLUSH), storage.md 13.
//
// One sync covers all that is written at its beginning, so that whatever comes meanwhile shares the next one: that is group commit.
// SYNC_FLUSH syncs at once when somebody waits, and every 10 ms what nobody waits for. ASYNC_FLUSH syncs every 500 ms when 4 pages are
// dirty, and everything every 10 s.
//
// Always holds: flushedWhere moves only after the sync of all bytes before it succeeded. The first sync that fails ends the store
// (reliability.md 2.1): storeFailed is set, nothing is tried again, because a second sync of the same pages would succeed without
// having written them.

import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import type { Agent } from '../../ring/agent.js';
import type { CursorPage } from '../../ring/cursor.js';
import { StoreCursor } from '../store-cursors.js';

const log = getLogger('flush');
const PAGE_BYTES = 4096;
const SYNC_IDLE_INTERVAL_MS = 10;
const NEVER_MS = 60_000;

/** A file of the log as its flusher needs it; a MappedRegion is one. */
export interface FlushRegion {
  /** Blocks until the range is on disk. Throws when it may not be. */
  sync(position: number, lengthBytes: number): void;
  release(): void;
}

/** The checkpoint as its flusher needs it; StoreCheckpoint is one. */
export interface FlushCheckpoint {
  physicMsgTimestamp: number;
  write(): void;
  flush(): void;
  close(): void;
}

export interface FlushAgentConfig {
  readonly flushDiskType: 'ASYNC_FLUSH' | 'SYNC_FLUSH';
  readonly mappedFileSizeCommitLog: number;
  readonly flushIntervalCommitLog: number;
  readonly flushCommitLogLeastPages: number;
  readonly flushCommitLogThoroughInterval: number;
}

export interface FlushAgentOptions {
  readonly config: FlushAgentConfig;
  readonly cursors: CursorPage;
  readonly clock: Clock;
  readonly checkpoint: FlushCheckpoint;
  /** Opens the file that starts there; its name is on disk when this returns (LogFiles.openDurably). */
  readonly openRegion: (fileFromOffset: number) => FlushRegion;
  /** flushedWhere has moved: wakes whoever waits for it. */
  readonly onFlushed: () => void;
  /** The store has failed; called once. */
  readonly onFailed?: (error: unknown) => void;
}

export class FlushAgent implements Agent {
  readonly name = 'flush';
  readonly #options: FlushAgentOptions;
  readonly #isSync: boolean;
  #flushedWhere: number;
  #region: FlushRegion | null = null;
  #fileFromOffset = -1;
  #hasFailed = false;
  /** When the timer asks again, and when it asks for everything. */
  #dueMs: number;
  #thoroughDueMs: number;

  constructor(options: FlushAgentOptions) {
    this.#options = options;
    this.#isSync = options.config.flushDiskType === 'SYNC_FLUSH';
    this.#flushedWhere = options.cursors.get(StoreCursor.flushedWhere);
    const nowMs = options.clock.monotonicMs();
    this.#dueMs = nowMs + this.#intervalMs();
    this.#thoroughDueMs = nowMs + options.config.flushCommitLogThoroughInterval;
  }

  get flushedWhere(): number {
    return this.#flushedWhere;
  }

  doWork(): number {
    if (this.#hasFailed) return 0;
    const { cursors, clock, config } = this.#options;
    const isWanted = this.#isSync && cursors.get(StoreCursor.flushWanted) > this.#flushedWhere;
    const nowMs = clock.monotonicMs();
    if (!isWanted && nowMs < this.#dueMs) return 0;
    this.#dueMs = nowMs + this.#intervalMs();
    // Java's order: the time is read before the position, so that it never speaks of more than gets synced.
    const storeTimestamp = cursors.get(StoreCursor.storeTimestamp);
    const wroteOffset = cursors.get(StoreCursor.wroteOffset);
    const isThorough = this.#isSync || nowMs >= this.#thoroughDueMs;
    if (nowMs >= this.#thoroughDueMs) {
      this.#thoroughDueMs = nowMs + config.flushCommitLogThoroughInterval;
    }
    if (!isThorough && !this.#hasDirtyPages(wroteOffset)) return 0;
    return this.#flushTo(wroteOffset, storeTimestamp) ? 1 : 0;
  }

  hasWork(): boolean {
    if (this.#hasFailed || !this.#isSync) return false;
    return this.#options.cursors.get(StoreCursor.flushWanted) > this.#flushedWhere;
  }

  mayNap(): boolean {
    return false;
  }

  maxSleepMs(): number {
    if (this.#hasFailed) return NEVER_MS;
    return Math.max(0, this.#dueMs - this.#options.clock.monotonicMs());
  }

  /** Everything that was written is on disk when this returns, unless the store has failed. */
  close(): void {
    const { cursors, checkpoint } = this.#options;
    if (!this.#hasFailed) {
      const storeTimestamp = cursors.get(StoreCursor.storeTimestamp);
      this.#flushTo(cursors.get(StoreCursor.wroteOffset), storeTimestamp);
    }
    if (!this.#hasFailed) this.#guarded(() => checkpoint.flush());
    this.#region?.release();
    this.#region = null;
    this.#fileFromOffset = -1;
    checkpoint.close();
  }

  #intervalMs(): number {
    return this.#isSync ? SYNC_IDLE_INTERVAL_MS : this.#options.config.flushIntervalCommitLog;
  }

  #hasDirtyPages(wroteOffset: number): boolean {
    const { flushCommitLogLeastPages } = this.#options.config;
    const dirty = pageOf(wroteOffset) - pageOf(this.#flushedWhere);
    return wroteOffset > this.#flushedWhere && dirty >= flushCommitLogLeastPages;
  }

  /** Syncs file after file up to there. False when there was nothing to do, or it failed. */
  #flushTo(wroteOffset: number, storeTimestamp: number): boolean {
    if (wroteOffset <= this.#flushedWhere) return false;
    // An empty slave begins its log where its master is: there is nothing before the first file.
    const minOffset = this.#options.cursors.get(StoreCursor.logMinOffset);
    if (this.#flushedWhere < minOffset) this.#flushedWhere = Math.min(minOffset, wroteOffset);
    while (this.#flushedWhere < wroteOffset) {
      if (!this.#guarded(() => this.#syncOneFile(wroteOffset))) return false;
      this.#options.cursors.set(StoreCursor.flushedWhere, this.#flushedWhere);
      this.#options.onFlushed();
    }
    if (storeTimestamp > 0) {
      const { checkpoint } = this.#options;
      checkpoint.physicMsgTimestamp = storeTimestamp;
      checkpoint.write();
    }
    return true;
  }

  #syncOneFile(wroteOffset: number): void {
    const { mappedFileSizeCommitLog } = this.#options.config;
    const position = this.#flushedWhere % mappedFileSizeCommitLog;
    const fileFromOffset = this.#flushedWhere - position;
    const end = Math.min(wroteOffset - fileFromOffset, mappedFileSizeCommitLog);
    this.#regionOf(fileFromOffset).sync(position, end - position);
    this.#flushedWhere = fileFromOffset + end;
  }

  #regionOf(fileFromOffset: number): FlushRegion {
    if (this.#region !== null && this.#fileFromOffset === fileFromOffset) return this.#region;
    this.#region?.release();
    this.#region = null;
    this.#region = this.#options.openRegion(fileFromOffset);
    this.#fileFromOffset = fileFromOffset;
    return this.#region;
  }

  /** False when the work threw: the store has failed then. */
  #guarded(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#hasFailed = true;
      this.#options.cursors.set(StoreCursor.storeFailed, 1);
      log.error('a sync of the store failed: nothing more is acknowledged', { err: error });
      this.#options.onFailed?.(error);
      this.#options.onFlushed();
      return false;
    }
  }
}

function pageOf(offset: number): number {
  return Math.floor(offset / PAGE_BYTES);
}
