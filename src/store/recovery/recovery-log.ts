// Room: store. Whoever recovers the store, before the agents start. The commit log's files as they were found, opened one by one
// as recovery looks at them. Nothing here deletes a file that holds data: what must go is moved to quarantine/.

import { mkdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MappedRegion } from '../../native/mapped-region.js';
import { listDirectory, segmentFileName } from '../consumequeue/queue-files.js';
import type { LogView } from '../get/log-view.js';

const NAME = /^\d{20}$/;
const MAX_OPEN_FILES = 32;
const PATH_SPLITTER = ',';

export interface CommitLogPaths {
  readonly storePathRootDir: string;
  /** One folder, several with commas between, or nothing for the default. */
  readonly storePathCommitLog?: string | null;
  readonly readOnlyCommitLogStorePaths?: string | null;
  readonly mappedFileSizeCommitLog: number;
}

export interface LogFileEntry {
  readonly path: string;
  readonly fileFromOffset: number;
}

export interface LogFindings {
  /** Names that are no offset, and directories of other names; left alone. */
  readonly foreign: string[];
  /** Directories that have the name of a segment and would stand in its way. */
  readonly blocking: string[];
  readonly wrongSize: (LogFileEntry & { readonly sizeBytes: number })[];
}

export function commitLogDirectories(config: CommitLogPaths): string[] {
  const configured = [config.storePathCommitLog, config.readOnlyCommitLogStorePaths]
    .filter((paths) => typeof paths === 'string' && paths !== '')
    .flatMap((paths) => (paths as string).split(PATH_SPLITTER))
    .map((path) => path.trim())
    .filter((path) => path !== '');
  return configured.length > 0
    ? [...new Set(configured)]
    : [join(config.storePathRootDir, 'commitlog')];
}

export class RecoveryLog implements LogView {
  readonly fileSizeBytes: number;
  readonly directories: readonly string[];
  files: LogFileEntry[] = [];
  /** After a crash: what is read here may be in memory only, and counts as flushed once recovery is done. */
  mustSync = false;
  /** Set once recovery knows it; until then the end of the last file. */
  endOffset = -1;
  buffer: Buffer = Buffer.alloc(0);
  position = 0;
  limit = 0;
  /** Ordered by last use. */
  readonly #open = new Map<LogFileEntry, MappedRegion>();
  #current: LogFileEntry | null = null;
  readonly #root: string;

  constructor(config: CommitLogPaths) {
    this.fileSizeBytes = config.mappedFileSizeCommitLog;
    this.directories = commitLogDirectories(config);
    this.#root = config.storePathRootDir;
  }

  load(): LogFindings {
    const findings: LogFindings = { foreign: [], blocking: [], wrongSize: [] };
    for (const directory of this.directories) {
      for (const name of listDirectory(directory)) this.#sort(join(directory, name), findings);
    }
    this.files.sort((a, b) => a.fileFromOffset - b.fileFromOffset);
    return findings;
  }

  get minOffset(): number {
    return this.files[0]?.fileFromOffset ?? 0;
  }

  get maxOffset(): number {
    return this.endOffset >= 0 ? this.endOffset : this.filesEnd;
  }

  /** Where the last file ends. */
  get filesEnd(): number {
    const last = this.files[this.files.length - 1];
    return last === undefined ? 0 : last.fileFromOffset + this.fileSizeBytes;
  }

  /** Nobody appends while the store is recovered. */
  refresh(): void {}

  locate(physicalOffset: number): boolean {
    const first = this.files[0];
    if (first === undefined || physicalOffset < first.fileFromOffset) return false;
    if (physicalOffset >= this.maxOffset) return false;
    const entry =
      this.files[Math.floor((physicalOffset - first.fileFromOffset) / this.fileSizeBytes)];
    if (entry === undefined) return false;
    this.buffer = this.#region(entry).buffer;
    this.position = physicalOffset - entry.fileFromOffset;
    this.limit = Math.min(this.fileSizeBytes, this.maxOffset - entry.fileFromOffset);
    return true;
  }

  /**
   * Ends the log: the bytes behind are zeroed as far as any are there, and files that begin behind go: to quarantine when
   * something is in them. The start offsets of the files that went.
   */
  truncateTo(offset: number): number[] {
    const gone: number[] = [];
    for (;;) {
      const last = this.files[this.files.length - 1];
      if (last === undefined || last.fileFromOffset <= offset) break;
      if (this.#isZero(last)) {
        this.#closeOpen();
        unlinkSync(last.path);
      } else {
        this.quarantine(last.path);
      }
      gone.push(last.fileFromOffset);
      this.files.pop();
    }
    this.endOffset = -1;
    if (this.locate(offset)) zeroTail(this.buffer, this.position);
    this.endOffset = offset;
    return gone;
  }

  /** Moves a file or directory aside, under its own name. Returns where it is now. */
  quarantine(path: string): string {
    this.#closeOpen();
    return moveToQuarantine(this.#root, path);
  }

  segmentPath(fileFromOffset: number): string {
    return join(this.directories[0] ?? '', segmentFileName(fileFromOffset));
  }

  /** Writes what recovery changed to disk. */
  sync(): void {
    for (const region of this.#open.values()) region.sync(0, this.fileSizeBytes);
  }

  close(): void {
    this.#closeOpen();
  }

  #sort(path: string, findings: LogFindings): void {
    const stat = statSync(path);
    const name = basename(path);
    const fileFromOffset = Number(name);
    if (!NAME.test(name)) findings.foreign.push(path);
    else if (!stat.isFile()) findings.blocking.push(path);
    else if (stat.size !== this.fileSizeBytes || fileFromOffset % this.fileSizeBytes !== 0) {
      findings.wrongSize.push({ path, fileFromOffset, sizeBytes: stat.size });
    } else this.files.push({ path, fileFromOffset });
  }

  /** A few files stay open, so that looking up another record does not take away the one at hand. */
  #region(entry: LogFileEntry): MappedRegion {
    let region = this.#open.get(entry);
    if (region !== undefined && entry === this.#current) return region;
    if (region === undefined) {
      if (this.#open.size >= MAX_OPEN_FILES) this.#closeOldest();
      region = MappedRegion.open(entry.path, this.fileSizeBytes);
    } else {
      this.#open.delete(entry);
    }
    this.#open.set(entry, region);
    this.#current = entry;
    return region;
  }

  #closeOldest(): void {
    for (const [oldest, opened] of this.#open) {
      if (this.mustSync) opened.sync(0, this.fileSizeBytes);
      opened.release();
      this.#open.delete(oldest);
      return;
    }
  }

  #closeOpen(): void {
    for (const region of this.#open.values()) region.release();
    this.#open.clear();
    this.#current = null;
    this.buffer = Buffer.alloc(0);
  }

  #isZero(entry: LogFileEntry): boolean {
    const { buffer } = this.#region(entry);
    return firstNonZeroChunk(buffer, 0) < 0;
  }
}

/** How much zero in a row counts as the end of everything in a file. */
export const ZERO_RUN_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const ZEROES = Buffer.alloc(CHUNK_BYTES);

/** Start of the first chunk from a position that is not all zero; -1 when ZERO_RUN_BYTES of zero, or the end, come first. */
export function firstNonZeroChunk(buffer: Buffer, position: number): number {
  const stop = Math.min(buffer.length, position + ZERO_RUN_BYTES);
  for (let at = position; at < stop; at += CHUNK_BYTES) {
    const end = Math.min(at + CHUNK_BYTES, stop);
    if (buffer.compare(ZEROES, 0, end - at, at, end) !== 0) return at;
  }
  return -1;
}

function zeroTail(buffer: Buffer, position: number): void {
  let at = position;
  for (;;) {
    const chunk = firstNonZeroChunk(buffer, at);
    if (chunk < 0) return;
    at = Math.min(chunk + CHUNK_BYTES, buffer.length);
    buffer.fill(0, chunk, at);
  }
}

/** quarantine/<parent folders>/<name>, with a number when that is taken. */
export function moveToQuarantine(root: string, path: string): string {
  const relative = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : basename(path);
  const wanted = join(root, 'quarantine', relative);
  mkdirSync(join(wanted, '..'), { recursive: true });
  let target = wanted;
  for (let n = 1; exists(target); n++) target = `${wanted}.${n}`;
  renameSync(path, target);
  return target;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
