// L8: an operator who changes topics and groups while the broker is killed. After a restart each is as the last acknowledged change made
// it, or as the change under way at the kill would.

import { isDeepStrictEqual } from 'node:util';
import type { Prng } from '../../src/base/prng.js';
import {
  defaultSubscriptionGroupConfig,
  type SubscriptionGroupConfig,
} from '../../src/protocol/bodies/subscription-group-config.js';
import type { TopicConfig } from '../../src/protocol/bodies/topic-config.js';
import { WireClient } from '../support/wire-client.js';
import { DELAYED_TOPIC, QUEUES, sleep, TOPICS } from './producer.js';

const NAMES = 5;
const PAUSE_MS = 40;

interface Row<T> {
  acknowledged: T | null;
  underWay: T | null;
}

export class Admin {
  changes = 0;
  readonly violations: string[] = [];
  readonly #prng: Prng;
  readonly #topics = new Map<string, Row<TopicConfig>>();
  readonly #groups = new Map<string, Row<SubscriptionGroupConfig>>();
  #stopped = false;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  /** The topics of the producers. */
  async createTopics(client: WireClient): Promise<void> {
    for (const name of [...TOPICS, DELAYED_TOPIC]) {
      await this.#changeTopic(client, topicConfig(name, QUEUES, 6));
    }
  }

  async run(port: number): Promise<void> {
    this.#stopped = false;
    const client = new WireClient(port);
    try {
      while (!this.#stopped) {
        await this.#changeOne(client);
        await sleep(PAUSE_MS);
      }
    } catch {
      // The broker was killed with a change under way, which the row remembers.
    }
    client.close();
  }

  stop(): void {
    this.#stopped = true;
  }

  async check(client: WireClient): Promise<void> {
    const [topics, groups] = [await client.topics(), await client.groups()];
    for (const [name, row] of this.#topics) this.#compare(`topic ${name}`, row, topics.get(name));
    for (const [name, row] of this.#groups) this.#compare(`group ${name}`, row, groups.get(name));
  }

  #compare<T>(what: string, row: Row<T>, found: T | undefined): void {
    const { acknowledged, underWay } = row;
    const isRight =
      found === undefined
        ? acknowledged === null
        : isDeepStrictEqual(found, acknowledged) || isDeepStrictEqual(found, underWay);
    if (!isRight) {
      const [is, was] = [found ?? null, acknowledged].map((it) => JSON.stringify(it));
      this.violations.push(`L8: ${what} is ${is}, acknowledged was ${was}`);
    }
    row.acknowledged = found ?? null;
    row.underWay = null;
  }

  async #changeOne(client: WireClient): Promise<void> {
    const n = this.#prng.nextInt(NAMES);
    if (this.#prng.nextInt(2) === 0) {
      const config = topicConfig(
        `RelAdmin${n}`,
        1 + this.#prng.nextInt(16),
        4 + this.#prng.nextInt(3),
      );
      await this.#changeTopic(client, config);
      return;
    }
    const name = `rel-admin-${n}`;
    const config: SubscriptionGroupConfig = {
      ...defaultSubscriptionGroupConfig(name),
      retryMaxTimes: this.#prng.nextInt(100),
    };
    const row = rowOf(this.#groups, name);
    row.underWay = config;
    await client.updateGroup(config);
    this.#acknowledge(row);
  }

  async #changeTopic(client: WireClient, config: TopicConfig): Promise<void> {
    const row = rowOf(this.#topics, config.topicName);
    row.underWay = config;
    await client.updateTopic(config);
    this.#acknowledge(row);
  }

  #acknowledge<T>(row: Row<T>): void {
    row.acknowledged = row.underWay;
    row.underWay = null;
    this.changes++;
  }
}

function rowOf<T>(rows: Map<string, Row<T>>, name: string): Row<T> {
  const row = rows.get(name) ?? { acknowledged: null, underWay: null };
  rows.set(name, row);
  return row;
}

function topicConfig(topicName: string, queueNums: number, perm: number): TopicConfig {
  return {
    order: false,
    perm,
    readQueueNums: queueNums,
    topicFilterType: 'SINGLE_TAG',
    topicName,
    topicSysFlag: 0,
    writeQueueNums: queueNums,
  };
}
