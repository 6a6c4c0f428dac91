// Room: broker, main thread. One delay level on its way: reads its queue of SCHEDULE_TOPIC_XXXX a little ahead of time, puts
// what is due under its real topic, many puts in flight, and moves the offset over what is stored. ScheduleMessageService
// gives it its turns; nobody else touches it. Follows Java's asynchronous delivery.
//
// Always holds: entries are put in the order of their queue, none twice in one run, and the offset never passes one that is
// not stored. A put that fails is tried again until it succeeds; those behind it do not wait for it, up to the limit.

import type { Clock } from '../../base/clock.js';
import {
  MAX_SCHEDULE_HELD_BYTES,
  MAX_SCHEDULE_PAGE_BYTES,
  MAX_SCHEDULE_PAGE_COUNT,
} from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import { SCHEDULE_TOPIC } from '../../message/topic-validator.js';
import type {
  MessageStore,
  MessageToPut,
  PutMessageResult,
  ScheduledMessages,
} from '../../store/message-store.js';
import { PutMessageStatus, putMessageStatusName } from '../../store/put-message.js';
import { ArrivalMarks } from './arrival-marks.js';
import { deliveredMessage } from './delivered-message.js';

const log = getLogger('broker.schedule');

/** Records are in hand this long before they are due. */
const READ_AHEAD_MS = 250;
const READ_AGAIN_MS = 100;
const PUT_AGAIN_STEP_MS = 100;
const PUT_AGAIN_MAX_MS = 60_000;

interface Entry {
  readonly queueOffset: number;
  readonly dueMs: number;
  readonly sizeBytes: number;
  /** Null once it is stored, or when there is nothing to store. */
  record: Buffer | null;
  isDone: boolean;
  tries: number;
  /** When a failed put is tried again. */
  retryAtMs: number;
  wroteEnd: number;
}

/** What the levels share in a turn. */
export interface TurnBudget {
  puts: number;
}

export interface LevelDeliveryOptions {
  readonly level: number;
  readonly delayMs: number;
  readonly startOffset: number;
  /** End of the queue now. */
  readonly maxOffset: number;
  readonly store: MessageStore;
  readonly clock: Clock;
  /** Wall clock minus monotonic clock at the start; later steps of the wall clock change nothing. */
  readonly wallOffsetMs: number;
  /** Messages read or put and not yet passed by the offset. */
  readonly maxPending: number;
  readonly budget: TurnBudget;
  readonly onProgress: (nextOffset: number, wroteEnd: number) => void;
  readonly onDelivered: (count: number, sizeBytes: number) => void;
  /** Something came back: give me a turn soon. */
  readonly wake: () => void;
}

export class LevelDelivery {
  readonly #options: LevelDeliveryOptions;
  readonly #marks: ArrivalMarks;
  /** Read and not passed by the offset yet, in queue order; the first #putCount of them have been put. */
  readonly #entries: Entry[] = [];
  #putCount = 0;
  #heldBytes = 0;
  #inFlight = 0;
  #failed = 0;
  #maxOffset: number;
  #readOffset: number;
  #isReading = false;
  #readAgainMs = 0;
  /** Of the first entry that is not read, by its timestamp and by the monotonic clock; -Infinity while unknown. */
  #frontTimestamp = Number.NEGATIVE_INFINITY;
  #frontDueMs = Number.NEGATIVE_INFINITY;

  constructor(options: LevelDeliveryOptions) {
    this.#options = options;
    this.#readOffset = options.startOffset;
    this.#maxOffset = options.maxOffset;
    const { delayMs, maxOffset, clock } = options;
    this.#marks = new ArrivalMarks(delayMs, maxOffset, clock.monotonicMs());
  }

  /** No put is under way. */
  get isQuiet(): boolean {
    return this.#inFlight === 0;
  }

  /** Somebody asked for the queue's end; see ArrivalMarks. */
  looked(maxOffset: number, askedMs: number, isComplete: boolean): void {
    this.#marks.looked(maxOffset, askedMs, this.#options.clock.monotonicMs(), isComplete);
    this.#maxOffset = Math.max(this.#maxOffset, maxOffset);
  }

  turn(nowMs: number): void {
    this.settle();
    this.#putAgain(nowMs);
    this.#putDue(nowMs);
    this.#readAhead(nowMs);
  }

  /** Moves the offset over what is stored by now. */
  settle(): void {
    let count = 0;
    let delivered = 0;
    let sizeBytes = 0;
    let wroteEnd = 0;
    while (count < this.#putCount && this.#entries[count]?.isDone === true) {
      const entry = this.#entries[count] as Entry;
      this.#heldBytes -= entry.sizeBytes;
      if (entry.wroteEnd > 0) {
        delivered++;
        sizeBytes += entry.sizeBytes;
        wroteEnd = Math.max(wroteEnd, entry.wroteEnd);
      }
      count++;
    }
    if (count === 0) return;
    const [last] = this.#entries.splice(0, count).slice(-1);
    this.#putCount -= count;
    this.#options.onProgress((last as Entry).queueOffset + 1, wroteEnd);
    if (delivered > 0) this.#options.onDelivered(delivered, sizeBytes);
  }

  /** When there will be something to do, unless something comes back before. */
  nextTurnMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    const next = this.#entries[this.#putCount];
    if (next !== undefined) nextMs = next.dueMs;
    if (this.#failed > 0) {
      for (const entry of this.#entries) {
        if (entry.retryAtMs > 0) nextMs = Math.min(nextMs, entry.retryAtMs);
      }
    }
    if (this.#mayRead()) {
      nextMs = Math.min(nextMs, Math.max(this.#frontDueMs - READ_AHEAD_MS, this.#readAgainMs));
    }
    return nextMs;
  }

  #putAgain(nowMs: number): void {
    if (this.#failed === 0) return;
    const due = this.#entries
      .slice(0, this.#putCount)
      .filter((it) => it.retryAtMs > 0 && it.retryAtMs <= nowMs)
      .slice(0, this.#options.budget.puts);
    for (const entry of due) entry.retryAtMs = 0;
    this.#failed -= due.length;
    this.#put(due);
  }

  #putDue(nowMs: number): void {
    const end = Math.min(this.#putCount + this.#options.budget.puts, this.#entries.length);
    const first = this.#putCount;
    while (this.#putCount < end && (this.#entries[this.#putCount] as Entry).dueMs <= nowMs) {
      this.#putCount++;
    }
    this.#put(this.#entries.slice(first, this.#putCount));
  }

  #put(due: readonly Entry[]): void {
    if (due.length === 0) return;
    const { budget, store, wake } = this.#options;
    budget.puts -= due.length;
    const entries: Entry[] = [];
    const messages: MessageToPut[] = [];
    for (const entry of due) {
      const message = entry.record === null ? null : deliveredMessage(entry.record);
      if (message === null) {
        entry.isDone = true;
        wake();
      } else {
        entries.push(entry);
        messages.push(message);
      }
    }
    if (messages.length === 0) return;
    this.#inFlight += messages.length;
    store.putAll(messages, (i, result) => this.#answered(entries[i] as Entry, result));
  }

  #answered(entry: Entry, result: PutMessageResult): void {
    this.#inFlight--;
    if (result.status === PutMessageStatus.PUT_OK) {
      entry.isDone = true;
      entry.record = null;
      entry.wroteEnd = result.wroteEnd;
    } else {
      entry.tries++;
      const pauseMs = Math.min(entry.tries * PUT_AGAIN_STEP_MS, PUT_AGAIN_MAX_MS);
      entry.retryAtMs = this.#options.clock.monotonicMs() + pauseMs;
      this.#failed++;
      if (this.#failed === 1) this.#warn(entry, result.status);
    }
    this.#options.wake();
  }

  #warn({ queueOffset, tries }: Entry, status: PutMessageStatus): void {
    const { level } = this.#options;
    const outcome = putMessageStatusName(status);
    log.warn('a delayed message was not stored', { level, queueOffset, tries, outcome });
  }

  #mayRead(): boolean {
    return (
      !this.#isReading &&
      this.#readOffset < this.#maxOffset &&
      this.#entries.length < this.#options.maxPending &&
      this.#heldBytes < MAX_SCHEDULE_HELD_BYTES
    );
  }

  #readAhead(nowMs: number): void {
    if (!this.#mayRead() || nowMs < this.#readAgainMs) return;
    if (this.#frontDueMs > nowMs + READ_AHEAD_MS) return;
    const { store, level, delayMs, maxPending, wallOffsetMs } = this.#options;
    const wallMs = Math.max(nowMs + wallOffsetMs, this.#frontTimestamp);
    const limit = {
      dueMs: Math.floor(wallMs + READ_AHEAD_MS),
      delayMs,
      maxCount: Math.min(maxPending - this.#entries.length, MAX_SCHEDULE_PAGE_COUNT),
      maxBytes: MAX_SCHEDULE_PAGE_BYTES,
    };
    this.#isReading = true;
    store.scheduledMessages(SCHEDULE_TOPIC, level - 1, this.#readOffset, limit).then(
      (answer) => this.#take(answer, nowMs),
      (error: unknown) => {
        log.warn('delayed messages can not be read', { level, err: error });
        this.#readLater();
      },
    );
  }

  #take(answer: ScheduledMessages, askedMs: number): void {
    this.#isReading = false;
    this.looked(answer.maxOffset, askedMs, false);
    this.#marks.forgetBelow(this.#readOffset);
    for (const [i, record] of answer.records.entries()) {
      const sizeBytes = record?.length ?? 0;
      this.#heldBytes += sizeBytes;
      this.#entries.push({
        queueOffset: this.#readOffset,
        dueMs: this.#dueMs(answer.deliverTimestamps[i] ?? 0),
        sizeBytes,
        record,
        isDone: false,
        tries: 0,
        retryAtMs: 0,
        wroteEnd: 0,
      });
      this.#readOffset++;
    }
    const isKnown = answer.nextDeliverTimestamp >= 0;
    this.#frontTimestamp = isKnown ? answer.nextDeliverTimestamp : Number.NEGATIVE_INFINITY;
    this.#frontDueMs = isKnown ? this.#dueMs(this.#frontTimestamp) : Number.NEGATIVE_INFINITY;
    if (answer.records.length === 0 && !isKnown) this.#foundNothing(answer);
    this.#options.wake();
  }

  /** The offset is outside of the queue, whose beginning may have expired; or the entry can not be read yet. */
  #foundNothing({ minOffset, maxOffset }: ScheduledMessages): void {
    const { level } = this.#options;
    const corrected = Math.min(Math.max(this.#readOffset, minOffset), maxOffset);
    if (corrected === this.#readOffset) {
      this.#readLater();
      return;
    }
    log.error('a delay offset is outside of its queue', {
      level,
      offset: this.#readOffset,
      corrected,
    });
    this.#readOffset = corrected;
    this.#maxOffset = maxOffset;
  }

  #readLater(): void {
    this.#isReading = false;
    this.#readAgainMs = this.#options.clock.monotonicMs() + READ_AGAIN_MS;
  }

  #dueMs(deliverTimestamp: number): number {
    const toldMs = deliverTimestamp - this.#options.wallOffsetMs;
    return this.#marks.dueMs(this.#readOffset, toldMs);
  }
}
