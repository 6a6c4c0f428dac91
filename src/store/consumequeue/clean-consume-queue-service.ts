// Room: store. Dispatch worker, as periodic work of the ReputAgent. Drops queue and index files once the log no longer has any of
// their records, and takes away whole queues when an administrator asks. Java's CleanConsumeQueueService (storage.md 16.2).
// Always holds: the last file of a queue and of the index stay.

import { LMQ_PREFIX, SCHEDULE_TOPIC, TRANS_OP_HALF_TOPIC } from '../../message/topic-validator.js';
import type { ConsumeQueue } from './consume-queue.js';
import type { ConsumeQueueTable } from './consume-queue-table.js';
import { deleteExpiredFiles } from './queue-recovery.js';

const FIRST_RUN_MS = 60_000;

export interface CleanConsumeQueueConfig {
  readonly cleanResourceInterval: number;
  readonly deleteConsumeQueueFilesInterval: number;
}

export interface ExpiringIndex {
  deleteExpired(logMinOffset: number): number;
}

export class CleanConsumeQueueService {
  readonly #table: ConsumeQueueTable;
  readonly #index: ExpiringIndex;
  readonly #config: CleanConsumeQueueConfig;
  readonly #logMinOffset: () => number;
  #startedAtMs = -1;
  #lastMinOffset = 0;
  /** Queues that the pass at hand has still to look at, null between passes. */
  #pending: IterableIterator<ConsumeQueue> | null = null;

  constructor(
    table: ConsumeQueueTable,
    index: ExpiringIndex,
    config: CleanConsumeQueueConfig,
    logMinOffset: () => number,
  ) {
    this.#table = table;
    this.#index = index;
    this.#config = config;
    this.#logMinOffset = logMinOffset;
  }

  run(nowMs: number): number {
    if (this.#startedAtMs < 0) {
      this.#startedAtMs = nowMs;
      return FIRST_RUN_MS;
    }
    if (this.#pending === null) {
      const minOffset = this.#logMinOffset();
      if (minOffset <= this.#lastMinOffset) return this.#config.cleanResourceInterval;
      this.#lastMinOffset = minOffset;
      this.#pending = this.#table.queues();
    }
    return this.#continue();
  }

  close(): void {
    this.#pending = null;
  }

  /** Takes away queues of which the log has nothing any more (code 306). What was taken away. */
  cleanExpiredQueues(logMinOffset: number): ConsumeQueue[] {
    const gone: ConsumeQueue[] = [];
    for (const queue of [...this.#table.queues()]) {
      if (queue.topic === SCHEDULE_TOPIC) continue;
      const end = queue.lastPhysicalEnd();
      if (end === -1 || end >= logMinOffset) continue;
      this.#table.deleteQueue(queue.topic, queue.queueId);
      gone.push(queue);
    }
    return gone;
  }

  /** Topics with queues that are not in use and may go (code 316). */
  unusedTopics(topicsInUse: ReadonlySet<string>): string[] {
    return [...this.#table.topics()].filter(
      (topic) =>
        !topicsInUse.has(topic) &&
        topic !== SCHEDULE_TOPIC &&
        topic !== TRANS_OP_HALF_TOPIC &&
        !topic.startsWith(LMQ_PREFIX),
    );
  }

  /** One queue that loses files at a time, with a pause after it. */
  #continue(): number {
    const pending = this.#pending;
    if (pending === null) return this.#config.cleanResourceInterval;
    for (;;) {
      const { value: queue, done } = pending.next();
      if (done === true) break;
      if (deleteExpiredFiles(queue, this.#lastMinOffset) > 0) {
        return this.#config.deleteConsumeQueueFilesInterval;
      }
    }
    this.#pending = null;
    this.#index.deleteExpired(this.#lastMinOffset);
    return this.#config.cleanResourceInterval;
  }
}
