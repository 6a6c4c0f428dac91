// Room: store. Dispatch worker. HOT: one turn a record. Chases the end of the log and derives from each new record: bitmap, queue
// entry, index entries, and the news for whoever holds a pull. Java's ReputMessageService. Bench: bench/70-reput.
// Always holds: reputFromOffset only rises, and everything before it has been through every dispatcher. With SYNC_FLUSH nothing
// goes further than flushedWhere: a consumer never sees a message that a power cut could take back (#8239).

import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import type { Agent } from '../../ring/agent.js';
import type { CursorPage } from '../../ring/cursor.js';
import type { LogView } from '../get/log-view.js';
import { StoreCursor } from '../store-cursors.js';
import { forEachMultiQueue } from './build-consume-queue.js';
import type { DeletedTopics } from './deleted-topics.js';
import { type DispatchRequest, RecordState } from './dispatch-request.js';
import type { Dispatcher } from './dispatcher.js';

const logger = getLogger('reput');

/** Bytes of log that one duty cycle takes, so that pulls are not kept waiting. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Pause after a dispatcher could not do its work (a full disk). */
const RETRY_MS = 1_000;

export interface MessageArrivingListener {
  /** A message is there to be pulled: nextOffset - 1 is its own. */
  onArrival(
    topic: string,
    queueId: number,
    nextOffset: number,
    tagsCode: number,
    storeTimestamp: number,
    request: DispatchRequest,
  ): void;
}

/** Work of the same thread that recurs by the clock: flushing, cleaning. */
export interface PeriodicWork {
  /** Does what is due and answers the milliseconds until it wants to be asked again. */
  run(nowMs: number): number;
  close(): void;
}

export interface ReputAgentOptions {
  readonly log: LogView;
  readonly cursors: CursorPage;
  readonly request: DispatchRequest;
  readonly dispatchers: readonly Dispatcher[];
  readonly deletedTopics: DeletedTopics;
  readonly clock: Clock;
  /** SYNC_FLUSH: follow flushedWhere, not wroteOffset. */
  readonly followFlushed: boolean;
  /** A slave's log may end in the middle of a record. It also holds no pulls. */
  readonly isSlave: boolean;
  readonly listener: MessageArrivingListener | null;
  readonly enableMultiDispatch: boolean;
  readonly enableLmq: boolean;
  readonly periodic: readonly PeriodicWork[];
  /** Told when deriving fails, and when it works again; while it fails the store should not take messages. */
  readonly onStalled?: (isStalled: boolean) => void;
}

export class ReputAgent implements Agent {
  readonly name = 'reput';
  /** Readable bytes that were no record and had to be skipped. */
  skippedBytes = 0;
  readonly #options: ReputAgentOptions;
  readonly #dueMs: number[];
  #reputFrom: number;
  #retryAtMs = -1;
  /** A slave's log ended there in the middle of a record: there is nothing to do before it grows. */
  #incompleteAt = -1;

  constructor(options: ReputAgentOptions) {
    this.#options = options;
    this.#reputFrom = options.cursors.get(StoreCursor.reputFromOffset);
    this.#dueMs = options.periodic.map(() => 0);
  }

  get reputFromOffset(): number {
    return this.#reputFrom;
  }

  doWork(): number {
    const nowMs = this.#options.clock.monotonicMs();
    this.#runPeriodic(nowMs);
    if (this.#retryAtMs >= 0 && nowMs < this.#retryAtMs) return 0;
    const target = this.#target();
    const from = Math.max(this.#reputFrom, this.#options.cursors.get(StoreCursor.logMinOffset));
    this.#reputFrom = from;
    if (from >= target) return 0;
    this.#options.log.refresh();
    try {
      this.#dispatchUpTo(Math.min(target, from + BATCH_BYTES), target);
      this.#resume();
    } catch (error) {
      this.#stall(error, nowMs);
    }
    const done = this.#reputFrom - from;
    if (done > 0) this.#options.cursors.set(StoreCursor.reputFromOffset, this.#reputFrom);
    return done;
  }

  hasWork(): boolean {
    if (this.#retryAtMs >= 0) return false;
    const target = this.#target();
    return this.#reputFrom < target && target !== this.#incompleteAt;
  }

  mayNap(): boolean {
    return false;
  }

  maxSleepMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    let due = this.#retryAtMs >= 0 ? this.#retryAtMs : nowMs + RETRY_MS;
    for (const dueMs of this.#dueMs) due = Math.min(due, dueMs);
    return Math.max(0, due - nowMs);
  }

  close(): void {
    for (const work of this.#options.periodic) work.close();
  }

  #target(): number {
    const { cursors, followFlushed } = this.#options;
    return cursors.get(followFlushed ? StoreCursor.flushedWhere : StoreCursor.wroteOffset);
  }

  /** Dispatches whole records until `stop` is reached or passed; none that ends behind `target`. */
  #dispatchUpTo(stop: number, target: number): void {
    const { log, request } = this.#options;
    while (this.#reputFrom < stop) {
      const offset = this.#reputFrom;
      if (!log.locate(offset)) return;
      const limit = Math.min(log.limit, log.position + (target - offset));
      const state = request.read(log.buffer, log.position, limit);
      if (state === RecordState.GOOD) {
        this.#dispatch();
        this.#reputFrom = offset + request.sizeBytes;
      } else if (state === RecordState.BLANK) {
        this.#reputFrom = offset + log.fileSizeBytes - log.position;
      } else if (!this.#skipBad(state, offset, limit - log.position)) {
        this.#incompleteAt = target;
        return;
      }
    }
  }

  #dispatch(): void {
    const { request, dispatchers, deletedTopics } = this.#options;
    if (deletedTopics.covers(request)) return;
    for (let i = 0; i < dispatchers.length; i++) dispatchers[i]!.dispatch(request);
    const { listener, isSlave, enableMultiDispatch, enableLmq } = this.#options;
    if (listener === null || isSlave) return;
    const { queueId, queueOffset, tagsCode, storeTimestamp } = request;
    listener.onArrival(
      request.topicName.text,
      queueId,
      queueOffset + 1,
      tagsCode,
      storeTimestamp,
      request,
    );
    if (!enableMultiDispatch) return;
    forEachMultiQueue(request, enableLmq, (name, id, offset) => {
      listener.onArrival(name, id, offset + 1, tagsCode, storeTimestamp, request);
    });
  }

  /** Bytes that are no record: a slave waits for the rest of them, a master goes past them. */
  #skipBad(state: RecordState, offset: number, readableBytes: number): boolean {
    if (this.#options.isSlave && state === RecordState.BAD) return false;
    const { request } = this.#options;
    const skipped = state === RecordState.BAD_LENGTH ? request.sizeBytes : readableBytes;
    this.skippedBytes += skipped;
    logger.error('bytes of the log are no record and are skipped', { offset, skipped });
    this.#reputFrom = offset + skipped;
    return true;
  }

  /** What was dispatched before the failure stays; the record that failed comes again. */
  #stall(error: unknown, nowMs: number): void {
    if (error instanceof Error && error.name === 'AssertionError') throw error;
    if (this.#retryAtMs < 0) {
      logger.error('queues or index could not be written; trying again', { err: error });
      this.#options.onStalled?.(true);
    }
    this.#retryAtMs = nowMs + RETRY_MS;
  }

  #resume(): void {
    if (this.#retryAtMs < 0) return;
    this.#retryAtMs = -1;
    logger.info('queues and index are written again');
    this.#options.onStalled?.(false);
  }

  #runPeriodic(nowMs: number): void {
    const { periodic } = this.#options;
    for (let i = 0; i < periodic.length; i++) {
      if (nowMs >= this.#dueMs[i]!) this.#dueMs[i] = nowMs + periodic[i]!.run(nowMs);
    }
  }
}
