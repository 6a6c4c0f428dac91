// Room: store. Owner of the log (its housekeeping). Decides which files of the log go, and whether the disk is too full to take more in.
// Follows storage.md 16; Java's CleanCommitLogService. Deleting itself is slow and is the pool's work.
//
// Always holds: the last file never goes; files go from the oldest; logMinOffset is raised before a file is deleted, so that a
// reader is told first. At most 10 files a pass, with a pause between two. A pause is waited out over several calls of run().

import { statSync } from 'node:fs';
import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import { isMissing } from '../consumequeue/queue-files.js';
import { usedPercent } from '../mapped/disk-ratio.js';
import type { RunningFlags } from '../running-flags.js';

const log = getLogger('clean-commitlog');
const FIRST_PASS_MS = 60_000;
const FIRST_DISK_CHECK_MS = 1000;
const DISK_CHECK_INTERVAL_MS = 10_000;
const FILES_PER_PASS = 10;
const HOUR_MS = 3_600_000;
const MIN_USED_PERCENT = 10;
const MAX_USED_PERCENT = 95;

export interface CleanCommitLogConfig {
  readonly cleanResourceInterval: number;
  readonly deleteCommitLogFilesInterval: number;
  readonly deleteWhen: string;
  readonly fileReservedTime: number;
  readonly diskMaxUsedSpaceRatio: number;
  readonly cleanFileForciblyEnable: boolean;
  readonly diskSpaceCleanForciblyRatio: number;
  readonly diskSpaceWarningLevelRatio: number;
}

/** The log as its cleaner needs it; CommitLog is one. */
export interface CleanableLog {
  manualDeletePasses: number;
  /** Null when only the file that is appended to is left. */
  readonly oldestFile: { readonly path: string } | null;
  dropOldestFile(): string | null;
}

export interface CleanCommitLogOptions {
  readonly config: CleanCommitLogConfig;
  readonly commitLog: CleanableLog;
  readonly runningFlags: RunningFlags;
  readonly clock: Clock;
  /** Folders of the log; the least full one decides. */
  readonly commitLogPaths: readonly string[];
  readonly consumeQueuePath: string;
  /** Unlinks the file, in the pool. Whoever has it mapped reads on. */
  readonly deleteFile: (path: string) => void;
  readonly usedPercentOf?: (path: string) => number;
  /** Last modification in ms since the epoch; -1 for a file that is gone. */
  readonly modifiedMsOf?: (path: string) => number;
  /** Hour of the day, in local time. */
  readonly hourOf?: (nowMs: number) => number;
}

export class CleanCommitLogService {
  /** Files taken out of the log since the start. */
  deletedFiles = 0;
  readonly #options: CleanCommitLogOptions;
  readonly #usedPercentOf: (path: string) => number;
  readonly #modifiedMsOf: (path: string) => number;
  readonly #hourOf: (nowMs: number) => number;
  #passDueMs: number;
  #diskDueMs: number;
  #nextFileDueMs = 0;
  /** Files that the present pass may still take. */
  #filesLeft = 0;
  #isAgeIgnored = false;
  #isOverForcibly = false;

  constructor(options: CleanCommitLogOptions) {
    this.#options = options;
    this.#usedPercentOf = options.usedPercentOf ?? usedPercent;
    this.#modifiedMsOf = options.modifiedMsOf ?? modifiedMs;
    this.#hourOf = options.hourOf ?? ((nowMs) => new Date(nowMs).getHours());
    const nowMs = options.clock.monotonicMs();
    this.#passDueMs = nowMs + FIRST_PASS_MS;
    this.#diskDueMs = nowMs + FIRST_DISK_CHECK_MS;
  }

  /** Does what is due; call it about once a second. */
  run(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs >= this.#diskDueMs) {
      this.#diskDueMs = nowMs + DISK_CHECK_INTERVAL_MS;
      this.checkDisk();
    }
    if (nowMs >= this.#passDueMs) {
      this.#passDueMs = nowMs + this.#options.config.cleanResourceInterval;
      this.#beginPass();
    }
    if (this.#filesLeft > 0 && nowMs >= this.#nextFileDueMs) {
      this.#nextFileDueMs = nowMs + this.#options.config.deleteCommitLogFilesInterval;
      this.#deleteOne();
    }
  }

  /** Sets and clears the disk-full flag, and whether age is ignored. */
  checkDisk(): void {
    const { config, runningFlags, consumeQueuePath } = this.#options;
    const percent = Math.max(this.#logPercent(), this.#usedPercentOf(consumeQueuePath));
    const isFull = percent > toPercent(config.diskSpaceWarningLevelRatio);
    if (isFull !== runningFlags.isDiskFull()) {
      runningFlags.setDiskFull(isFull);
      const text = isFull ? 'is full: no messages are taken in' : 'has room again';
      log.warn(`the disk ${text}`, { usedPercent: percent });
    }
    this.#isOverForcibly = percent > toPercent(config.diskSpaceCleanForciblyRatio);
  }

  #beginPass(): void {
    const { config, commitLog, clock } = this.#options;
    const isManual = commitLog.manualDeletePasses > 0;
    const isTime = isDeleteHour(config.deleteWhen, this.#hourOf(clock.nowMs()));
    const isOverUsed = this.#isOverMaxUsed();
    this.#filesLeft = 0;
    if (!isTime && !isManual && !isOverUsed && !this.#isOverForcibly) return;
    if (isManual) commitLog.manualDeletePasses--;
    this.#filesLeft = FILES_PER_PASS;
    this.#isAgeIgnored = config.cleanFileForciblyEnable && this.#isOverForcibly;
  }

  #isOverMaxUsed(): boolean {
    const { config, consumeQueuePath } = this.#options;
    const limit = Math.min(
      MAX_USED_PERCENT,
      Math.max(MIN_USED_PERCENT, config.diskMaxUsedSpaceRatio),
    );
    return this.#logPercent() > limit || this.#usedPercentOf(consumeQueuePath) > limit;
  }

  #logPercent(): number {
    return Math.min(...this.#options.commitLogPaths.map((path) => this.#usedPercentOf(path)));
  }

  /** Ends the pass at the first file that stays. */
  #deleteOne(): void {
    const { commitLog, deleteFile } = this.#options;
    const oldest = commitLog.oldestFile;
    const path =
      oldest !== null && this.#isExpired(oldest.path) ? commitLog.dropOldestFile() : null;
    if (path === null) {
      this.#filesLeft = 0;
      return;
    }
    this.#filesLeft--;
    this.deletedFiles++;
    log.info('a file of the commit log goes', { path, isAgeIgnored: this.#isAgeIgnored });
    deleteFile(path);
  }

  #isExpired(path: string): boolean {
    if (this.#isAgeIgnored) return true;
    const { config, clock } = this.#options;
    return this.#modifiedMsOf(path) + config.fileReservedTime * HOUR_MS <= clock.nowMs();
  }
}

/** `04` or `04;16`: hours of the day. */
export function isDeleteHour(deleteWhen: string, hour: number): boolean {
  return deleteWhen.split(';').some((text) => Number.parseInt(text, 10) === hour);
}

function toPercent(ratio: number): number {
  return Math.round(ratio * 100);
}

function modifiedMs(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return -1;
    throw error;
  }
}
