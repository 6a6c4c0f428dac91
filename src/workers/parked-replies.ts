// Room: workers; runs on main. Answers that wait until their record is on disk, on a slave, or both: FlushDiskWatcher and
// GroupTransferService of Java in one queue. Records are appended in order and deadlines rise with time, so the queue is a FIFO:
// only its head has to be looked at. Hot, hence `!`.
//
// A wait that outlives its deadline does not lose the message: the answer says FLUSH_DISK_TIMEOUT or FLUSH_SLAVE_TIMEOUT.

import { PutMessageStatus } from '../store/put-message.js';
import { WaitFor } from './ring-records.js';

export interface WaitLimits {
  readonly syncFlushTimeoutMs: number;
  readonly slaveTimeoutMs: number;
}

/** Where the two cursors stand now, and whether a slave may be waited for. */
export interface Durability {
  readonly flushedWhere: () => number;
  readonly slaveOffset: () => number;
  /** Java's isSlaveOK: a slave is connected and less than haSlaveFallbehindMax behind the position. */
  readonly isSlaveOk: (position: number) => boolean;
}

/** Told the outcome once; status is the put status that the answer must carry. */
export type Completion = (status: PutMessageStatus) => void;

interface Parked {
  readonly position: number;
  readonly needsFlush: boolean;
  readonly needsSlave: boolean;
  /** The status that a wait which was refused at once has already decided. */
  readonly decided: PutMessageStatus;
  readonly flushDeadlineMs: number;
  readonly slaveDeadlineMs: number;
  readonly complete: Completion;
}

export class ParkedReplies {
  readonly #limits: WaitLimits;
  readonly #durability: Durability;
  readonly #monotonicMs: () => number;
  #queue: Parked[] = [];
  #head = 0;

  constructor(limits: WaitLimits, durability: Durability, monotonicMs: () => number) {
    this.#limits = limits;
    this.#durability = durability;
    this.#monotonicMs = monotonicMs;
  }

  get length(): number {
    return this.#queue.length - this.#head;
  }

  /** Milliseconds to the head's next deadline, or Infinity. */
  nextDeadlineMs(): number {
    const head = this.#queue[this.#head];
    if (head === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(head.flushDeadlineMs, head.slaveDeadlineMs) - this.#monotonicMs();
  }

  /**
   * Decides what an answer has to wait for now.
   * @returns the status to answer with at once, or null when it must be parked.
   */
  immediate(waitFor: number, position: number): PutMessageStatus | null {
    if (waitFor === WaitFor.NOTHING) return PutMessageStatus.PUT_OK;
    const flushed =
      (waitFor & WaitFor.FLUSHED) === 0 || position <= this.#durability.flushedWhere();
    if ((waitFor & WaitFor.REPLICATED) === 0) return flushed ? PutMessageStatus.PUT_OK : null;
    if (!this.#durability.isSlaveOk(position))
      return flushed ? PutMessageStatus.SLAVE_NOT_AVAILABLE : null;
    return flushed && position <= this.#durability.slaveOffset() ? PutMessageStatus.PUT_OK : null;
  }

  park(waitFor: number, position: number, complete: Completion): void {
    const now = this.#monotonicMs();
    const needsFlush = (waitFor & WaitFor.FLUSHED) !== 0;
    const wantsSlave = (waitFor & WaitFor.REPLICATED) !== 0;
    const slaveOk = wantsSlave && this.#durability.isSlaveOk(position);
    this.#queue.push({
      position,
      needsFlush,
      needsSlave: slaveOk,
      decided:
        wantsSlave && !slaveOk ? PutMessageStatus.SLAVE_NOT_AVAILABLE : PutMessageStatus.PUT_OK,
      flushDeadlineMs: needsFlush
        ? now + this.#limits.syncFlushTimeoutMs
        : Number.POSITIVE_INFINITY,
      slaveDeadlineMs: slaveOk ? now + this.#limits.slaveTimeoutMs : Number.POSITIVE_INFINITY,
      complete,
    });
  }

  /** Completes every head whose wait is over. @returns how many. */
  release(): number {
    if (this.#head === this.#queue.length) return 0;
    const flushedWhere = this.#durability.flushedWhere();
    const slaveOffset = this.#durability.slaveOffset();
    const now = this.#monotonicMs();
    const first = this.#head;
    while (this.#head < this.#queue.length) {
      const parked = this.#queue[this.#head]!;
      const flushed = !parked.needsFlush || parked.position <= flushedWhere;
      const replicated = !parked.needsSlave || parked.position <= slaveOffset;
      if (!flushed && now < parked.flushDeadlineMs) break;
      if (!replicated && now < parked.slaveDeadlineMs) break;
      this.#head++;
      parked.complete(outcome(parked, flushed, replicated));
    }
    const done = this.#head - first;
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return done;
  }

  /** The store failed: nothing that waits will ever be durable. */
  failAll(status: PutMessageStatus): void {
    const waiting = this.#queue.slice(this.#head);
    this.#queue = [];
    this.#head = 0;
    for (const parked of waiting) parked.complete(status);
  }
}

/** The replica's status wins over the flush's, as in Java's joined futures. */
function outcome(parked: Parked, flushed: boolean, replicated: boolean): PutMessageStatus {
  if (!replicated) return PutMessageStatus.FLUSH_SLAVE_TIMEOUT;
  if (parked.decided !== PutMessageStatus.PUT_OK) return parked.decided;
  return flushed ? PutMessageStatus.PUT_OK : PutMessageStatus.FLUSH_DISK_TIMEOUT;
}
