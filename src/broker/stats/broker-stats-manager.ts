// Room: broker, main thread. What went in and out, by topic, group and queue, under the names that code 315 asks for (protocol
// 2.9). The workers count per topic and hand their sums over in batches; this table only adds and samples.
// Always holds: an item exists from its first count on, until its topic or group is deleted with autoDeleteUnusedStats.

import type { Clock } from '../../base/clock.js';
import { StatsItem } from './stats-item.js';

export const StatsName = {
  TOPIC_PUT_NUMS: 'TOPIC_PUT_NUMS',
  TOPIC_PUT_SIZE: 'TOPIC_PUT_SIZE',
  GROUP_GET_NUMS: 'GROUP_GET_NUMS',
  GROUP_GET_SIZE: 'GROUP_GET_SIZE',
  GROUP_GET_LATENCY: 'GROUP_GET_LATENCY',
  SNDBCK_PUT_NUMS: 'SNDBCK_PUT_NUMS',
  BROKER_PUT_NUMS: 'BROKER_PUT_NUMS',
  BROKER_GET_NUMS: 'BROKER_GET_NUMS',
  QUEUE_PUT_NUMS: 'QUEUE_PUT_NUMS',
  QUEUE_PUT_SIZE: 'QUEUE_PUT_SIZE',
  QUEUE_GET_NUMS: 'QUEUE_GET_NUMS',
  QUEUE_GET_SIZE: 'QUEUE_GET_SIZE',
} as const;

export type StatsName = keyof typeof StatsName;

export class BrokerStatsManager {
  readonly #clock: Clock;
  readonly #clusterName: string;
  readonly #sets = new Map<string, Map<string, StatsItem>>();
  readonly #dueMs = { minute: 0, hour: 0, day: 0 };

  constructor(clock: Clock, clusterName: string) {
    this.#clock = clock;
    this.#clusterName = clusterName;
    for (const name of Object.values(StatsName)) this.#sets.set(name, new Map());
    const nowMs = clock.monotonicMs();
    this.#dueMs = { minute: nowMs, hour: nowMs, day: nowMs };
  }

  /** Messages stored by a number of puts; queueId -1 when the queues are not told apart. */
  addPut(topic: string, queueId: number, count: number, sizeBytes: number, puts = count): void {
    this.#add('TOPIC_PUT_NUMS', topic, count, puts);
    this.#add('TOPIC_PUT_SIZE', topic, sizeBytes, puts);
    this.#add('BROKER_PUT_NUMS', this.#clusterName, count, puts);
    if (queueId < 0) return;
    this.#add('QUEUE_PUT_NUMS', `${topic}@${queueId}`, count, puts);
    this.#add('QUEUE_PUT_SIZE', `${topic}@${queueId}`, sizeBytes, puts);
  }

  /** Messages handed to a group by a number of pulls; queueId -1 when the queues are not told apart. */
  addGet(
    group: string,
    topic: string,
    queueId: number,
    count: number,
    sizeBytes: number,
    pulls = 1,
  ): void {
    this.#add('GROUP_GET_NUMS', `${topic}@${group}`, count, pulls);
    this.#add('GROUP_GET_SIZE', `${topic}@${group}`, sizeBytes, pulls);
    this.#add('BROKER_GET_NUMS', this.#clusterName, count, pulls);
    if (queueId < 0) return;
    this.#add('QUEUE_GET_NUMS', `${topic}@${queueId}@${group}`, count, pulls);
    this.#add('QUEUE_GET_SIZE', `${topic}@${queueId}@${group}`, sizeBytes, pulls);
  }

  /** How old messages were when they were handed out; the sum over `times` of them. */
  addGetLatency(
    group: string,
    topic: string,
    queueId: number,
    latencyMs: number,
    times: number,
  ): void {
    this.#add('GROUP_GET_LATENCY', `${queueId}@${topic}@${group}`, latencyMs, times);
  }

  addSendBack(group: string, topic: string): void {
    this.#add('SNDBCK_PUT_NUMS', `${topic}@${group}`, 1, 1);
  }

  find(statsName: string, statsKey: string): StatsItem | undefined {
    return this.#sets.get(statsName)?.get(statsKey);
  }

  /** Messages a second that the group took from the topic over the last minute. */
  groupGetTps(group: string, topic: string): number {
    return this.find('GROUP_GET_NUMS', `${topic}@${group}`)?.minute.snapshot().tps ?? 0;
  }

  topicDeleted(topic: string): void {
    this.#sets.get('TOPIC_PUT_NUMS')?.delete(topic);
    this.#sets.get('TOPIC_PUT_SIZE')?.delete(topic);
    this.#deleteKeys(BY_TOPIC_FIRST, (key) => key.startsWith(`${topic}@`));
    this.#deleteKeys(['GROUP_GET_LATENCY'], (key) => key.includes(`@${topic}@`));
  }

  groupDeleted(group: string): void {
    this.#deleteKeys(BY_GROUP_LAST, (key) => key.endsWith(`@${group}`));
  }

  /** Called often; takes the samples that are due. Windows are stamped with the time that never jumps. */
  sample(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const window of ['minute', 'hour', 'day'] as const) {
      if (this.#dueMs[window] > nowMs) continue;
      this.#dueMs[window] = nowMs + PERIODS_MS[window];
      for (const set of this.#sets.values()) {
        for (const item of set.values()) item[window].sample(item, nowMs);
      }
    }
  }

  #add(name: StatsName, key: string, value: number, times: number): void {
    const set = this.#sets.get(name);
    if (set === undefined) return;
    let item = set.get(key);
    if (item === undefined) {
      item = new StatsItem();
      set.set(key, item);
    }
    item.add(value, times);
  }

  #deleteKeys(names: readonly StatsName[], isOf: (key: string) => boolean): void {
    for (const name of names) {
      const set = this.#sets.get(name);
      if (set === undefined) continue;
      for (const key of set.keys()) if (isOf(key)) set.delete(key);
    }
  }
}

const PERIODS_MS = { minute: 10_000, hour: 600_000, day: 3_600_000 } as const;

/** Names whose keys begin with the topic, and names whose keys end with the group. */
const BY_TOPIC_FIRST = [
  'GROUP_GET_NUMS',
  'GROUP_GET_SIZE',
  'SNDBCK_PUT_NUMS',
  'QUEUE_PUT_NUMS',
  'QUEUE_PUT_SIZE',
  'QUEUE_GET_NUMS',
  'QUEUE_GET_SIZE',
] as const;
const BY_GROUP_LAST = [
  'GROUP_GET_NUMS',
  'GROUP_GET_SIZE',
  'GROUP_GET_LATENCY',
  'SNDBCK_PUT_NUMS',
  'QUEUE_GET_NUMS',
  'QUEUE_GET_SIZE',
] as const;
