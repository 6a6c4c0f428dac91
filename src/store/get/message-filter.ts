// Room: store. Dispatch worker. What a subscription wants of a queue, asked in two steps: of the entry, which costs nothing,
// and of the record. Java's MessageFilter.

import type { CqExtUnit } from '../consumequeue/consume-queue-ext.js';

export interface MessageFilter {
  /**
   * @param tagsKnown false when the entry's ext unit can't be read: the entry then counts as matched by tag.
   * @param tagsHigh, tagsLow the tags code's halves; a tag's hash is all in tagsLow.
   * @param unit the ext unit of the entry, null without one. Valid during the call.
   */
  matchConsumeQueue(
    tagsKnown: boolean,
    tagsHigh: number,
    tagsLow: number,
    unit: CqExtUnit | null,
  ): boolean;
  matchCommitLog(buffer: Buffer, position: number, sizeBytes: number): boolean;
}
