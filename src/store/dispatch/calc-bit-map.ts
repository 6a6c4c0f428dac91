// Room: store. Dispatch worker, ahead of the ConsumeQueues. Hot: once a record of a topic that somebody filters by an expression.
// Which groups' expressions take a record, as the bitmap of its ext unit (storage.md 6). Java's CommitLogDispatcherCalcBitMap.
// Always holds: a record of a topic without filters keeps no bitmap at all.

import type { BloomFilter } from '../../filter/bloom-filter.js';
import type { ConsumerFilterData } from '../../filter/consumer-filter-data.js';
import { calcBitMap } from '../../filter/filter-bit-map.js';
import { PropertyLookup } from '../../filter/property-lookup.js';
import type { DispatchRequest } from './dispatch-request.js';
import type { Dispatcher } from './dispatcher.js';

export interface TopicFilters {
  readonly bloomFilter: BloomFilter;
  ofTopic(topic: string): readonly ConsumerFilterData[];
}

export class CalcBitMap implements Dispatcher {
  readonly #filters: TopicFilters;
  readonly #properties = new PropertyLookup();
  /** Reused: the ext stream copies it. */
  readonly #bitMap: Uint8Array;

  constructor(filters: TopicFilters) {
    this.#filters = filters;
    this.#bitMap = new Uint8Array(filters.bloomFilter.bitMapBytes);
  }

  dispatch(request: DispatchRequest): void {
    const filters = this.#filters.ofTopic(request.topicName.text);
    if (filters.length === 0) return;
    const { buffer, propertiesStart, propertiesLength } = request;
    this.#properties.reset(buffer, propertiesStart, propertiesLength);
    calcBitMap(filters, this.#properties, this.#filters.bloomFilter, this.#bitMap);
    request.bitMap = this.#bitMap;
  }
}
