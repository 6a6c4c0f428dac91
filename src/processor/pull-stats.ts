// Room: processor; runs in the dispatch worker. What was read, by group, topic and queue, since it was last taken. Main adds it to
// the broker's statistics once a second.

export interface PullCount {
  readonly group: string;
  readonly topic: string;
  readonly queueId: number;
  count: number;
  bytes: number;
  /** Pulls that found something, and pulls that did not. */
  found: number;
  missed: number;
}

export class PullStats {
  readonly #byGroup = new Map<string, Map<string, Map<number, PullCount>>>();

  count(
    group: string,
    topic: string,
    queueId: number,
    code: number,
    get: { readonly messageCount: number; readonly totalBytes: number },
  ): void {
    const queues = this.#queuesOf(group, topic);
    let row = queues.get(queueId);
    if (row === undefined) {
      row = { group, topic, queueId, count: 0, bytes: 0, found: 0, missed: 0 };
      queues.set(queueId, row);
    }
    if (code !== 0) {
      row.missed++;
      return;
    }
    row.found++;
    row.count += get.messageCount;
    row.bytes += get.totalBytes;
  }

  #queuesOf(group: string, topic: string): Map<number, PullCount> {
    let topics = this.#byGroup.get(group);
    if (topics === undefined) {
      topics = new Map();
      this.#byGroup.set(group, topics);
    }
    let queues = topics.get(topic);
    if (queues === undefined) {
      queues = new Map();
      topics.set(topic, queues);
    }
    return queues;
  }

  /** All counts since the last take. */
  take(): PullCount[] {
    const counts: PullCount[] = [];
    for (const topics of this.#byGroup.values()) {
      for (const queues of topics.values()) counts.push(...queues.values());
    }
    this.#byGroup.clear();
    return counts;
  }
}
