// Room: processor; runs in the dispatch worker. Hot. Which filter a pull has: that of the subscription in its header, or that of its
// group's last heartbeat; or why it can not be served (protocol 6.4, rows 7 and 8, in their order). Allocates for refusals only.

import { type ConsumerFilterData, compileOrNull } from '../filter/consumer-filter-data.js';
import type { MessageFilter } from '../store/get/message-filter.js';
import type { ConsumerFilterReplicas } from './consumer-filter-replicas.js';
import type { HeaderScan } from './header-scan.js';
import { PullField as F } from './pull-fields.js';
import {
  isTagExpression,
  parseTags,
  RetryFilter,
  SubscriptionFilters,
  tagFilter,
} from './pull-filter.js';
import type { GroupConfigRow, SubscriptionRow, TableReplicas, TopicRow } from './table-replicas.js';

const FAQ = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';
const SUBSCRIPTION_FLAG = 4;
const RETRY_CACHE_SIZE = 1000;

export class PullRefusal {
  readonly code: number;
  readonly remark: string;

  constructor(code: number, remark: string) {
    this.code = code;
    this.remark = remark;
  }
}

const NOT_PARSED = new PullRefusal(23, "parse the consumer's subscription failed");
const NO_GROUP = new PullRefusal(24, `the consumer's group info not exist${FAQ}`);
const NO_SUBSCRIPTION = new PullRefusal(24, `the consumer's subscription not exist${FAQ}`);
const NOT_LATEST = new PullRefusal(25, "the consumer's subscription not latest");
const NO_FILTER = new PullRefusal(
  27,
  "The broker's consumer filter data is not exist!Your expression may be wrong!",
);
const FILTER_NOT_LATEST = new PullRefusal(28, "the consumer's consumer filter data not latest");

export class PullSubscription {
  readonly #tables: TableReplicas;
  readonly #filters: ConsumerFilterReplicas;
  readonly #enablePropertyFilter: boolean;
  readonly #made: SubscriptionFilters;
  readonly #retryFilters = new Map<string, { base: MessageFilter | null; filter: RetryFilter }>();

  constructor(
    tables: TableReplicas,
    filters: ConsumerFilterReplicas,
    enablePropertyFilter: boolean,
  ) {
    this.#tables = tables;
    this.#filters = filters;
    this.#enablePropertyFilter = enablePropertyFilter;
    this.#made = new SubscriptionFilters(filters.bloomFilter);
  }

  /** Null lets everything pass. */
  filterOf(
    scan: HeaderScan,
    group: GroupConfigRow,
    topic: TopicRow,
  ): MessageFilter | null | PullRefusal {
    const filter =
      (scan.integer(F.sysFlag) & SUBSCRIPTION_FLAG) !== 0
        ? this.#brought(scan)
        : this.#registered(scan, group, topic);
    if (!topic.retry || !this.#tables.filterSupportRetry || filter instanceof PullRefusal) {
      return filter;
    }
    return this.#retryFilter(topic.topic, filter);
  }

  #brought(scan: HeaderScan): MessageFilter | null | PullRefusal {
    const expressionType = scan.text(F.expressionType);
    const text = scan.text(F.subscription);
    if (isTagExpression(expressionType)) return tagFilter(parseTags(text));
    if (expressionType === null || text === null || text === '') return NOT_PARSED;
    const compiled = compileOrNull({ expression: text, expressionType }, (expression) =>
      this.#filters.expressions.compile(expression),
    );
    if (compiled === null) return NOT_PARSED;
    return this.#enablePropertyFilter ? this.#made.brought(compiled) : notSupported(expressionType);
  }

  #registered(
    scan: HeaderScan,
    group: GroupConfigRow,
    topic: TopicRow,
  ): MessageFilter | null | PullRefusal {
    const consumers = this.#tables.consumers.get(group.groupName);
    if (consumers === undefined) return NO_GROUP;
    if (!group.consumeBroadcastEnable && consumers.messageModel === 'BROADCASTING') {
      const remark = `the consumer group[${group.groupName}] can not consume by broadcast way`;
      return new PullRefusal(16, remark);
    }
    const subscription = consumers.subscriptions.find((row) => row.topic === topic.topic);
    if (subscription === undefined) return NO_SUBSCRIPTION;
    const subVersion = scan.integer(F.subVersion);
    if (subscription.subVersion < subVersion) return NOT_LATEST;
    if (isTagExpression(subscription.expressionType)) return this.#made.byTags(subscription);
    return this.#registeredExpression(subscription, group.groupName, subVersion);
  }

  #registeredExpression(
    { topic, expressionType }: SubscriptionRow,
    group: string,
    subVersion: number,
  ): MessageFilter | PullRefusal {
    const data: ConsumerFilterData | undefined = this.#filters.get(topic, group);
    if (data === undefined || data.compiledExpression === null) return NO_FILTER;
    if (data.clientVersion < subVersion) return FILTER_NOT_LATEST;
    return this.#enablePropertyFilter ? this.#made.registered(data) : notSupported(expressionType);
  }

  #retryFilter(retryTopic: string, base: MessageFilter | null): MessageFilter {
    const known = this.#retryFilters.get(retryTopic);
    if (known !== undefined && known.base === base) return known.filter;
    if (this.#retryFilters.size >= RETRY_CACHE_SIZE) this.#retryFilters.clear();
    const filter = new RetryFilter(retryTopic, base, this.#filters);
    this.#retryFilters.set(retryTopic, { base, filter });
    return filter;
  }
}

function notSupported(expressionType: string): PullRefusal {
  const remark = `The broker does not support consumer to filter message by ${expressionType}`;
  return new PullRefusal(1, remark);
}
