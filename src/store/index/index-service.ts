// Room: store. The dispatch worker owns the one that writes; the pool has one of its own that only reads and calls refresh()
// first. The index files in the order of their names, which are the local times they were made at. Java's IndexService.
// Hot: putKeys runs once a record; `!`: indexes are within the row of files.
// Always holds: only the last file grows; a record is in it once, even when it is dispatched again after a restart.

import { mkdirSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import { isNativeError } from '../../native/binding.js';
import { isMissing, listDirectory } from '../consumequeue/queue-files.js';
import { indexKeyHash } from '../dispatch/dispatch-request.js';
import { type IndexConfig, IndexFile, indexFileSize } from './index-file.js';

const logger = getLogger('index');

const NAME = /^\d{17}$/;

/** The checkpoint's part that a file that got full moves. */
export interface IndexCheckpoint {
  indexMsgTimestamp: number;
  flush(): void;
}

export interface IndexFindings {
  /** Names that are no time, and directories; left alone. */
  readonly foreign: string[];
  /** Files of another length; not opened. */
  readonly wrongSize: string[];
}

export interface IndexQueryResult {
  readonly physicalOffsets: number[];
  readonly lastUpdateTimestamp: number;
  readonly lastUpdatePhysicalOffset: number;
}

export interface IndexServiceOptions {
  readonly clock: Clock;
  readonly checkpoint?: IndexCheckpoint | null;
  /** Called for a file that got full, to write it to disk off this thread; without it the file is written here and now. */
  readonly syncFullFile?: (path: string, sizeBytes: number, onSynced: () => void) => void;
}

export class IndexService {
  readonly directory: string;
  readonly files: IndexFile[] = [];
  readonly #config: IndexConfig;
  readonly #options: IndexServiceOptions;
  #isDirty = false;

  constructor(config: IndexConfig, options: IndexServiceOptions) {
    this.#config = config;
    this.#options = options;
    this.directory = join(config.storePathRootDir, 'index');
  }

  load(): IndexFindings {
    const findings: IndexFindings = { foreign: [], wrongSize: [] };
    for (const name of listDirectory(this.directory)) {
      const path = join(this.directory, name);
      const stat = statSync(path);
      if (!NAME.test(name) || !stat.isFile()) findings.foreign.push(path);
      else if (stat.size !== indexFileSize(this.#config)) findings.wrongSize.push(path);
      else this.files.push(IndexFile.open(path, this.#config));
    }
    return findings;
  }

  /** For readers in other threads: follows what the owner made and deleted. */
  refresh(): void {
    const names = new Set(listDirectory(this.directory).filter((name) => NAME.test(name)));
    for (let i = this.files.length - 1; i >= 0; i--) {
      const file = this.files[i]!;
      if (names.delete(basename(file.path))) continue;
      file.close();
      this.files.splice(i, 1);
    }
    for (const name of names) this.#openIfWhole(join(this.directory, name));
    this.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  get last(): IndexFile | null {
    return this.files[this.files.length - 1] ?? null;
  }

  /** End of what is indexed: the offset of the last record that has an entry, -1 when there is none. */
  get lastPhysicalOffset(): number {
    for (let i = this.files.length - 1; i >= 0; i--) {
      const file = this.files[i]!;
      if (file.indexCount > 1) return file.endPhysicalOffset;
    }
    return -1;
  }

  /** Enters the keys of one record. One that is there already, wholly or in part, is not entered again. */
  putKeys(
    hashes: readonly number[],
    count: number,
    physicalOffset: number,
    storeTimestamp: number,
  ): void {
    const lastOffset = this.lastPhysicalOffset;
    if (physicalOffset < lastOffset) return;
    this.#isDirty = true;
    let i = physicalOffset === lastOffset ? this.#entriesOf(physicalOffset) : 0;
    for (; i < count; i++) {
      const hash = hashes[i] ?? 0;
      while (!this.#fileForPut().put(hash, physicalOffset, storeTimestamp));
    }
  }

  query(
    topic: string,
    key: string,
    maxCount: number,
    beginMs: number,
    endMs: number,
  ): IndexQueryResult {
    const physicalOffsets: number[] = [];
    const last = this.last;
    if (last === null) {
      return { physicalOffsets, lastUpdateTimestamp: 0, lastUpdatePhysicalOffset: 0 };
    }
    const hash = indexKeyHash(topic, key);
    for (let i = this.files.length - 1; i >= 0; i--) {
      const file = this.files[i]!;
      if (file.isTimeMatched(beginMs, endMs)) {
        file.select(physicalOffsets, hash, maxCount, beginMs, endMs);
      }
      if (file.beginTimestamp < beginMs || physicalOffsets.length >= maxCount) break;
    }
    return {
      physicalOffsets,
      lastUpdateTimestamp: last.endTimestamp,
      lastUpdatePhysicalOffset: last.endPhysicalOffset,
    };
  }

  /** Drops the files of which every record is gone from the log, never the last one. */
  deleteExpired(logMinOffset: number): number {
    let count = 0;
    while (this.files.length > 1 && this.files[0]!.endPhysicalOffset < logMinOffset) {
      this.#remove(this.files.shift()!);
      count++;
    }
    return count;
  }

  /** Takes away a file and all younger ones, so that they can be built anew from the log. */
  dropFrom(position: number): void {
    for (const file of this.files.splice(position)) this.#remove(file);
  }

  /** Writes the last file to disk; only then may the checkpoint say so. */
  sync(): void {
    this.last?.sync();
  }

  /** What this instance wrote is on disk when it returns, if the disk lets it: a clean stop promises whole files. */
  close(): void {
    if (this.#isDirty) this.#syncLast();
    for (const file of this.files) file.close();
    this.files.length = 0;
  }

  /** The index is derived: a start that finds it wrong builds it anew. */
  #syncLast(): void {
    try {
      this.sync();
    } catch (error) {
      if (!isNativeError(error)) throw error;
      logger.error('the index could not be written to disk', { err: error });
    }
    this.#isDirty = false;
  }

  #entriesOf(physicalOffset: number): number {
    let count = 0;
    for (let i = this.files.length - 1; i >= 0; i--) {
      const file = this.files[i]!;
      const inFile = file.entriesOf(physicalOffset);
      count += inFile;
      if (inFile < file.indexCount - 1) break;
    }
    return count;
  }

  #fileForPut(): IndexFile {
    const last = this.last;
    if (last !== null && !last.isFull) return last;
    if (last === null) mkdirSync(this.directory, { recursive: true });
    const file = IndexFile.create(
      join(this.directory, this.#newName()),
      this.#config,
      last?.endPhysicalOffset ?? 0,
      last?.endTimestamp ?? 0,
    );
    this.files.push(file);
    if (last !== null) this.#syncFull(last);
    return file;
  }

  #syncFull(file: IndexFile): void {
    const endTimestamp = file.endTimestamp;
    const onSynced = () => {
      const checkpoint = this.#options.checkpoint;
      if (checkpoint === undefined || checkpoint === null) return;
      checkpoint.indexMsgTimestamp = endTimestamp;
      checkpoint.flush();
    };
    const { syncFullFile } = this.#options;
    if (syncFullFile !== undefined) {
      syncFullFile(file.path, indexFileSize(this.#config), onSynced);
      return;
    }
    file.sync();
    onSynced();
  }

  /** Names sort as the files were made, also when two are made in one millisecond or the clock steps back. */
  #newName(): string {
    const last = this.last;
    const name = localTimeName(this.#options.clock.nowMs());
    if (last === null || name > basename(last.path)) return name;
    return String(BigInt(basename(last.path)) + 1n);
  }

  #openIfWhole(path: string): void {
    try {
      if (statSync(path).size !== indexFileSize(this.#config)) return;
      this.files.push(IndexFile.open(path, this.#config));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #remove(file: IndexFile): void {
    file.close();
    try {
      unlinkSync(file.path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

/** yyyyMMddHHmmssSSS in local time. */
export function localTimeName(timeMs: number): string {
  const time = new Date(timeMs);
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  return (
    pad(time.getFullYear(), 4) +
    pad(time.getMonth() + 1, 2) +
    pad(time.getDate(), 2) +
    pad(time.getHours(), 2) +
    pad(time.getMinutes(), 2) +
    pad(time.getSeconds(), 2) +
    pad(time.getMilliseconds(), 3)
  );
}
