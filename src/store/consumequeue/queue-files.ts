// Room: store. Dispatch worker only. The files of one stream (a ConsumeQueue's entries, or its ext units): a row of files of
// equal size whose names are their start offsets, 20 digits each. Java's MappedFileQueue with files that are mapped lazily.
// Always holds: files are ascending and neighbours touch; only the last one grows; bytes behind wrotePosition of the last
// file are zero after recovery, so that entries once cut never come back.

import { mkdirSync, readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../base/assert.js';
import { type MappedFilePool, QueueFile } from './queue-file.js';

const NAME = /^\d{20}$/;

export function segmentFileName(fileFromOffset: number): string {
  return String(fileFromOffset).padStart(20, '0');
}

/** What load() met besides files as they should be. Paths are whole. */
export interface LoadFindings {
  /** Names that are no offset, and directories. They are left alone. */
  readonly foreign: string[];
  /** Files of the right name and another length. They are not opened. */
  readonly wrongSize: string[];
  /** Start offsets between the first file and the last one that have no file, or no file of the right length. */
  readonly missing: number[];
}

export class QueueFiles {
  readonly directory: string;
  readonly fileSizeBytes: number;
  files: QueueFile[] = [];
  readonly #pool: MappedFilePool;

  constructor(directory: string, fileSizeBytes: number, pool: MappedFilePool) {
    this.directory = directory;
    this.fileSizeBytes = fileSizeBytes;
    this.#pool = pool;
  }

  /**
   * Finds the files on disk; each counts as full until recovery corrects the last ones. Files behind a gap are not opened:
   * whoever heals the stream decides about them.
   */
  load(): LoadFindings {
    const findings: LoadFindings = { foreign: [], wrongSize: [], missing: [] };
    const starts: number[] = [];
    for (const name of listDirectory(this.directory)) {
      const path = join(this.directory, name);
      const stat = statSync(path);
      if (!NAME.test(name) || !stat.isFile() || Number(name) % this.fileSizeBytes !== 0) {
        findings.foreign.push(path);
      } else if (stat.size !== this.fileSizeBytes) {
        findings.wrongSize.push(path);
        findings.missing.push(Number(name));
      } else {
        starts.push(Number(name));
      }
    }
    starts.sort((a, b) => a - b);
    this.files = [];
    for (const start of starts) {
      const last = this.files.at(-1);
      if (last !== undefined) {
        const next = last.fileFromOffset + this.fileSizeBytes;
        for (let gap = next; gap < start && findings.missing.length < 1_000; ) {
          findings.missing.push(gap);
          gap += this.fileSizeBytes;
        }
        if (start !== next) continue;
      }
      const file = this.#file(start);
      file.setPosition(this.fileSizeBytes);
      this.files.push(file);
    }
    return findings;
  }

  get first(): QueueFile | null {
    return this.files[0] ?? null;
  }

  get last(): QueueFile | null {
    return this.files[this.files.length - 1] ?? null;
  }

  /** End of what is written, 0 when there is no file. */
  get maxOffset(): number {
    const last = this.files[this.files.length - 1];
    return last === undefined ? 0 : last.fileFromOffset + last.wrotePosition;
  }

  find(offset: number): QueueFile | null {
    const first = this.files[0];
    if (first === undefined || offset < first.fileFromOffset) return null;
    return this.files[Math.floor((offset - first.fileFromOffset) / this.fileSizeBytes)] ?? null;
  }

  /** The file to append to, made when there is none or the last one is full. Throws NativeError when it can't be made. */
  lastForAppend(startOffset: number): QueueFile {
    const last = this.files[this.files.length - 1];
    if (last !== undefined && !last.isFull) return last;
    const start =
      last === undefined
        ? startOffset - (startOffset % this.fileSizeBytes)
        : last.fileFromOffset + this.fileSizeBytes;
    if (last === undefined) mkdirSync(this.directory, { recursive: true });
    const file = this.#file(start);
    file.create();
    this.files.push(file);
    return file;
  }

  /** Java's truncateDirtyFiles, and zeroes what was behind. */
  truncateTo(offset: number): void {
    for (;;) {
      const last = this.last;
      if (last === null || last.fileFromOffset <= offset) break;
      this.deleteLast();
    }
    const file = this.last;
    if (file === null || file.fileFromOffset + this.fileSizeBytes <= offset) return;
    const position = offset - file.fileFromOffset;
    assert(position <= this.fileSizeBytes, 'a truncation is inside the last file');
    zeroWrittenTail(file.buffer, position);
    file.setPosition(position);
  }

  /** The oldest file with as many dirty pages as asked for, null when there is none. A full file counts with any. */
  dirtyFile(leastPages: number): QueueFile | null {
    const { files } = this;
    let i = files.length - 1;
    while (i > 0 && isDirty(files[i - 1])) i--;
    const file = files[i];
    if (file === undefined || !isDirty(file)) return null;
    if (leastPages === 0 || file.isFull) return file;
    const dirtyPages = (file.wrotePosition >>> 12) - (file.flushedPosition >>> 12);
    return dirtyPages >= leastPages ? file : null;
  }

  /** Oldest first. Files before the dirty ones have been written whole. */
  dirtyFiles(): QueueFile[] {
    const { files } = this;
    let from = files.length;
    while (from > 0 && isDirty(files[from - 1])) from--;
    return files.slice(from);
  }

  deleteFirst(): void {
    const file = this.files.shift();
    if (file !== undefined) remove(file);
  }

  deleteLast(): void {
    const file = this.files.pop();
    if (file !== undefined) remove(file);
  }

  /** Deletes the files and, when nothing else is in it, the directory. */
  destroy(): void {
    for (const file of this.files) remove(file);
    this.files = [];
    if (listDirectory(this.directory).length === 0) removeDirectory(this.directory);
  }

  close(): void {
    for (const file of this.files) file.unmap();
  }

  #file(start: number): QueueFile {
    return new QueueFile(
      join(this.directory, segmentFileName(start)),
      start,
      this.fileSizeBytes,
      this.#pool,
    );
  }
}

/** Names in a directory, none when it is not there. */
export function listDirectory(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return [];
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

const ZEROES = Buffer.alloc(64 * 1024);

/** Zeroes from a position on, up to the first 64 KiB that are zero already; pages never touched stay untouched. */
export function zeroWrittenTail(buffer: Buffer, position: number): void {
  for (let at = position; at < buffer.length; at += ZEROES.length) {
    const end = Math.min(at + ZEROES.length, buffer.length);
    const isZero = buffer.compare(ZEROES, 0, end - at, at, end) === 0;
    if (isZero) return;
    buffer.fill(0, at, end);
  }
}

function isDirty(file: QueueFile | undefined): boolean {
  return file !== undefined && file.flushedPosition < file.wrotePosition;
}

function remove(file: QueueFile): void {
  file.unmap();
  try {
    unlinkSync(file.path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function removeDirectory(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
