// Room: filter. One thread (main, inside the broker's ConsumerFilterManager). Who filters which topic by which expression.
// Filters come and go with heartbeats; one that is gone stays a day as dead, so that a consumer that returns finds the bits
// of what was stored meanwhile. Always holds: of one group on one topic there is one filter, that of the highest version.

import type { Clock } from '../base/clock.js';
import type { BloomFilter, BloomFilterData } from './bloom-filter.js';
import {
  type CompileExpression,
  type ConsumerFilterData,
  compileOrNull,
  decodeConsumerFilters,
  encodeConsumerFilters,
  type FilterDataByTopic,
  isDead,
  isTagType,
} from './consumer-filter-data.js';

/** What is needed of a SubscriptionData. */
export interface FilterSubscription {
  readonly topic: string;
  readonly subString: string;
  readonly expressionType?: string | null;
  readonly subVersion: number;
}

export interface ConsumerFilterTableOptions {
  readonly bloomFilter: BloomFilter;
  readonly compile: CompileExpression;
  readonly clock: Clock;
  /** filterDataCleanTimeSpan; asked for anew each time, since it can be set at run time. */
  readonly cleanTimeSpanMs: number | (() => number);
}

export class ConsumerFilterTable {
  readonly bloomFilter: BloomFilter;
  readonly #compile: CompileExpression;
  readonly #clock: Clock;
  readonly #cleanTimeSpanMs: () => number;
  #topics: FilterDataByTopic = new Map();
  /** The topics of each group, so that a heartbeat does not go through all. */
  readonly #topicsOf = new Map<string, Set<string>>();

  constructor({ bloomFilter, compile, clock, cleanTimeSpanMs }: ConsumerFilterTableOptions) {
    this.bloomFilter = bloomFilter;
    this.#compile = compile;
    this.#clock = clock;
    this.#cleanTimeSpanMs =
      typeof cleanTimeSpanMs === 'number' ? () => cleanTimeSpanMs : cleanTimeSpanMs;
  }

  get(topic: string, consumerGroup: string): ConsumerFilterData | null {
    return this.#topics.get(topic)?.get(consumerGroup) ?? null;
  }

  /** Dead ones too: their bits are kept up. */
  ofTopic(topic: string): readonly ConsumerFilterData[] {
    return [...(this.#topics.get(topic)?.values() ?? [])];
  }

  ofGroup(consumerGroup: string): readonly ConsumerFilterData[] {
    const found: ConsumerFilterData[] = [];
    for (const topic of this.#topicsOf.get(consumerGroup) ?? []) {
      const data = this.get(topic, consumerGroup);
      if (data !== null) found.push(data);
    }
    return found;
  }

  /** A heartbeat's subscriptions of a group; its filters on topics that are not among them die. */
  registerGroup(consumerGroup: string, subscriptions: Iterable<FilterSubscription>): void {
    const topics = new Set<string>();
    for (const { topic, subString, expressionType, subVersion } of subscriptions) {
      topics.add(topic);
      this.register(topic, consumerGroup, subString, expressionType, subVersion);
    }
    for (const data of this.ofGroup(consumerGroup)) {
      if (!topics.has(data.topic)) this.#kill(data);
    }
  }

  /** Whether the table now has what was brought; false for a tag, an older version and what can not be compiled. */
  register(
    topic: string,
    consumerGroup: string,
    expression: string,
    expressionType: string | null | undefined,
    clientVersion: number,
  ): boolean {
    if (!expressionType || isTagType(expressionType) || expression === '') return false;
    const bloomFilterData = this.bloomFilter.generate(consumerGroup, topic);
    const old = this.get(topic, consumerGroup);
    if (old !== null) {
      if (clientVersion < old.clientVersion) return false;
      if (clientVersion === old.clientVersion) return revive(old);
      if (
        old.expression === expression &&
        old.expressionType === expressionType &&
        isSameBloom(old.bloomFilterData, bloomFilterData)
      ) {
        old.clientVersion = clientVersion;
        revive(old);
        return true;
      }
    }
    const compiledExpression = compileOrNull({ expression, expressionType }, this.#compile);
    if (compiledExpression === null) {
      // The older one must not answer pulls for an expression that its consumer no longer asks for.
      this.#remove(topic, consumerGroup);
      return false;
    }
    this.#put({
      topic,
      consumerGroup,
      expression,
      expressionType,
      bornTime: this.#clock.nowMs(),
      deadTime: 0,
      bloomFilterData,
      clientVersion,
      compiledExpression,
    });
    return true;
  }

  unregisterGroup(consumerGroup: string): void {
    for (const data of this.ofGroup(consumerGroup)) this.#kill(data);
  }

  /** Drops what has been dead for too long. */
  clean(): void {
    const nowMs = this.#clock.nowMs();
    const cleanTimeSpanMs = this.#cleanTimeSpanMs();
    for (const data of [...this.all()]) {
      const isOver = isDead(data) && nowMs - data.deadTime >= cleanTimeSpanMs;
      if (isOver) this.#remove(data.topic, data.consumerGroup);
    }
    for (const [topic, groups] of this.#topics) {
      if (groups.size === 0) this.#topics.delete(topic);
    }
  }

  /** The text of consumerFilter.json, in pieces, after a clean. */
  encode(): Iterable<string> {
    this.clean();
    return encodeConsumerFilters(this.#topics);
  }

  /** False when the file was written with other bloom settings and is left aside. Throws JSON_INVALID. */
  load(text: string): boolean {
    const nowMs = this.#clock.nowMs();
    const loaded = decodeConsumerFilters(text, this.bloomFilter, this.#compile, nowMs);
    if (loaded.kind !== 'loaded') return false;
    this.#topics = loaded.topics;
    this.#topicsOf.clear();
    for (const [topic, groups] of loaded.topics) {
      for (const group of groups.keys()) this.#noteTopic(group, topic);
    }
    return true;
  }

  *all(): Generator<ConsumerFilterData> {
    for (const groups of this.#topics.values()) yield* groups.values();
  }

  #put(data: ConsumerFilterData): void {
    let groups = this.#topics.get(data.topic);
    if (groups === undefined) {
      groups = new Map();
      this.#topics.set(data.topic, groups);
    }
    groups.set(data.consumerGroup, data);
    this.#noteTopic(data.consumerGroup, data.topic);
  }

  #noteTopic(consumerGroup: string, topic: string): void {
    const topics = this.#topicsOf.get(consumerGroup);
    if (topics === undefined) this.#topicsOf.set(consumerGroup, new Set([topic]));
    else topics.add(topic);
  }

  #remove(topic: string, consumerGroup: string): void {
    const groups = this.#topics.get(topic);
    if (groups?.delete(consumerGroup) && groups.size === 0) this.#topics.delete(topic);
    const topics = this.#topicsOf.get(consumerGroup);
    if (topics?.delete(topic) && topics.size === 0) this.#topicsOf.delete(consumerGroup);
  }

  #kill(data: ConsumerFilterData): void {
    if (!isDead(data)) data.deadTime = this.#clock.nowMs();
  }
}

/** Whether it was dead. */
function revive(data: ConsumerFilterData): boolean {
  if (!isDead(data)) return false;
  data.deadTime = 0;
  return true;
}

function isSameBloom(old: BloomFilterData | null, made: BloomFilterData): boolean {
  return (
    old !== null &&
    old.bitNum === made.bitNum &&
    old.bitPos.length === made.bitPos.length &&
    old.bitPos.every((position, i) => position === made.bitPos[i])
  );
}
