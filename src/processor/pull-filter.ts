// Room: processor; runs in the dispatch worker. What a subscription lets through: tag codes by their hash, as the client's own exact
// check expects, or a compiled SQL92 expression. A filter is made once per subscription version and then only asked.

import { javaHashCode } from '../base/java-hash.js';
import type { MessageFilter } from '../store/get/message-filter.js';
import type { SubscriptionRow } from './table-replicas.js';

const TAG = 'TAG';

export function isTagExpression(expressionType: string | null): boolean {
  return expressionType === null || expressionType === '' || expressionType === TAG;
}

/** Java's FilterAPI: `A || B` to the hash codes of the trimmed tags; `*` and blank mean everything. */
export function parseTags(subString: string | null): readonly number[] {
  if (subString === null || subString.trim() === '' || subString.trim() === '*') return [];
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

/** Filters by the row that they were made of: a new heartbeat brings a new row and so a new filter. */
export class SubscriptionFilters {
  readonly #made = new WeakMap<SubscriptionRow, { readonly filter: MessageFilter | null }>();

  of(subscription: SubscriptionRow): MessageFilter | null {
    let made = this.#made.get(subscription);
    if (made === undefined) {
      made = { filter: tagFilter(subscription.codeSet) };
      this.#made.set(subscription, made);
    }
    return made.filter;
  }
}
