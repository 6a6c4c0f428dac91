// Room: store. Owner of the log only; hot. The next queue offset of each queue (Java's topicQueueTable), and each topic's bytes, so
// that a name is encoded once. Names that can't be stored have no entry.
// Always holds: an offset is the count of records that the queue was given, none is given twice, and none is skipped.

import { MAX_TOPIC_BYTES, MAX_TOPIC_CHARS } from '../../base/limits.js';

export class TopicQueues {
  readonly name: string;
  /** UTF-8, at most 127. */
  readonly bytes: Uint8Array;
  readonly #next: number[] = [];

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }

  next(queueId: number): number {
    const next = this.#next[queueId];
    return next === undefined ? 0 : next;
  }

  set(queueId: number, next: number): void {
    this.#next[queueId] = next;
  }
}

export class TopicQueueTable {
  readonly #topics = new Map<string, TopicQueues>();
  #latest: TopicQueues | null = null;

  /** @param queueOffsets `topic-queueId` to next offset, as recovery finds them. */
  constructor(queueOffsets: ReadonlyMap<string, number> = new Map()) {
    for (const [key, next] of queueOffsets) {
      const dash = key.lastIndexOf('-');
      this.find(key.slice(0, dash))?.set(Number(key.slice(dash + 1)), next);
    }
  }

  /** Null for a name that no record can hold. */
  find(topic: string): TopicQueues | null {
    const latest = this.#latest;
    if (latest !== null && latest.name === topic) return latest;
    const found = this.#topics.get(topic);
    return found === undefined ? this.#add(topic) : this.#used(found);
  }

  /** Their queues begin at 0 again. */
  forget(topics: readonly string[]): void {
    for (const topic of topics) this.#topics.delete(topic);
    this.#latest = null;
  }

  #used(topic: TopicQueues): TopicQueues {
    this.#latest = topic;
    return topic;
  }

  #add(name: string): TopicQueues | null {
    if (name.length === 0 || name.length > MAX_TOPIC_CHARS) return null;
    const bytes = new Uint8Array(Buffer.from(name, 'utf8'));
    if (bytes.length > MAX_TOPIC_BYTES) return null;
    const topic = new TopicQueues(name, bytes);
    this.#topics.set(name, topic);
    return this.#used(topic);
  }
}
