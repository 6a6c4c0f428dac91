// Room: store. Dispatch worker: it owns all that the summary tells of. Writes storeSummary.json: at every thorough flush, when a
// topic is deleted, and at a clean stop. What it is for: recovery/store-summary.ts.
// Always holds: a deleted topic is in the file before its queues are destroyed.

import { basename } from 'node:path';
import { getLogger } from '../../base/logger.js';
import type { ConsumeQueue } from '../consumequeue/consume-queue.js';
import type { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import type { IndexService } from '../index/index-service.js';
import { type QueueSummary, writeSummary } from '../recovery/store-summary.js';
import type { DeletedTopics } from './deleted-topics.js';

const logger = getLogger('store');

export interface LogBounds {
  readonly minOffset: number;
  readonly maxOffset: number;
}

export class StoreSummarizer {
  readonly #root: string;
  readonly #table: ConsumeQueueTable;
  readonly #index: IndexService;
  readonly #deleted: DeletedTopics;
  readonly #bounds: () => LogBounds;
  readonly #rebuild = new Set<string>();

  constructor(
    storePathRootDir: string,
    table: ConsumeQueueTable,
    index: IndexService,
    deleted: DeletedTopics,
    bounds: () => LogBounds,
  ) {
    this.#root = storePathRootDir;
    this.#table = table;
    this.#index = index;
    this.#deleted = deleted;
    this.#bounds = bounds;
  }

  /** The queue is built anew at the next start. */
  markForRebuild(queue: ConsumeQueue): void {
    this.#rebuild.add(`${queue.topic}/${queue.queueId}`);
    this.write(false);
  }

  /**
   * Deletes the queues of topics for good: their records that are in the log now are not dispatched again.
   * @param logEnd where the log ends, dispatched or not.
   * @returns the queues that are gone.
   */
  deleteTopics(topics: readonly string[], logEnd = this.#bounds().maxOffset): ConsumeQueue[] {
    const gone: ConsumeQueue[] = [];
    for (const topic of topics) {
      gone.push(...(this.#table.queuesOf(topic)?.values() ?? []));
      this.#deleted.add(topic, logEnd);
    }
    this.write(false, new Set(topics));
    for (const topic of topics) this.#table.deleteTopic(topic);
    return gone;
  }

  /** The file is not worth a failure: without it the next start only sees less. */
  write(isClean: boolean, without: ReadonlySet<string> = new Set()): void {
    const { minOffset, maxOffset } = this.#bounds();
    this.#deleted.forgetBelow(minOffset);
    try {
      writeSummary(this.#root, {
        isClean,
        logMinOffset: minOffset,
        logMaxOffset: maxOffset,
        queues: this.#queues(without),
        indexFiles: new Map(
          this.#index.files.map((file) => [basename(file.path), file.endPhysicalOffset]),
        ),
        deletedTopics: this.#deleted.offsets,
        rebuild: [...this.#rebuild],
      });
    } catch (error) {
      logger.warn('storeSummary.json could not be written', { err: error });
    }
  }

  #queues(without: ReadonlySet<string>): Map<string, Map<number, QueueSummary>> {
    const topics = new Map<string, Map<number, QueueSummary>>();
    for (const topic of this.#table.topics()) {
      if (without.has(topic)) continue;
      const queues = new Map<number, QueueSummary>();
      for (const queue of this.#table.queuesOf(topic)?.values() ?? []) {
        if (queue.maxOffset === 0) continue;
        queues.set(queue.queueId, [queue.minOffset, queue.maxOffset, queue.maxPhysicOffset]);
      }
      if (queues.size > 0) topics.set(topic, queues);
    }
    return topics;
  }
}
