// Room: processor; runs in the dispatch worker. Pulls that found nothing and may wait. A pull leaves when a message that its filter
// lets through arrives in its queue, when its time is over, or, in case an arrival was missed, at a sweep every 5 s; it is then asked
// again and answered whatever there is. Follows Java's PullRequestHoldService; unlike it, a pull is not held longer than it asked for.

import { assert } from '../base/assert.js';
import type { MessageFilter } from '../store/get/message-filter.js';

export const HOLD_SWEEP_INTERVAL_MS = 5000;

export interface HeldPull {
  readonly connectionId: number;
  /** The FRAME record as it came from main: origin and frame. */
  readonly record: Buffer;
  readonly topic: string;
  readonly queueId: number;
  readonly queueOffset: number;
  readonly filter: MessageFilter | null;
  readonly deadlineMs: number;
}

/** Where the record that arrived lies in the log. */
export interface ArrivedRecord {
  readonly buffer: Buffer;
  readonly position: number;
  readonly sizeBytes: number;
}

export class PullRequestHoldService {
  readonly #held = new Map<string, Map<number, HeldPull[]>>();
  #count = 0;
  #nextDeadlineMs = Number.POSITIVE_INFINITY;
  #nextSweepMs = 0;

  get count(): number {
    return this.#count;
  }

  hold(pull: HeldPull): void {
    let queues = this.#held.get(pull.topic);
    if (queues === undefined) {
      queues = new Map();
      this.#held.set(pull.topic, queues);
    }
    const list = queues.get(pull.queueId);
    if (list === undefined) queues.set(pull.queueId, [pull]);
    else list.push(pull);
    this.#count++;
    this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, pull.deadlineMs);
  }

  /**
   * A record entered a queue: moves the pulls that it ends to ready.
   * @param maxOffset the queue's end, behind the record.
   * @param record what expressions look into; null where there are only tags.
   */
  arrived(
    topic: string,
    queueId: number,
    maxOffset: number,
    tagsHigh: number,
    tagsLow: number,
    ready: HeldPull[],
    record: ArrivedRecord | null = null,
  ): void {
    if (this.#count === 0) return;
    const list = this.#held.get(topic)?.get(queueId);
    if (list === undefined) return;
    this.#take(topic, queueId, list, ready, (pull) => {
      if (maxOffset <= pull.queueOffset) return false;
      const { filter } = pull;
      if (filter === null) return true;
      if (!filter.matchConsumeQueue(true, tagsHigh, tagsLow, null)) return false;
      return (
        record === null || filter.matchCommitLog(record.buffer, record.position, record.sizeBytes)
      );
    });
  }

  /** Moves the pulls whose time is over, and at each sweep those whose queue has grown, to ready. */
  sweep(
    nowMs: number,
    maxOffset: (topic: string, queueId: number) => number,
    ready: HeldPull[],
  ): void {
    const sweepAll = nowMs >= this.#nextSweepMs;
    if (sweepAll) this.#nextSweepMs = nowMs + HOLD_SWEEP_INTERVAL_MS;
    if (this.#count === 0 || (!sweepAll && nowMs < this.#nextDeadlineMs)) return;
    this.#nextDeadlineMs = Number.POSITIVE_INFINITY;
    for (const [topic, queues] of this.#held) {
      for (const [queueId, list] of queues) {
        const end = sweepAll ? maxOffset(topic, queueId) : 0;
        this.#take(topic, queueId, list, ready, (pull) => {
          if (nowMs >= pull.deadlineMs || end > pull.queueOffset) return true;
          this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, pull.deadlineMs);
          return false;
        });
      }
    }
  }

  /** The client is gone: nobody waits for these answers. */
  connectionClosed(connectionId: number): void {
    if (this.#count === 0) return;
    for (const [topic, queues] of this.#held) {
      for (const [queueId, list] of queues) {
        this.#take(topic, queueId, list, [], (pull) => pull.connectionId === connectionId);
      }
    }
  }

  /** Milliseconds to the next deadline or sweep. */
  maxSleepMs(nowMs: number): number {
    if (this.#count === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(this.#nextDeadlineMs, this.#nextSweepMs) - nowMs);
  }

  #take(
    topic: string,
    queueId: number,
    list: HeldPull[],
    taken: HeldPull[],
    leaves: (pull: HeldPull) => boolean,
  ): void {
    const before = list.length;
    const kept = list.filter((pull) => {
      if (!leaves(pull)) return true;
      taken.push(pull);
      return false;
    });
    if (kept.length === before) return;
    this.#count -= before - kept.length;
    const queues = this.#held.get(topic);
    assert(queues !== undefined, `a list of ${topic} is in the table`);
    if (kept.length > 0) queues.set(queueId, kept);
    else queues.delete(queueId);
    if (queues.size === 0) this.#held.delete(topic);
  }
}
