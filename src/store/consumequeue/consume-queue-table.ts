// Room: store. Dispatch worker only. Every ConsumeQueue there is: topic -> queueId -> queue. Queues are found on disk at start
// and made in memory when somebody asks; files come with the first entry.
// Always holds: one pool caps the mapped files of all queues together.

import { rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConsumeQueue, type ConsumeQueueConfig } from './consume-queue.js';
import { MappedFilePool } from './queue-file.js';
import { isMissing, type LoadFindings, listDirectory } from './queue-files.js';

const QUEUE_ID = /^\d{1,10}$/;

export interface QueueFindings {
  readonly queue: ConsumeQueue;
  readonly entries: LoadFindings;
  readonly ext: LoadFindings | null;
}

export class ConsumeQueueTable {
  readonly pool: MappedFilePool;
  readonly #config: ConsumeQueueConfig;
  readonly #topics = new Map<string, Map<number, ConsumeQueue>>();
  /** Queues that were on disk when the table was loaded. */
  loadedQueues = 0;

  constructor(config: ConsumeQueueConfig, pool = new MappedFilePool()) {
    this.#config = config;
    this.pool = pool;
  }

  /** Opens what is on disk. Queue folders whose name is no number are skipped, as in Java. */
  load(): QueueFindings[] {
    const found: QueueFindings[] = [];
    const root = join(this.#config.storePathRootDir, 'consumequeue');
    for (const topic of listDirectory(root)) {
      for (const name of listDirectory(join(root, topic))) {
        if (!QUEUE_ID.test(name) || !isDirectory(join(root, topic, name))) continue;
        const queue = this.findOrCreate(topic, Number(name));
        const entries = queue.files.load();
        found.push({ queue, entries, ext: queue.ext?.load() ?? null });
      }
    }
    this.loadedQueues = found.length;
    return found;
  }

  find(topic: string, queueId: number): ConsumeQueue | undefined {
    return this.#topics.get(topic)?.get(queueId);
  }

  findOrCreate(topic: string, queueId: number): ConsumeQueue {
    let queues = this.#topics.get(topic);
    if (queues === undefined) {
      queues = new Map();
      this.#topics.set(topic, queues);
    }
    let queue = queues.get(queueId);
    if (queue === undefined) {
      queue = new ConsumeQueue(topic, queueId, this.#config, this.pool);
      queues.set(queueId, queue);
    }
    return queue;
  }

  topics(): IterableIterator<string> {
    return this.#topics.keys();
  }

  queuesOf(topic: string): ReadonlyMap<number, ConsumeQueue> | undefined {
    return this.#topics.get(topic);
  }

  *queues(): IterableIterator<ConsumeQueue> {
    for (const queues of this.#topics.values()) yield* queues.values();
  }

  /** The greatest end in the log of all queues, -1 when there is none. */
  maxPhysicOffset(): number {
    let max = -1;
    for (const queue of this.queues()) {
      if (queue.maxPhysicOffset > max) max = queue.maxPhysicOffset;
    }
    return max;
  }

  /** Deletes a topic's queues, on disk too. */
  deleteTopic(topic: string): void {
    const queues = this.#topics.get(topic);
    if (queues === undefined) return;
    for (const queue of queues.values()) queue.destroy();
    this.#topics.delete(topic);
    this.#removeIfEmpty(join(this.#config.storePathRootDir, 'consumequeue', topic));
    this.#removeIfEmpty(join(this.#config.storePathRootDir, 'consumequeue_ext', topic));
  }

  deleteQueue(topic: string, queueId: number): void {
    const queues = this.#topics.get(topic);
    const queue = queues?.get(queueId);
    if (queues === undefined || queue === undefined) return;
    queue.destroy();
    queues.delete(queueId);
    if (queues.size === 0) this.deleteTopic(topic);
  }

  close(): void {
    for (const queue of this.queues()) queue.close();
  }

  /** A foreign file keeps its folder alive. */
  #removeIfEmpty(path: string): void {
    if (listDirectory(path).length > 0) return;
    try {
      rmdirSync(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
