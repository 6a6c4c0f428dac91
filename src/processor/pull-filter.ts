// Room: processor; runs in the dispatch worker. What a subscription lets through: tag codes by their hash, as the client's own exact
// check expects, or a compiled SQL92 expression, asked of a record's properties where they lie. Java's ExpressionMessageFilter and
// ExpressionForRetryMessageFilter. A filter is made once per subscription version and then only asked. Hot.

import { javaHashCode } from '../base/java-hash.js';
import type { BloomFilter } from '../filter/bloom-filter.js';
import type { CompiledExpression } from '../filter/compile-sql92.js';
import type { ConsumerFilterData } from '../filter/consumer-filter-data.js';
import { isMatchedByBitMap } from '../filter/filter-bit-map.js';
import { TRUE } from '../filter/filter-outcome.js';
import { PropertyLookup } from '../filter/property-lookup.js';
import { PROPERTY_RETRY_TOPIC } from '../message/message-const.js';
import type { CqExtUnit } from '../store/consumequeue/consume-queue-ext.js';
import type { MessageFilter } from '../store/get/message-filter.js';
import { lookIntoRecord } from './record-properties.js';
import type { SubscriptionRow } from './table-replicas.js';

const TAG = 'TAG';
const ALL_TAGS = '*';
const RETRY_PREFIX = '%RETRY%';

/** One thread, one message at a time. */
const lookup = new PropertyLookup();

export function isTagExpression(expressionType: string | null): boolean {
  return expressionType === null || expressionType === '' || expressionType === TAG;
}

/** Java's FilterAPI: `A || B` to the hash codes of the trimmed tags; `*` and blank mean everything. */
export function parseTags(subString: string | null): readonly number[] {
  if (subString === null || subString.trim() === '' || subString.trim() === ALL_TAGS) return [];
  const tags = subString.split('||').map((tag) => tag.trim());
  return tags.filter((tag) => tag !== '').map(javaHashCode);
}

export class TagFilter implements MessageFilter {
  readonly #codes: ReadonlySet<number>;

  constructor(codes: readonly number[]) {
    this.#codes = new Set(codes);
  }

  /** Tags that cannot be read pass: the client checks them again by their text. */
  matchConsumeQueue(tagsKnown: boolean, _tagsHigh: number, tagsLow: number): boolean {
    return !tagsKnown || this.#codes.has(tagsLow | 0);
  }

  matchCommitLog(): boolean {
    return true;
  }
}

/** Null: everything passes. */
export function tagFilter(codes: readonly number[]): MessageFilter | null {
  return codes.length === 0 ? null : new TagFilter(codes);
}

/** An expression that came with the request: nobody has set bits for it. */
export class ExpressionFilter implements MessageFilter {
  readonly #expression: CompiledExpression;

  constructor(expression: CompiledExpression) {
    this.#expression = expression;
  }

  matchConsumeQueue(): boolean {
    return true;
  }

  matchCommitLog(buffer: Buffer, position: number, sizeBytes: number): boolean {
    return this.#expression.outcome(lookIntoRecord(lookup, buffer, position, sizeBytes)) === TRUE;
  }
}

/** The registered expression of a group. Its bits in an entry's bitmap, where there is one, may spare the record. */
export class RegisteredFilter implements MessageFilter {
  readonly #data: ConsumerFilterData;
  readonly #bloomFilter: BloomFilter;

  constructor(data: ConsumerFilterData, bloomFilter: BloomFilter) {
    this.#data = data;
    this.#bloomFilter = bloomFilter;
  }

  matchConsumeQueue(
    _tagsKnown: boolean,
    _tagsHigh: number,
    _tagsLow: number,
    unit: CqExtUnit | null,
  ): boolean {
    const bitMap = unit === null ? null : unit.bitMap;
    if (unit === null || bitMap === null) return true;
    const { msgStoreTime } = unit;
    return isMatchedByBitMap(this.#data, this.#bloomFilter, msgStoreTime, bitMap, 0, bitMap.length);
  }

  /** All pass by an expression that could not be compiled, as Java's; a pull never comes here with one. */
  matchCommitLog(buffer: Buffer, position: number, sizeBytes: number): boolean {
    const { compiledExpression } = this.#data;
    if (compiledExpression === null) return true;
    return compiledExpression.outcome(lookIntoRecord(lookup, buffer, position, sizeBytes)) === TRUE;
  }
}

export interface RegisteredFilters {
  get(topic: string, consumerGroup: string): ConsumerFilterData | undefined;
}

/** With filterSupportRetry: messages of a retry topic are put to what the group asks of the topic that they came from. */
export class RetryFilter implements MessageFilter {
  readonly #byEntry: MessageFilter | null;
  readonly #group: string;
  readonly #filters: RegisteredFilters;

  /** @param byEntry the retry topic's own subscription. */
  constructor(retryTopic: string, byEntry: MessageFilter | null, filters: RegisteredFilters) {
    this.#byEntry = byEntry;
    this.#group = retryTopic.slice(RETRY_PREFIX.length);
    this.#filters = filters;
  }

  matchConsumeQueue(
    tagsKnown: boolean,
    tagsHigh: number,
    tagsLow: number,
    unit: CqExtUnit | null,
  ): boolean {
    if (this.#byEntry === null) return true;
    return this.#byEntry.matchConsumeQueue(tagsKnown, tagsHigh, tagsLow, unit);
  }

  matchCommitLog(buffer: Buffer, position: number, sizeBytes: number): boolean {
    const properties = lookIntoRecord(lookup, buffer, position, sizeBytes);
    const topic = properties.get(PROPERTY_RETRY_TOPIC);
    const data = topic === null ? undefined : this.#filters.get(topic, this.#group);
    if (data === undefined || data.compiledExpression === null) return true;
    return data.compiledExpression.outcome(properties) === TRUE;
  }
}

interface Made {
  readonly filter: MessageFilter | null;
}

/** Filters by the row that they were made of: a new heartbeat brings a new row and so a new filter. */
export class SubscriptionFilters {
  readonly #bloomFilter: BloomFilter;
  readonly #byTags = new WeakMap<SubscriptionRow, Made>();
  readonly #registered = new WeakMap<ConsumerFilterData, MessageFilter>();
  readonly #brought = new WeakMap<CompiledExpression, MessageFilter>();

  constructor(bloomFilter: BloomFilter) {
    this.#bloomFilter = bloomFilter;
  }

  byTags(subscription: SubscriptionRow): MessageFilter | null {
    let made = this.#byTags.get(subscription);
    if (made === undefined) {
      const isAll = subscription.subString === ALL_TAGS || subscription.classFilterMode === true;
      made = { filter: isAll ? null : new TagFilter(subscription.codeSet) };
      this.#byTags.set(subscription, made);
    }
    return made.filter;
  }

  registered(data: ConsumerFilterData): MessageFilter {
    let filter = this.#registered.get(data);
    if (filter === undefined) {
      filter = new RegisteredFilter(data, this.#bloomFilter);
      this.#registered.set(data, filter);
    }
    return filter;
  }

  brought(expression: CompiledExpression): MessageFilter {
    let filter = this.#brought.get(expression);
    if (filter === undefined) {
      filter = new ExpressionFilter(expression);
      this.#brought.set(expression, filter);
    }
    return filter;
  }
}
