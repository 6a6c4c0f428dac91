// Room: processor. The workers' read-only copies of main's tables: main writes a TABLE record into a worker's ring on each
// change, ahead of every frame that may rely on it, so that whoever got the answer of an admin call finds it in force.

import type { ConsumerFilterRow } from '../filter/consumer-filter-data.js';
import { isForbiddenToSend, isRetryTopic } from '../message/topic-validator.js';
import { BytesTable } from './bytes-table.js';
import type { ConsumerFilterReplicas } from './consumer-filter-replicas.js';

export interface TopicConfigRow {
  readonly topicName: string;
  readonly readQueueNums: number;
  readonly writeQueueNums: number;
  readonly perm: number;
  readonly topicFilterType: string;
  readonly topicSysFlag: number;
  readonly order: boolean;
}

export interface GroupConfigRow {
  readonly groupName: string;
  readonly consumeEnable: boolean;
  readonly consumeBroadcastEnable: boolean;
  readonly brokerId: number;
  readonly whichBrokerWhenConsumeSlowly: number;
}

export interface SubscriptionRow {
  readonly topic: string;
  readonly subString: string;
  readonly codeSet: readonly number[];
  readonly subVersion: number;
  readonly expressionType: string;
  readonly classFilterMode?: boolean;
}

export interface ConsumersRow {
  readonly messageModel: string;
  readonly subscriptions: readonly SubscriptionRow[];
}

/** One TABLE record. A null row removes the key. */
export type TableChange =
  | { readonly table: 'topic'; readonly key: string; readonly row: TopicConfigRow | null }
  | { readonly table: 'group'; readonly key: string; readonly row: GroupConfigRow | null }
  | { readonly table: 'consumers'; readonly key: string; readonly row: ConsumersRow | null }
  | {
      readonly table: 'filter';
      readonly topic: string;
      readonly group: string;
      readonly row: ConsumerFilterRow | null;
    }
  | { readonly table: 'filterSupportRetry'; readonly row: boolean }
  | { readonly table: 'broker'; readonly row: { readonly brokerPermission: number } };

/** A topic as the hot path sees it, with the counters that its thread keeps of it. */
export class TopicRow {
  readonly topic: string;
  readonly retry: boolean;
  /** Clients may not send to it. */
  readonly sendForbidden: boolean;
  perm = 0;
  readQueueNums = 0;
  writeQueueNums = 0;
  multiTag = false;
  order = false;
  config: TopicConfigRow | null = null;
  putCount = 0;
  putBytes = 0;

  constructor(topic: string) {
    this.topic = topic;
    this.retry = isRetryTopic(topic);
    this.sendForbidden = isForbiddenToSend(topic);
  }
}

export class TableReplicas {
  readonly topics = new BytesTable<TopicRow>();
  readonly groups = new BytesTable<GroupConfigRow>();
  readonly consumers = new Map<string, ConsumersRow>();
  brokerPermission = 6;
  filterSupportRetry = false;
  readonly #filters: ConsumerFilterReplicas | null;

  /** Without filters where nobody pulls. */
  constructor(filters: ConsumerFilterReplicas | null = null) {
    this.#filters = filters;
  }

  apply(change: TableChange): void {
    switch (change.table) {
      case 'topic':
        this.#applyTopic(change.key, change.row);
        break;
      case 'group':
        if (change.row === null) this.groups.delete(change.key);
        else this.groups.set(change.key, change.row);
        break;
      case 'consumers':
        if (change.row === null) this.consumers.delete(change.key);
        else this.consumers.set(change.key, change.row);
        break;
      case 'filter':
        this.#filters?.apply(change.topic, change.group, change.row);
        break;
      case 'filterSupportRetry':
        this.filterSupportRetry = change.row;
        break;
      case 'broker':
        this.brokerPermission = change.row.brokerPermission;
        break;
    }
  }

  #applyTopic(topic: string, config: TopicConfigRow | null): void {
    if (config === null) {
      this.topics.delete(topic);
      return;
    }
    const key = Buffer.from(topic, 'utf8');
    const row = this.topics.get(key, 0, key.length) ?? new TopicRow(topic);
    row.perm = config.perm;
    row.readQueueNums = config.readQueueNums;
    row.writeQueueNums = config.writeQueueNums;
    row.multiTag = config.topicFilterType === 'MULTI_TAG';
    row.order = config.order;
    row.config = config;
    this.topics.set(topic, row);
  }
}

/** Java's TopicConfig.toString, which clients read in the remark about an illegal queue. */
export function topicConfigText(config: TopicConfigRow): string {
  const perm = `${config.perm & 4 ? 'R' : '-'}${config.perm & 2 ? 'W' : '-'}${config.perm & 1 ? 'X' : '-'}`;
  return (
    `TopicConfig [topicName=${config.topicName}, readQueueNums=${config.readQueueNums}, ` +
    `writeQueueNums=${config.writeQueueNums}, perm=${perm}, topicFilterType=${config.topicFilterType}, ` +
    `topicSysFlag=${config.topicSysFlag}, order=${config.order}]`
  );
}
