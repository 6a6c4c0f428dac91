// Room: base. Any thread. The only door to time: simulation and tests put a ManualClock in its place.
// Wall-clock time goes into records; every deadline and expiry is measured on the monotonic clock.

export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  nowMs(): number;
  /** Milliseconds that never jump, from an arbitrary origin. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A clock that moves only when it is told to. */
export class ManualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** Steps the wall clock alone, as an administrator or NTP does. */
  stepWallClock(ms: number): void {
    this.#nowMs += ms;
  }
}
