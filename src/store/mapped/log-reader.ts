// Room: store. Any thread but the log's owner; each has its own. Hot: reading a position allocates nothing. The log as dispatch, ha
// and the look-ups see it: files are mapped when they are first touched; refresh() lets go of those that the log has lost.
// Always holds: what is readable is whole records between minOffset and maxOffset; both are looked up by refresh(), and once more
// when a position is beyond the known end.

import { isNativeError } from '../../native/binding.js';
import type { MappedRegion } from '../../native/mapped-region.js';
import type { CursorPage } from '../../ring/cursor.js';
import type { Residency } from '../get/get-message.js';
import type { LogView } from '../get/log-view.js';
import { StoreCursor } from '../store-cursors.js';
import { LogFiles, type LogFilesConfig } from './log-files.js';

/** Views kept over a refresh; with segments of the usual size that is a terabyte. */
const MAX_OPEN_FILES = 1024;
const NO_BYTES = Buffer.alloc(0);

/** What counts as recently written without asking the kernel. */
const HOT_BYTES = 64 * 1024 * 1024;

export class LogReader implements LogView, Residency {
  readonly hotBytes = HOT_BYTES;
  buffer: Buffer = NO_BYTES;
  position = 0;
  limit = 0;
  readonly fileSizeBytes: number;
  readonly #logFiles: LogFiles;
  readonly #cursors: CursorPage;
  readonly #endCursor: number;
  /** By file start; oldest opened first. */
  readonly #open = new Map<number, MappedRegion>();
  #minOffset = 0;
  #maxOffset = 0;
  #droppedBelow = 0;
  #fileFromOffset = -1;

  /** @param endCursor up to where this thread may read: wroteOffset, or flushedWhere. */
  constructor(
    log: LogFiles | LogFilesConfig,
    cursors: CursorPage,
    endCursor: number = StoreCursor.wroteOffset,
  ) {
    this.#logFiles = log instanceof LogFiles ? log : new LogFiles(log);
    this.fileSizeBytes = this.#logFiles.fileSizeBytes;
    this.#cursors = cursors;
    this.#endCursor = endCursor;
    this.#readCursors();
  }

  /** As of the last look at the cursors. */
  get minOffset(): number {
    return this.#minOffset;
  }

  /** As of the last look at the cursors. */
  get maxOffset(): number {
    return this.#maxOffset;
  }

  get openFileCount(): number {
    return this.#open.size;
  }

  /**
   * Sees how far the log has come, and lets go of files that it has lost. Once a turn, when nobody holds bytes of an earlier
   * locate(): their views are detached. locate() itself never takes a view away.
   */
  refresh(): void {
    this.#readCursors();
    if (this.#droppedBelow < this.#minOffset) this.dropBelow(this.#minOffset);
    while (this.#open.size > MAX_OPEN_FILES) this.#dropOldestOpened();
  }

  locate(physicalOffset: number): boolean {
    if (physicalOffset >= this.#maxOffset) {
      this.#readCursors();
      if (physicalOffset >= this.#maxOffset) return false;
    }
    if (physicalOffset < this.#minOffset) return false;
    let position = physicalOffset - this.#fileFromOffset;
    if (this.#fileFromOffset < 0 || position < 0 || position >= this.fileSizeBytes) {
      if (!this.#moveTo(physicalOffset - (physicalOffset % this.fileSizeBytes))) return false;
      position = physicalOffset - this.#fileFromOffset;
    }
    const limit = this.#maxOffset - this.#fileFromOffset;
    this.position = position;
    this.limit = Math.min(limit, this.fileSizeBytes);
    return true;
  }

  /** True when reading the range, cut at the end of its file, would not wait for the disk. */
  isResident(physicalOffset: number, lengthBytes: number): boolean {
    const position = physicalOffset % this.fileSizeBytes;
    const fileFromOffset = physicalOffset - position;
    const region = this.#open.get(fileFromOffset) ?? this.#map(fileFromOffset);
    if (region === null) return true;
    return region.isResident(position, Math.min(lengthBytes, this.fileSizeBytes - position));
  }

  /** Where the file that begins there lies. */
  pathOf(fileFromOffset: number): string {
    return this.#logFiles.pathOf(fileFromOffset);
  }

  dropBelow(minOffset: number): void {
    this.#droppedBelow = minOffset;
    for (const fileFromOffset of this.#open.keys()) {
      if (fileFromOffset + this.fileSizeBytes <= minOffset) this.#drop(fileFromOffset);
    }
  }

  close(): void {
    for (const fileFromOffset of this.#open.keys()) this.#drop(fileFromOffset);
  }

  #readCursors(): void {
    this.#maxOffset = this.#cursors.get(this.#endCursor);
    this.#minOffset = this.#cursors.get(StoreCursor.logMinOffset);
  }

  /** False when the file went away since the last look at the cursors. */
  #moveTo(fileFromOffset: number): boolean {
    const region = this.#open.get(fileFromOffset) ?? this.#map(fileFromOffset);
    if (region === null) return false;
    this.buffer = region.buffer;
    this.#fileFromOffset = fileFromOffset;
    return true;
  }

  #map(fileFromOffset: number): MappedRegion | null {
    let region: MappedRegion;
    try {
      region = this.#logFiles.open(fileFromOffset);
    } catch (error) {
      if (!isNativeError(error) || error.code !== 'ENOENT') throw error;
      this.#readCursors();
      if (fileFromOffset + this.fileSizeBytes <= this.#minOffset) return null;
      throw error;
    }
    this.#open.set(fileFromOffset, region);
    return region;
  }

  #dropOldestOpened(): void {
    for (const fileFromOffset of this.#open.keys()) {
      this.#drop(fileFromOffset);
      return;
    }
  }

  #drop(fileFromOffset: number): void {
    this.#open.get(fileFromOffset)?.release();
    this.#open.delete(fileFromOffset);
    if (fileFromOffset !== this.#fileFromOffset) return;
    this.#fileFromOffset = -1;
    this.buffer = NO_BYTES;
    this.position = 0;
    this.limit = 0;
  }
}
