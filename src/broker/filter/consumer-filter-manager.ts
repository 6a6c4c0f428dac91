// Room: broker, main thread. Which group filters which topic by which expression, as Java's ConsumerFilterManager around filter's
// ConsumerFilterTable. Heartbeats write it, pulls in the dispatch worker read their copy. Saved to config/consumerFilter.json every
// 10 s and at the end; what is in it only spares reading records, so that a file that can not be used is left aside.
// Always holds: a row is with the worker before the heartbeat that brought it is answered.

import type { Clock } from '../../base/clock.js';
import type { BrokerConfig } from '../../base/config.js';
import { isCometError } from '../../base/errors.js';
import { readFileWithBackup } from '../../base/json-file.js';
import { MAX_CONSUMER_FILTERS } from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import { BloomFilter } from '../../filter/bloom-filter.js';
import {
  type ConsumerFilterData,
  type ConsumerFilterRow,
  isTagType,
  SQL92,
} from '../../filter/consumer-filter-data.js';
import {
  ConsumerFilterTable,
  type FilterSubscription,
} from '../../filter/consumer-filter-table.js';
import { ExpressionCache } from '../../filter/expression-cache.js';
import { FilterExpressionError } from '../../filter/filter-expression-error.js';
import type { ReplicaPublisher } from '../control-plane.js';
import { PersistedTable, type WriteFile } from '../persisted-table.js';

const log = getLogger('broker.filter');

export interface ConsumerFilterManagerOptions {
  readonly path: string;
  readonly config: Pick<
    BrokerConfig,
    'maxErrorRateOfBloomFilter' | 'expectConsumerNumUseFilter' | 'filterDataCleanTimeSpan'
  >;
  readonly clock: Clock;
  readonly publisher: Pick<ReplicaPublisher, 'filterChanged'>;
  readonly write?: WriteFile;
  readonly maxFilters?: number;
}

/** What was last told of a row: the table changes its rows in place. */
interface Told {
  readonly data: ConsumerFilterData;
  readonly clientVersion: number;
  readonly deadTime: number;
}

export class ConsumerFilterManager {
  readonly bloomFilter: BloomFilter;
  readonly #table: ConsumerFilterTable;
  readonly #expressions = new ExpressionCache();
  readonly #publisher: Pick<ReplicaPublisher, 'filterChanged'>;
  readonly #file: PersistedTable;
  readonly #maxFilters: number;
  /** group -> topic -> what the worker and the file know; all rows of the table. */
  readonly #told = new Map<string, Map<string, Told>>();
  #count = 0;
  /** The workers are there: from now on they hear of each change. */
  #isPublished = false;

  constructor({ path, config, clock, publisher, write, maxFilters }: ConsumerFilterManagerOptions) {
    const { maxErrorRateOfBloomFilter, expectConsumerNumUseFilter } = config;
    this.bloomFilter = new BloomFilter(maxErrorRateOfBloomFilter, expectConsumerNumUseFilter);
    this.#table = new ConsumerFilterTable({
      bloomFilter: this.bloomFilter,
      compile: (expression) => this.#expressions.compile(expression),
      clock,
      cleanTimeSpanMs: () => config.filterDataCleanTimeSpan,
    });
    this.#publisher = publisher;
    this.#file = new PersistedTable(path, () => this.#table.encode(), write);
    this.#maxFilters = maxFilters ?? MAX_CONSUMER_FILTERS;
  }

  get count(): number {
    return this.#count;
  }

  load(): void {
    let isUsed = true;
    try {
      readFileWithBackup(this.#file.path, (text) => {
        const loaded = this.#load(text);
        if (loaded === false) isUsed = false;
        return loaded !== null;
      });
    } catch (error) {
      if (!isCometError(error, 'CONFIG_FILE_DAMAGED')) throw error;
      log.error('starting without consumer filters; heartbeats bring them again', { err: error });
    }
    if (!isUsed) log.info('consumer filters of other bloom settings are left aside');
    for (const { consumerGroup } of this.#table.all()) {
      if (!this.#told.has(consumerGroup)) this.#tell(consumerGroup);
    }
  }

  publishAll(): void {
    this.#isPublished = true;
    for (const topics of this.#told.values()) {
      for (const { data } of topics.values()) this.#publish(data);
    }
  }

  get(topic: string, group: string): ConsumerFilterData | null {
    return this.#table.get(topic, group);
  }

  /** A heartbeat's subscriptions. Groups that only have tags cost a look-up. */
  register(group: string, subscriptions: readonly FilterSubscription[]): void {
    if (!this.#told.has(group) && subscriptions.every((it) => isTagType(it.expressionType))) return;
    this.#table.registerGroup(group, this.#withinLimit(group, subscriptions));
    this.#tell(group);
  }

  /** The last member of the group left. */
  unregister(group: string): void {
    if (!this.#told.has(group)) return;
    this.#table.unregisterGroup(group);
    this.#tell(group);
  }

  /** For code 46: why an expression can not be used, or null. */
  check(expressionType: string, expression: string): string | null {
    if (expressionType !== SQL92) return `there is no expression type ${expressionType}`;
    try {
      this.#expressions.compile(expression);
      return null;
    } catch (error) {
      if (error instanceof FilterExpressionError) return error.message;
      throw error;
    }
  }

  /** Drops what has been dead for too long, and saves what changed. */
  persist(): Promise<void> {
    this.#table.clean();
    for (const [group, topics] of [...this.#told]) {
      for (const [topic, { data }] of topics) {
        if (this.#table.get(topic, group) === data) continue;
        this.#tell(group);
        break;
      }
    }
    return this.#file.persistIfDirty();
  }

  /** Null: not to be read; false: readable, and of no use here. */
  #load(text: string): boolean | null {
    try {
      return this.#table.load(text);
    } catch (error) {
      if (isCometError(error, 'JSON_INVALID')) return null;
      throw error;
    }
  }

  #withinLimit(
    group: string,
    subscriptions: readonly FilterSubscription[],
  ): readonly FilterSubscription[] {
    let room = this.#maxFilters - this.#count;
    if (room >= subscriptions.length) return subscriptions;
    const kept = subscriptions.filter(({ topic, expressionType }) => {
      if (isTagType(expressionType) || this.#table.get(topic, group) !== null) return true;
      return room-- > 0;
    });
    if (kept.length < subscriptions.length) log.warn('too many consumer filters', { group });
    return kept;
  }

  /** Tells the worker, and the file, what has changed of a group. */
  #tell(group: string): void {
    const old = this.#told.get(group) ?? new Map<string, Told>();
    const now = new Map<string, Told>();
    for (const data of this.#table.ofGroup(group)) {
      const { topic, clientVersion, deadTime } = data;
      const told = old.get(topic);
      const isSame = told?.data === data && told.clientVersion === clientVersion;
      if (!isSame) this.#publish(data);
      if (!isSame || told?.deadTime !== deadTime) this.#file.markDirty();
      now.set(topic, { data, clientVersion, deadTime });
    }
    for (const topic of old.keys()) {
      if (now.has(topic)) continue;
      if (this.#isPublished) this.#publisher.filterChanged(topic, group, null);
      this.#file.markDirty();
    }
    this.#count += now.size - old.size;
    if (now.size > 0) this.#told.set(group, now);
    else this.#told.delete(group);
  }

  #publish(data: ConsumerFilterData): void {
    if (!this.#isPublished) return;
    const { compiledExpression: _, ...row } = data;
    this.#publisher.filterChanged(row.topic, row.consumerGroup, row satisfies ConsumerFilterRow);
  }
}
