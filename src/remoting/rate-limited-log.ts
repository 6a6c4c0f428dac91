// Room: remoting. Main thread. Lines about strangers: at most so many in a second, then one that counts what was left out.
// Always holds: peers can not fill the log, whatever they send.

import type { Clock } from '../base/clock.js';
import { MAX_PROTOCOL_LOG_LINES_PER_SECOND } from '../base/limits.js';
import type { Logger } from '../base/logger.js';

export class RateLimitedLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #secondStartedMs = Number.NEGATIVE_INFINITY;
  #linesInSecond = 0;
  #leftOut = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  warn(message: string, fields?: object): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#secondStartedMs >= 1000) {
      const leftOut = this.#leftOut;
      this.#secondStartedMs = nowMs;
      this.#linesInSecond = 0;
      this.#leftOut = 0;
      if (leftOut > 0) {
        this.#linesInSecond = 1;
        this.#logger.warn(`${leftOut} lines like these were left out`);
      }
    }
    if (this.#linesInSecond >= MAX_PROTOCOL_LOG_LINES_PER_SECOND) {
      this.#leftOut++;
      return;
    }
    this.#linesInSecond++;
    this.#logger.warn(message, fields);
  }
}
