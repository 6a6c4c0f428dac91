// Room: store. Whoever recovers the store. Brings the index into accord with the log. Java deletes the unfinished file after a
// crash and gets back only the keys of what it dispatches again; here a file is kept when it is what put() leaves and says what
// the log says, and is built anew from its first record on when not.
// Hot: visit runs once a record of the walk; `!`: indexes are within the row of files.
// Always holds: afterwards every key of every record of the log that a file now missing or wrong had, is found again.

import { basename } from 'node:path';
import { TRANSACTION_ROLLBACK_TYPE, transactionType } from '../../message/message-sys-flag.js';
import type { DispatchRequest } from '../dispatch/dispatch-request.js';
import type { IndexFindings, IndexService } from '../index/index-service.js';

/** Entries whose chains are checked at a clean start; after a crash the last file is checked whatever its size. */
const CHECKED_ENTRIES = 2_000_000;

export class IndexHealer {
  /** Files taken away because they were wrong, or stood behind one that was missing. */
  droppedFiles = 0;
  readonly #index: IndexService;
  readonly #hashes: number[] = [];
  // Where the next key of the walk is expected: a file and an entry in it; -1 when the walk is past what there is.
  #file = -1;
  #entry = 0;
  /** First file that disagrees with the log. */
  #wrongFile = -1;

  constructor(index: IndexService) {
    this.#index = index;
  }

  /**
   * Decides which files stay. `known` are the files that once were, with the log offset of their last record.
   */
  prepare(
    findings: IndexFindings,
    known: ReadonlyMap<string, number>,
    logMinOffset: number,
    logEnd: number,
    afterCrash: boolean,
  ): void {
    const names = new Set(this.#index.files.map((file) => basename(file.path)));
    const lost = findings.wrongSize.map((path) => basename(path));
    for (const [name, lastOffset] of known) {
      if (!names.has(name) && lastOffset >= logMinOffset) lost.push(name);
    }
    const firstLost = lost.sort()[0];
    if (firstLost !== undefined) {
      const behind = this.#index.files.findIndex((file) => basename(file.path) > firstLost);
      if (behind >= 0) this.#drop(behind);
      this.droppedFiles++;
    }
    let checked = 0;
    for (let i = this.#index.files.length - 1; i >= 0; i--) {
      const file = this.#index.files[i]!;
      checked += file.indexCount;
      const mustCheck = afterCrash && i === this.#index.files.length - 1;
      if (checked > CHECKED_ENTRIES && !mustCheck) break;
      if (!file.isConsistent(logEnd)) this.#drop(i);
    }
  }

  /** Sets the place where walked records are compared from. */
  beginWalk(start: number): void {
    const { files } = this.#index;
    this.#file = files.findIndex((file) => file.indexCount > 1 && file.endPhysicalOffset >= start);
    this.#entry = files[this.#file]?.firstEntryFrom(start) ?? 0;
  }

  /** One record of the walk: its keys are compared with the index, and put where the index ends. */
  visit(request: DispatchRequest): void {
    if (this.#wrongFile >= 0) return;
    const count = this.#keysOf(request);
    for (let i = 0; i < count; i++) {
      if (this.#file < 0) {
        this.#index.putKeys(this.#hashes, count, request.physicalOffset, request.storeTimestamp);
        return;
      }
      const file = this.#index.files[this.#file]!;
      const isSame =
        file.entryKeyHash(this.#entry) === this.#hashes[i] &&
        file.entryPhysicalOffset(this.#entry) === request.physicalOffset;
      if (!isSame) {
        this.#wrongFile = this.#file;
        return;
      }
      this.#advance();
    }
  }

  /** One record of a scan that only fills in what is missing. */
  put(request: DispatchRequest): void {
    const count = this.#keysOf(request);
    if (count === 0) return;
    this.#index.putKeys(this.#hashes, count, request.physicalOffset, request.storeTimestamp);
  }

  /** Takes away what is wrong, or leads behind the log's end. True when records have to be put again, from lastPhysicalOffset on. */
  endWalk(logEnd: number): boolean {
    const { files } = this.#index;
    const beyond = files.findIndex(
      (file) => file.indexCount > 1 && file.endPhysicalOffset >= logEnd,
    );
    // Entries of the index that the walk did not meet belong to no record.
    const extra = this.#file;
    const wrong = [this.#wrongFile, beyond, extra].filter((i) => i >= 0);
    if (wrong.length === 0) return false;
    this.#drop(Math.min(...wrong));
    return true;
  }

  #advance(): void {
    const { files } = this.#index;
    this.#entry++;
    while (this.#file < files.length && this.#entry >= files[this.#file]!.indexCount) {
      this.#file++;
      this.#entry = 1;
    }
    if (this.#file >= files.length) this.#file = -1;
  }

  #keysOf(request: DispatchRequest): number {
    if (!request.hasKeys || transactionType(request.sysFlag) === TRANSACTION_ROLLBACK_TYPE) {
      return 0;
    }
    return request.keyHashes(this.#hashes);
  }

  #drop(position: number): void {
    this.droppedFiles += this.#index.files.length - position;
    this.#index.dropFrom(position);
  }
}
