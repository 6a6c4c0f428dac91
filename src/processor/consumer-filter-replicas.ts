// Room: processor; runs in the dispatch worker. The worker's copy of main's ConsumerFilterManager: who filters which topic by which
// expression. Main writes it by TABLE records; pulls and the bitmap of new queue entries read it. An expression is compiled here,
// once per row, because a compiled one belongs to its thread.
// Always holds: a filter's bornTime here is not before the moment when this thread first knew it. Bitmaps of older messages may
// lack its bits, whatever main or the file say, and are not asked.

import type { Clock } from '../base/clock.js';
import { BloomFilter } from '../filter/bloom-filter.js';
import {
  type ConsumerFilterData,
  type ConsumerFilterRow,
  compileOrNull,
} from '../filter/consumer-filter-data.js';
import { ExpressionCache } from '../filter/expression-cache.js';

export interface BloomSettings {
  readonly maxErrorRateOfBloomFilter: number;
  readonly expectConsumerNumUseFilter: number;
}

interface Filter {
  readonly data: ConsumerFilterData;
  /** Main's, by which a row that only changed is told from a new one. */
  readonly bornTimeAtMain: number;
}

interface TopicFilters {
  readonly byGroup: Map<string, Filter>;
  list: readonly ConsumerFilterData[];
}

const NONE: readonly ConsumerFilterData[] = [];

export class ConsumerFilterReplicas {
  readonly bloomFilter: BloomFilter;
  /** Also of the expressions that pulls bring along. */
  readonly expressions = new ExpressionCache();
  readonly #clock: Clock;
  readonly #topics = new Map<string, TopicFilters>();

  constructor(bloom: BloomSettings, clock: Clock) {
    const { maxErrorRateOfBloomFilter, expectConsumerNumUseFilter } = bloom;
    this.bloomFilter = new BloomFilter(maxErrorRateOfBloomFilter, expectConsumerNumUseFilter);
    this.#clock = clock;
  }

  get(topic: string, consumerGroup: string): ConsumerFilterData | undefined {
    return this.#topics.get(topic)?.byGroup.get(consumerGroup)?.data;
  }

  /** Those of groups that are gone too: they may come back and rely on the bits. */
  ofTopic(topic: string): readonly ConsumerFilterData[] {
    return this.#topics.get(topic)?.list ?? NONE;
  }

  /** A null row takes the filter away. */
  apply(topic: string, consumerGroup: string, row: ConsumerFilterRow | null): void {
    const filters = this.#topics.get(topic) ?? { byGroup: new Map<string, Filter>(), list: NONE };
    if (row === null) filters.byGroup.delete(consumerGroup);
    else filters.byGroup.set(consumerGroup, this.#filter(row, filters.byGroup.get(consumerGroup)));
    filters.list = [...filters.byGroup.values()].map(({ data }) => data);
    if (filters.list.length > 0) this.#topics.set(topic, filters);
    else this.#topics.delete(topic);
  }

  #filter(row: ConsumerFilterRow, old: Filter | undefined): Filter {
    const isSame =
      old !== undefined &&
      old.bornTimeAtMain === row.bornTime &&
      old.data.expression === row.expression &&
      old.data.expressionType === row.expressionType;
    const bornTime = isSame ? old.data.bornTime : Math.max(row.bornTime, this.#clock.nowMs());
    const compiledExpression = isSame
      ? old.data.compiledExpression
      : compileOrNull(row, (expression) => this.expressions.compile(expression));
    return { data: { ...row, bornTime, compiledExpression }, bornTimeAtMain: row.bornTime };
  }
}
