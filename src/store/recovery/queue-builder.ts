// Room: store. Whoever recovers the store. Builds one queue anew from the records of the log in their order. A record is only entered
// once the next one of the queue is seen: one damaged queue offset then shows as an outlier, instead of moving all that follow.
// Always holds: entries rise by one; places of lost records have fillers; a topic made again after its deletion begins anew at 0.

import { type ConsumeQueue, CqAppend } from '../consumequeue/consume-queue.js';
import { extAddressHigh, extAddressLow } from '../consumequeue/consume-queue-ext.js';
import { tagsHighOf, tagsLowOf } from '../consumequeue/cq-unit.js';
import type { DispatchRequest } from '../dispatch/dispatch-request.js';

/** A gap before the very last record of a queue, with nothing behind to confirm it, may be this wide. */
const MAX_LAST_GAP = 1_000;

interface Entry {
  readonly physicalOffset: number;
  readonly sizeBytes: number;
  readonly tagsCode: number;
  readonly storeTimestamp: number;
  readonly bitMap: Uint8Array | null;
  readonly queueOffset: number;
  readonly isOwnQueue: boolean;
}

export class QueueBuilder {
  readonly #queue: ConsumeQueue;
  #pending: Entry | null = null;
  /** Records whose queue offset fits nowhere. */
  outliers = 0;

  constructor(queue: ConsumeQueue) {
    this.#queue = queue;
  }

  add(request: DispatchRequest, queueOffset: number, isOwnQueue: boolean): void {
    const { physicalOffset, sizeBytes, tagsCode, storeTimestamp, bitMap } = request;
    const pending = this.#pending;
    if (pending !== null) this.#settle(pending, queueOffset);
    this.#pending = {
      physicalOffset,
      sizeBytes,
      tagsCode,
      storeTimestamp,
      bitMap,
      queueOffset,
      isOwnQueue,
    };
  }

  end(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) return;
    const gap = pending.queueOffset - this.#expected(pending);
    if (gap >= 0 && gap <= MAX_LAST_GAP) this.#enter(pending);
    else this.outliers++;
  }

  /** Decides about a record by the one that follows it in the queue. */
  #settle(pending: Entry, next: number): void {
    const expected = this.#expected(pending);
    if (this.#queue.files.first === null && next <= pending.queueOffset) {
      this.outliers++;
    } else if (pending.queueOffset === expected) {
      this.#enter(pending);
    } else if (pending.queueOffset > expected && next > pending.queueOffset) {
      this.#enter(pending);
    } else if (pending.queueOffset === 0 && next === 1) {
      this.#queue.destroy();
      this.#enter(pending);
    } else {
      this.outliers++;
    }
  }

  /** Where the queue goes on; a queue without an entry begins wherever its first record says. */
  #expected(pending: Entry): number {
    return this.#queue.files.first === null ? pending.queueOffset : this.#queue.maxOffset;
  }

  #enter(entry: Entry): void {
    const queue = this.#queue;
    const { physicalOffset, sizeBytes, tagsCode, storeTimestamp, bitMap, queueOffset } = entry;
    if (queue.files.first !== null) queue.fillUpTo(queueOffset);
    let high = tagsHighOf(tagsCode);
    let low = tagsLowOf(tagsCode);
    if (entry.isOwnQueue && queue.ext !== null) {
      const extOffset = queue.ext.put(high, low, storeTimestamp, bitMap);
      if (extOffset >= 0) {
        high = extAddressHigh(extOffset);
        low = extAddressLow(extOffset);
      }
    }
    const outcome = queue.append(physicalOffset, sizeBytes, high, low, queueOffset);
    if (outcome !== CqAppend.DONE) this.outliers++;
  }
}
