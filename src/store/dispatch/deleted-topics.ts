// Room: store. Dispatch worker, and recovery. Topics that were deleted, each with the log's end at that time: their records from
// before are still in the log, and must not bring the queues back when they are dispatched again after a restart (#1852).
// Always holds: the summary on disk knows a topic before its queues are destroyed; a topic is forgotten once the log begins
// behind its deletion.

import type { DispatchRequest } from './dispatch-request.js';

export class DeletedTopics {
  readonly #offsets: Map<string, number>;
  /** No deletion is behind this offset, so newer records need no look-up. */
  #below = 0;

  constructor(offsets: ReadonlyMap<string, number> = new Map()) {
    this.#offsets = new Map(offsets);
    for (const offset of this.#offsets.values()) this.#below = Math.max(this.#below, offset);
  }

  get offsets(): ReadonlyMap<string, number> {
    return this.#offsets;
  }

  add(topic: string, logEnd: number): void {
    this.#offsets.set(topic, logEnd);
    this.#below = Math.max(this.#below, logEnd);
  }

  /** Does the record belong to a topic that was deleted after it? */
  covers(request: DispatchRequest): boolean {
    if (request.physicalOffset >= this.#below) return false;
    const offset = this.#offsets.get(request.topicName.text);
    return offset !== undefined && request.physicalOffset < offset;
  }

  forgetBelow(logMinOffset: number): void {
    for (const [topic, offset] of this.#offsets) {
      if (offset <= logMinOffset) this.#offsets.delete(topic);
    }
    this.#below = Math.max(0, ...this.#offsets.values());
  }
}
