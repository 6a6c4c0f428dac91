// Room: broker, main thread. When the entries of one delay level came, on the clock that never jumps, as far as looks at the end
// of their queue can tell. What a record says of its own time is the wall clock's, and that may have been set meanwhile: it
// is believed only within the bounds that the looks give. Owned by its LevelDelivery.
//
//   look          look          look              an entry that the second look did not see and the third one did was stored
//    |------ * ----|----- * * ---|                between the two: it is due a delay after that, whatever its timestamp says

/** Entries below `end` and not below the mark before were stored in (afterMs, beforeMs]. */
interface Mark {
  end: number;
  readonly afterMs: number;
  beforeMs: number;
  readonly openedMs: number;
}

/** Marks that a level keeps at most, about: those that are closer to one another are one. */
const MARKS_PER_DELAY = 4096;

export class ArrivalMarks {
  readonly #delayMs: number;
  readonly #firstEnd: number;
  readonly #startMs: number;
  readonly #marks: Mark[] = [];
  #end: number;
  /** All that was stored before has been seen. */
  #seenUpToMs: number;

  /** @param end of the queue when the service started; of the entries below it nothing is known. */
  constructor(delayMs: number, end: number, startMs: number) {
    this.#delayMs = delayMs;
    this.#firstEnd = end;
    this.#startMs = startMs;
    this.#end = end;
    this.#seenUpToMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * @param askedMs since when the queue can have grown without being seen.
   * @param isComplete nothing that was stored before askedMs was still on its way into the queue.
   */
  looked(end: number, askedMs: number, answeredMs: number, isComplete: boolean): void {
    if (end > this.#end) this.#grow(end, answeredMs);
    if (isComplete && askedMs > this.#seenUpToMs) this.#seenUpToMs = askedMs;
  }

  /** @param toldMs when the entry is due by its own timestamp. */
  dueMs(queueOffset: number, toldMs: number): number {
    if (queueOffset < this.#firstEnd) {
      // From a run before this one. Later than a whole delay from now can only come from a clock that was wrong (Java's rule).
      return toldMs > this.#startMs + this.#delayMs ? this.#startMs : toldMs;
    }
    const mark = this.#marks.find((it) => queueOffset < it.end);
    if (mark === undefined) return toldMs;
    const earliestMs = mark.afterMs + this.#delayMs;
    return Math.max(earliestMs, Math.min(toldMs, mark.beforeMs + this.#delayMs));
  }

  /** Entries below are not asked for any more. */
  forgetBelow(queueOffset: number): void {
    let count = 0;
    while ((this.#marks[count]?.end ?? Number.POSITIVE_INFINITY) <= queueOffset) count++;
    if (count > 0) this.#marks.splice(0, count);
  }

  #grow(end: number, answeredMs: number): void {
    this.#end = end;
    const last = this.#marks.at(-1);
    if (last !== undefined && answeredMs - last.openedMs < this.#delayMs / MARKS_PER_DELAY) {
      last.end = end;
      last.beforeMs = answeredMs;
      return;
    }
    const afterMs = this.#seenUpToMs;
    this.#marks.push({ end, afterMs, beforeMs: answeredMs, openedMs: answeredMs });
  }
}
