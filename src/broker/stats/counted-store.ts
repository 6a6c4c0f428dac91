// Room: broker, main thread. The store's totals as the workers report them, a second's worth at a time.

import { NO_COUNTERS, type StoreCounters } from './store-stats.js';

export class CountedStore {
  readonly #more: () => Partial<StoreCounters>;
  #puts = 0;
  #putBytes = 0;
  #found = 0;
  #missed = 0;
  #transferred = 0;

  /** What it gives counts in place of what is counted here. */
  constructor(more: () => Partial<StoreCounters>) {
    this.#more = more;
  }

  addPuts(count: number, sizeBytes: number): void {
    this.#puts += count;
    this.#putBytes += sizeBytes;
  }

  addPulls(found: number, missed: number, transferred: number): void {
    this.#found += found;
    this.#missed += missed;
    this.#transferred += transferred;
  }

  counters(): StoreCounters {
    return {
      ...NO_COUNTERS,
      putMessageTimesTotal: this.#puts,
      putMessageSizeTotal: this.#putBytes,
      getMessageTimesFound: this.#found,
      getMessageTimesMiss: this.#missed,
      getMessageTransferredCount: this.#transferred,
      ...this.#more(),
    };
  }
}
