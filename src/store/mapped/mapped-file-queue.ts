// Room: store. Owner of the log only. The row of the commit log's files, oldest first. Java's MappedFileQueue, for the log; the queues
// have consumequeue/queue-files.ts. Deleting a file is not done here: whoever drops one gets its path and sees to it.
// Always holds: files are ascending; only the last one is open, but for the moment of a roll-over.

import type { LogFiles } from './log-files.js';
import { MappedFile } from './mapped-file.js';

export class MappedFileQueue {
  readonly #files: MappedFile[] = [];
  readonly #logFiles: LogFiles;

  constructor(logFiles: LogFiles) {
    this.#logFiles = logFiles;
  }

  /** Takes the files on disk that begin at or before the end of the log; those behind it hold nothing. */
  load(endOffset: number): void {
    const { fileSizeBytes } = this.#logFiles;
    for (const { path, fileFromOffset } of this.#logFiles.list()) {
      if (fileFromOffset >= endOffset) break;
      const file = new MappedFile(path, fileFromOffset, fileSizeBytes);
      file.wrotePosition = Math.min(fileSizeBytes, endOffset - fileFromOffset);
      this.#files.push(file);
    }
  }

  get count(): number {
    return this.#files.length;
  }

  get first(): MappedFile | null {
    return this.#files[0] ?? null;
  }

  get last(): MappedFile | null {
    return this.#files[this.#files.length - 1] ?? null;
  }

  /** Opens the last file for appending. */
  openLast(): void {
    this.last?.open();
  }

  /** Adds a file, made if need be; the one before is still open. Throws when there can be none; nothing has changed then. */
  add(fileFromOffset: number): MappedFile {
    const path = this.#logFiles.ensure(fileFromOffset);
    const file = new MappedFile(path, fileFromOffset, this.#logFiles.fileSizeBytes);
    file.open();
    this.#files.push(file);
    return file;
  }

  /** Forgets the oldest file, which is never the last. */
  dropFirst(): MappedFile | null {
    return this.#files.length > 1 ? (this.#files.shift() ?? null) : null;
  }

  close(): void {
    this.last?.close();
  }
}
