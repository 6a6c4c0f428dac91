// Room: broker, main thread. Saves one table to one file of config/. A save asked for while another runs is folded with all
// later ones into a single one behind it. The text is made in slices between which the loop turns, so that a table of
// 100,000 entries stalls nobody.
// Always holds: a save that has resolved holds every change made before it was asked for; a failed save leaves the old file.

import { writeFileAtomic } from '../base/json-file.js';
import { getLogger } from '../base/logger.js';

const log = getLogger('broker.config');

/** Text made in one go before the loop turns: well under a millisecond. */
const SLICE_CHARS = 64 * 1024;
/** Failed saves in a row after which the broker counts as unhealthy (reliability 2.1). */
const UNHEALTHY_FAILURES = 3;

export type WriteFile = (path: string, text: string) => Promise<void>;

export class PersistedTable {
  readonly path: string;
  readonly #pieces: () => Iterable<string>;
  readonly #write: WriteFile;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #dirty = false;
  #failuresInARow = 0;

  /** `pieces` gives the text in small parts; what it reads may change between two parts, so it iterates a copy or a Map. */
  constructor(path: string, pieces: () => Iterable<string>, write: WriteFile = writeFileAtomic) {
    this.path = path;
    this.#pieces = pieces;
    this.#write = write;
  }

  get isHealthy(): boolean {
    return this.#failuresInARow < UNHEALTHY_FAILURES;
  }

  markDirty(): void {
    this.#dirty = true;
  }

  /** Resolves when the table as it is now, or newer, is on disk; rejects with FILE_IO. */
  persist(): Promise<void> {
    this.#dirty = true;
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** For periodic saves and the end: also waits for a save that is under way. */
  async persistIfDirty(): Promise<void> {
    if (this.#dirty) await this.persist();
    else await (this.#next ?? this.#running);
  }

  /** For changes that nobody waits for: the failure is logged and the periodic save tries again. */
  persistInBackground(): void {
    this.persist().catch((error: unknown) => {
      log.error(`${this.path} was not saved`, { err: error });
    });
  }

  #begin(): Promise<void> {
    this.#next = null;
    const run = this.#save().finally(() => {
      if (this.#running === run) this.#running = null;
    });
    this.#running = run;
    return run;
  }

  async #save(): Promise<void> {
    this.#dirty = false;
    try {
      await this.#write(this.path, await joinInSlices(this.#pieces()));
      this.#failuresInARow = 0;
    } catch (error) {
      this.#dirty = true;
      this.#failuresInARow++;
      throw error;
    }
  }
}

/** Joins the parts, letting the loop turn after each slice. */
export async function joinInSlices(pieces: Iterable<string>): Promise<string> {
  const slices: string[] = [];
  let slice = '';
  for (const piece of pieces) {
    slice += piece;
    if (slice.length < SLICE_CHARS) continue;
    slices.push(slice);
    slice = '';
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  slices.push(slice);
  return slices.join('');
}
