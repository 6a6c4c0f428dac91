// Room: broker, main thread. Which member of a group may consume a queue in order (codes 41 and 42). A lock is a lease:
// 60 s from its last renewal, on the monotonic clock, in memory only, as Java's RebalanceLockManager.
// Always holds: at most one live owner per group and queue.

import type { Clock } from '../../base/clock.js';
import { type MessageQueue, messageQueueKey } from '../../protocol/bodies/message-queue.js';

export const REBALANCE_LOCK_MAX_LIVE_MS = 60_000;

interface LockEntry {
  readonly clientId: string;
  readonly renewedMs: number;
}

export class RebalanceLockManager {
  readonly #clock: Clock;
  readonly #groups = new Map<string, Map<string, LockEntry>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The queues that the client owns now: its own are renewed, free and expired ones are taken, others are left out. */
  tryLockBatch(group: string, queues: readonly MessageQueue[], clientId: string): MessageQueue[] {
    const nowMs = this.#clock.monotonicMs();
    let locks = this.#groups.get(group);
    if (locks === undefined) {
      locks = new Map();
      this.#groups.set(group, locks);
    }
    const owned: MessageQueue[] = [];
    for (const queue of queues) {
      const key = messageQueueKey(queue);
      const entry = locks.get(key);
      if (entry !== undefined && entry.clientId !== clientId && isLive(entry, nowMs)) continue;
      locks.set(key, { clientId, renewedMs: nowMs });
      owned.push(queue);
    }
    if (locks.size === 0) this.#groups.delete(group);
    return owned;
  }

  /** Gives up the client's own locks; those of others stay. */
  unlockBatch(group: string, queues: readonly MessageQueue[], clientId: string): void {
    const locks = this.#groups.get(group);
    if (locks === undefined) return;
    for (const queue of queues) {
      const key = messageQueueKey(queue);
      if (locks.get(key)?.clientId === clientId) locks.delete(key);
    }
    if (locks.size === 0) this.#groups.delete(group);
  }

  isLocked(group: string, queue: MessageQueue, clientId: string): boolean {
    const entry = this.#groups.get(group)?.get(messageQueueKey(queue));
    return entry?.clientId === clientId && isLive(entry, this.#clock.monotonicMs());
  }

  /** Forgets expired locks, so that groups that are gone take no memory. */
  scanExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [group, locks] of this.#groups) {
      for (const [key, entry] of locks) if (!isLive(entry, nowMs)) locks.delete(key);
      if (locks.size === 0) this.#groups.delete(group);
    }
  }

  get groupCount(): number {
    return this.#groups.size;
  }
}

function isLive(entry: LockEntry, nowMs: number): boolean {
  return nowMs - entry.renewedMs <= REBALANCE_LOCK_MAX_LIVE_MS;
}
