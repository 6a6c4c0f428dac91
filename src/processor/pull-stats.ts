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
    get: { readonly count: number; readonly totalBytes: number },
  ): void {
    let topics = this.#byGroup.get(group);
    if (topics === undefined) this.#byGroup.set(group, (topics = new Map()));
    let queues = topics.get(topic);
    if (queues === undefined) topics.set(topic, (queues = new Map()));
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
    row.count += get.count;
    row.bytes += get.totalBytes;
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
