// Room: store. HA thread. What recurs with every reconnection is said once a minute: a slave that can not be served would fill the log.

import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';

const PERIOD_MS = 60_000;
const MAX_TEXTS = 256;

export class LogOnceAMinute {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #saidAtMs = new Map<string, number>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** @param key what counts as the same; true when it was said. */
  warn(key: string, text: string, details: Record<string, unknown>): boolean {
    const nowMs = this.#clock.monotonicMs();
    const saidAtMs = this.#saidAtMs.get(key);
    if (saidAtMs !== undefined && nowMs - saidAtMs < PERIOD_MS) return false;
    if (this.#saidAtMs.size >= MAX_TEXTS) this.#saidAtMs.clear();
    this.#saidAtMs.set(key, nowMs);
    this.#log.warn(text, details);
    return true;
  }
}
