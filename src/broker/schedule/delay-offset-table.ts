// Room: broker, main thread. How far each delay level has been delivered: level -> next offset of its queue. Written by
// ScheduleMessageService; read by codes 28 and 45. Saved to config/delayOffset.json, as Java's ScheduleMessageService.
//
// Always holds: nothing is saved before it was loaded (bug report 15), and the file is never ahead of the disk: an offset is
// saved when the messages that were delivered up to it have been flushed, so that a power cut repeats some and loses none.

import { isCometError } from '../../base/errors.js';
import { readFileWithBackup } from '../../base/json-file.js';
import { getLogger } from '../../base/logger.js';
import { parseFastJson } from '../../protocol/fast-json.js';
import { delayOffsetText } from '../config-text.js';
import { PersistedTable, type WriteFile } from '../persisted-table.js';

const log = getLogger('broker.schedule');

/** Offsets as they were, and the end of the log that must be on disk before they may be saved. */
interface Snapshot {
  readonly offsets: ReadonlyMap<number, number>;
  readonly wroteEnd: number;
}

export class DelayOffsetTable {
  readonly #file: PersistedTable;
  readonly #flushedOffset: () => number;
  readonly #offsets = new Map<number, number>();
  /** End of the last record that any of the offsets speaks of. */
  #wroteEnd = 0;
  #isLoaded = false;
  #isDirty = false;
  /** Waits for its flush. */
  #pending: Snapshot | null = null;
  #durable: ReadonlyMap<number, number> = new Map();

  /** @param flushedOffset end of the log that is on disk. */
  constructor(path: string, flushedOffset: () => number, write?: WriteFile) {
    this.#file = new PersistedTable(path, () => [delayOffsetText(this.#durable)], write);
    this.#flushedOffset = flushedOffset;
  }

  /**
   * Throws CONFIG_FILE_DAMAGED when there are files and none can be read: without its offsets a broker would deliver again
   * what the log still holds. `acceptEmpty` is the operator's word that this is wanted.
   */
  load(acceptEmpty = false): void {
    let loaded: ReadonlyMap<number, number> = new Map();
    try {
      readFileWithBackup(this.#file.path, (text) => {
        const parsed = parse(text);
        loaded = parsed ?? loaded;
        return parsed !== null;
      });
    } catch (error) {
      if (!acceptEmpty || !isCometError(error, 'CONFIG_FILE_DAMAGED')) throw error;
      log.error('starting without delay offsets, as asked', { err: error });
    }
    for (const [level, offset] of loaded) this.#offsets.set(level, offset);
    this.#isLoaded = true;
  }

  /** Levels of which nothing was ever delivered are not there. */
  get offsets(): ReadonlyMap<number, number> {
    return this.#offsets;
  }

  get isPersistHealthy(): boolean {
    return this.#file.isHealthy;
  }

  /** @param wroteEnd end of the last record delivered, 0 when none was. */
  set(level: number, offset: number, wroteEnd: number): void {
    this.#offsets.set(level, offset);
    this.#wroteEnd = Math.max(this.#wroteEnd, wroteEnd);
    this.#isDirty = true;
  }

  /** What is there now is to be saved as soon as it may be. */
  requestSave(): void {
    if (!this.#isLoaded || !this.#isDirty || this.#pending !== null) return;
    this.#pending = { offsets: new Map(this.#offsets), wroteEnd: this.#wroteEnd };
    this.#isDirty = false;
  }

  /** Saves what was asked for, if it may be saved by now. Rejects with FILE_IO; it is then asked for again. */
  async saveIfDurable(): Promise<void> {
    const pending = this.#pending;
    if (pending === null || this.#flushedOffset() < pending.wroteEnd) return;
    this.#pending = null;
    this.#durable = pending.offsets;
    try {
      await this.#file.persist();
    } catch (error) {
      this.#isDirty = true;
      throw error;
    }
  }
}

/** Null when the text is no table of offsets. */
function parse(text: string): Map<number, number> | null {
  try {
    const body = parseFastJson(text) as Record<string, unknown> | null;
    const table = body?.['offsetTable'];
    if (typeof table !== 'object' || table === null) return null;
    const entries = table instanceof Map ? table : Object.entries(table);
    const offsets = new Map<number, number>();
    for (const [level, offset] of entries) {
      if (!Number.isSafeInteger(Number(level))) return null;
      offsets.set(Number(level), clamped(offset));
    }
    return offsets;
  } catch (error) {
    log.error('delayOffset.json can not be read', { err: error });
    return null;
  }
}

/** An int64 that no number holds is beyond every queue, and is corrected when the queues are known. */
function clamped(offset: unknown): number {
  if (typeof offset === 'bigint') return offset < 0n ? 0 : Number.MAX_SAFE_INTEGER;
  if (typeof offset === 'number' && Number.isSafeInteger(offset)) return offset;
  throw new TypeError('an offset is no whole number');
}
