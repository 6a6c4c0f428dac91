// Room: filter. The dispatch worker, for each message (calcBitMap) and each consume queue unit of a filtered pull
// (isMatchedByBitMap). The bitmap of a unit holds the bits of every group whose expression took the message when it was
// dispatched. Hot: nothing is allocated.
// Always holds: a bitmap only ever lets the reading of a record be skipped; a hit is still put to the real expression.

import { type BloomFilter, hasBits, setBits } from './bloom-filter.js';
import { type ConsumerFilterData, isMessageInLive } from './consumer-filter-data.js';
import { TRUE } from './filter-outcome.js';
import type { PropertyLookup } from './property-lookup.js';

/**
 * Fills bitMap, which has bloomFilter.bitMapBytes, for a message. False when nobody filters the topic: the unit then has
 * no bitmap at all.
 */
export function calcBitMap(
  filters: readonly ConsumerFilterData[],
  properties: PropertyLookup,
  bloomFilter: BloomFilter,
  bitMap: Uint8Array,
): boolean {
  if (filters.length === 0) return false;
  bitMap.fill(0);
  for (const { compiledExpression, bloomFilterData } of filters) {
    if (compiledExpression === null || !bloomFilter.isValid(bloomFilterData)) continue;
    if (compiledExpression.outcome(properties) === TRUE) setBits(bitMap, bloomFilterData);
  }
  return true;
}

/**
 * Whether the record has to be read. False only when the filter was there when the message was stored, and the bitmap in
 * bytes[start, start + length) of its unit says that the filter did not take it.
 */
export function isMatchedByBitMap(
  filter: ConsumerFilterData,
  bloomFilter: BloomFilter,
  storeTimestamp: number,
  bytes: Uint8Array,
  start: number,
  length: number,
): boolean {
  const { compiledExpression, bloomFilterData } = filter;
  if (compiledExpression === null || !isMessageInLive(filter, storeTimestamp)) return true;
  if (!bloomFilter.isValid(bloomFilterData) || length !== bloomFilter.bitMapBytes) return true;
  return hasBits(bytes, start, bloomFilterData);
}
