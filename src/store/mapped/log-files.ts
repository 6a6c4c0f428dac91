// Room: store. Any thread. The commit log's files by their start offsets: which folder each lies in, opening, and making the next one.
// Follows storage.md 1 for several folders (Java's MultiPathMappedFileQueue).
//
// Making a file is a race by design: the pool makes the next one ahead of need, and the owner of the log makes it itself when it is
// not there in time. The file system decides: creation is exclusive, so one of the two makes the file, and the other opens it. An
// open succeeds only when the file has its full length. That its name is on disk is settled by who makes it durable: the flush
// agent syncs the folder the first time it opens a file, before anything in the file counts as flushed.

import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNativeError } from '../../native/binding.js';
import { syncDirectory } from '../../native/fs.js';
import { MappedRegion } from '../../native/mapped-region.js';
import { isMissing, segmentFileName } from '../consumequeue/queue-files.js';
import { type CommitLogPaths, commitLogDirectories } from '../recovery/recovery-log.js';
import { usedRatio } from './disk-ratio.js';

const NAME = /^\d{20}$/;
/** How long the owner waits for a file that the pool has begun to make (Java waits as long for its allocation thread). */
const CREATE_WAIT_MS = 5000;
const CREATE_POLL_MS = 1;

export interface LogFileEntry {
  readonly path: string;
  readonly fileFromOffset: number;
}

export interface LogFilesConfig extends CommitLogPaths {
  readonly diskSpaceCleanForciblyRatio: number;
}

export class LogFiles {
  readonly fileSizeBytes: number;
  readonly directories: readonly string[];
  /** Folders that take new files, sorted. */
  readonly #writable: readonly string[];
  readonly #fullRatio: number;
  readonly #nap = new Int32Array(new SharedArrayBuffer(4));

  constructor(config: LogFilesConfig) {
    this.fileSizeBytes = config.mappedFileSizeCommitLog;
    this.directories = commitLogDirectories(config);
    this.#fullRatio = config.diskSpaceCleanForciblyRatio;
    const readOnly = new Set(
      (config.readOnlyCommitLogStorePaths ?? '').split(',').map((path) => path.trim()),
    );
    const writable = this.directories.filter((directory) => !readOnly.has(directory));
    this.#writable = (writable.length > 0 ? writable : [...this.directories]).sort();
  }

  /** The files on disk that have the name and the length of a segment, ascending. */
  list(): LogFileEntry[] {
    const entries: LogFileEntry[] = [];
    for (const directory of this.directories) {
      for (const name of namesIn(directory)) {
        const path = join(directory, name);
        if (!NAME.test(name) || statSync(path).size !== this.fileSizeBytes) continue;
        entries.push({ path, fileFromOffset: Number(name) });
      }
    }
    return entries.sort((a, b) => a.fileFromOffset - b.fileFromOffset);
  }

  /** Where the file is, or where it is to be made. */
  pathOf(fileFromOffset: number): string {
    const name = segmentFileName(fileFromOffset);
    if (this.directories.length > 1) {
      for (const directory of this.directories) {
        const path = join(directory, name);
        if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
      }
    }
    return join(this.#directoryFor(fileFromOffset), name);
  }

  /** Throws NativeError: ENOENT when there is no such file. */
  open(fileFromOffset: number): MappedRegion {
    return MappedRegion.open(this.pathOf(fileFromOffset), this.fileSizeBytes);
  }

  /** As open, and the file's name is on disk when this returns. */
  openDurably(fileFromOffset: number): MappedRegion {
    const region = this.open(fileFromOffset);
    syncDirectory(dirname(region.path));
    return region;
  }

  /** The file's path, once it is there in its full length. Owner of the log only. Throws NativeError (ENOSPC and the like). */
  ensure(fileFromOffset: number): string {
    const path = this.pathOf(fileFromOffset);
    for (let waitedMs = 0; ; waitedMs += CREATE_POLL_MS) {
      const region = this.#tryOpen(path, waitedMs < CREATE_WAIT_MS) ?? this.#tryCreate(path);
      if (region !== null) {
        region.release();
        return path;
      }
      Atomics.wait(this.#nap, 0, 0, CREATE_POLL_MS);
    }
  }

  /** Null when there is no file, or one that is still being made. */
  #tryOpen(path: string, mayWait: boolean): MappedRegion | null {
    try {
      return MappedRegion.open(path, this.fileSizeBytes);
    } catch (error) {
      if (isNativeError(error) && error.code === 'ENOENT') return null;
      if (isNativeError(error) && error.code === 'ESIZE' && mayWait) return null;
      throw error;
    }
  }

  /** Null when somebody else has begun to make it. */
  #tryCreate(path: string): MappedRegion | null {
    mkdirSync(dirname(path), { recursive: true });
    try {
      return MappedRegion.create(path, this.fileSizeBytes);
    } catch (error) {
      if (isNativeError(error) && error.code === 'EEXIST') return null;
      throw error;
    }
  }

  #directoryFor(fileFromOffset: number): string {
    const only = this.#writable[0];
    if (this.#writable.length === 1 && only !== undefined) return only;
    const roomy = this.#writable.filter((path) => usedRatio(path) <= this.#fullRatio);
    const usable = roomy.length > 0 ? roomy : this.#writable;
    const number = Math.floor(fileFromOffset / this.fileSizeBytes);
    return usable[number % usable.length] ?? '';
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
