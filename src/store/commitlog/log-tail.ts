// Room: store. Owner of the log only; hot. The end of the log: the file that is appended to, how much of it is written, and the way to the
// next one. CommitLog makes the records in `stage`; they go to the file together, by one write, before anybody is told of them.
// Always holds: wroteOffset = file.fileFromOffset + file.wrotePosition once there is a file; a file's end is blank or a whole record;
// what is staged lies in the present file.

import { unlinkSync } from 'node:fs';
import { assert } from '../../base/assert.js';
import { SEGMENT_END_BYTES } from '../../base/limits.js';
import { BLANK_MAGIC, MAGIC_POSITION, writeInt32 } from '../../message/message-layout.js';
import { isMissing } from '../consumequeue/queue-files.js';
import type { LogFiles } from '../mapped/log-files.js';
import type { MappedFile } from '../mapped/mapped-file.js';
import { MappedFileQueue } from '../mapped/mapped-file-queue.js';

/** The next file is asked for when this share of the present one is written: early enough at any speed, and a small store stays small. */
const ASK_AHEAD_RATIO = 0.5;
/** Small enough to stay in the processor's cache. A larger record or batch makes it larger. */
const STAGE_BYTES = 512 * 1024;

export class LogTail {
  /** Null before the first append to a log that ends at the end of a file, or has none. */
  file: MappedFile | null = null;
  /** End of what was appended, in the file or staged. */
  wroteOffset: number;
  stage = Buffer.allocUnsafeSlow(STAGE_BYTES);
  /** Where the first byte of the stage goes, in the file. */
  #stagedFrom = 0;
  readonly #queue: MappedFileQueue;
  readonly #logFiles: LogFiles;
  readonly #requestNextFile: (path: string, sizeBytes: number) => void;
  readonly #askAtPosition: number;
  /** Start of the file that was asked for last; -1 for none. */
  #askedFor = -1;

  constructor(
    logFiles: LogFiles,
    endOffset: number,
    requestNextFile: (path: string, sizeBytes: number) => void,
  ) {
    this.#logFiles = logFiles;
    this.#requestNextFile = requestNextFile;
    this.#askAtPosition = logFiles.fileSizeBytes * ASK_AHEAD_RATIO;
    this.wroteOffset = endOffset;
    this.#queue = new MappedFileQueue(logFiles);
    this.#queue.load(endOffset);
    const { last } = this.#queue;
    if (last === null || last.fileFromOffset + last.sizeBytes <= endOffset) return;
    this.#queue.openLast();
    this.#appendTo(last);
  }

  get isEmpty(): boolean {
    return this.#queue.count === 0;
  }

  get isFull(): boolean {
    return this.file !== null && this.file.wrotePosition === this.file.sizeBytes;
  }

  get minOffset(): number {
    return this.#queue.first?.fileFromOffset ?? -1;
  }

  get oldestFile(): MappedFile | null {
    return this.#queue.count > 1 ? this.#queue.first : null;
  }

  /** A record of this size leaves the 8 bytes free that a blank needs. */
  fits(sizeBytes: number): boolean {
    const { file } = this;
    return file !== null && sizeBytes + SEGMENT_END_BYTES <= file.sizeBytes - file.wrotePosition;
  }

  advance(sizeBytes: number): void {
    const { file } = this;
    if (file !== null) file.wrotePosition += sizeBytes;
    this.wroteOffset += sizeBytes;
  }

  /** Where the next byte of the log is staged. */
  get stagePosition(): number {
    return this.file === null ? 0 : this.file.wrotePosition - this.#stagedFrom;
  }

  /** Makes room in the stage, before the bytes are put there. */
  reserve(sizeBytes: number): void {
    if (this.stagePosition + sizeBytes <= this.stage.length) return;
    this.writeOut();
    if (sizeBytes > this.stage.length) this.stage = Buffer.allocUnsafeSlow(sizeBytes);
  }

  /** Writes what is staged. After a throw the log can not go on: its owner ends, and recovery cuts what is torn. */
  writeOut(): void {
    const { file, stagePosition } = this;
    if (file === null || stagePosition === 0) return;
    file.write(this.stage, stagePosition, this.#stagedFrom);
    this.#stagedFrom = file.wrotePosition;
  }

  /** Where a log without files begins. */
  beginAt(physicalOffset: number): void {
    assert(this.isEmpty, 'a log with files has its place');
    this.wroteOffset = physicalOffset;
  }

  /** The next file, made if need be; rollOver goes on in it. Throws when there can be none; nothing has changed then. */
  addNext(): MappedFile {
    const { file, wroteOffset } = this;
    const { fileSizeBytes } = this.#logFiles;
    const start =
      file === null
        ? wroteOffset - (wroteOffset % fileSizeBytes)
        : file.fileFromOffset + fileSizeBytes;
    return this.#queue.add(start);
  }

  /** Ends the present file with a blank. Throws as writeOut does. */
  rollOver(next: MappedFile): void {
    const { file } = this;
    if (file === null) {
      next.wrotePosition = this.wroteOffset - next.fileFromOffset;
    } else {
      this.writeOut();
      this.#writeBlank(file);
      file.close();
      this.wroteOffset = next.fileFromOffset;
    }
    this.#appendTo(next);
  }

  /** Asks for the next file once, when it is time. */
  askAhead(): void {
    const { file } = this;
    if (file === null || file.wrotePosition < this.#askAtPosition) return;
    const next = file.fileFromOffset + file.sizeBytes;
    if (this.#askedFor === next) return;
    this.#askedFor = next;
    this.#requestNextFile(this.#logFiles.pathOf(next), file.sizeBytes);
  }

  #appendTo(file: MappedFile): void {
    this.file = file;
    this.#stagedFrom = file.wrotePosition;
  }

  /** Only a log that was not written by these rules can have fewer than 8 bytes left, and more than none. */
  #writeBlank(file: MappedFile): void {
    const { wrotePosition, sizeBytes } = file;
    const left = sizeBytes - wrotePosition;
    if (left >= SEGMENT_END_BYTES) {
      writeInt32(this.stage, 0, left);
      writeInt32(this.stage, MAGIC_POSITION, BLANK_MAGIC);
      file.write(this.stage, SEGMENT_END_BYTES, wrotePosition);
    }
    file.wrotePosition = sizeBytes;
  }

  dropOldest(): MappedFile | null {
    return this.#queue.dropFirst();
  }

  /** A file that was made ahead and never used goes, as at Java's clean stop. */
  close(): void {
    this.writeOut();
    this.#queue.close();
    const { file } = this;
    if (file === null || this.#askedFor !== file.fileFromOffset + file.sizeBytes) return;
    try {
      unlinkSync(this.#logFiles.pathOf(this.#askedFor));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}
