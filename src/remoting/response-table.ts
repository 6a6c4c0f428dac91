// Room: remoting. Main thread. Who waits for which answer on one connection: opaque to waiter, each with a deadline.
// Always holds: every waiter is settled once: by its answer, its deadline, its signal, or the end of the connection; one timer
// stands for all of them, set to the earliest deadline.

import { type Clock, systemClock } from '../base/clock.js';
import { cometError } from '../base/errors.js';
import { MAX_OUTSTANDING_REQUESTS } from '../base/limits.js';
import type { RemotingCommand } from '../protocol/remoting-command.js';

interface Waiter {
  readonly resolve: (response: RemotingCommand) => void;
  readonly reject: (error: unknown) => void;
  readonly deadlineMs: number;
  readonly timeoutMs: number;
  readonly code: number;
}

export class ResponseTable {
  readonly #waiters = new Map<number, Waiter>();
  readonly #peer: string;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | null = null;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(peer: string, clock: Clock = systemClock) {
    this.#peer = peer;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Rejects with REQUEST_TIMEOUT, CONNECTION_CLOSED or TOO_MANY_REQUESTS. */
  wait(request: RemotingCommand, timeoutMs: number): Promise<RemotingCommand> {
    const { opaque, code } = request;
    if (this.#waiters.size >= MAX_OUTSTANDING_REQUESTS) {
      return Promise.reject(cometError('TOO_MANY_REQUESTS', this.#peer));
    }
    if (this.#waiters.has(opaque)) {
      const detail = `opaque ${opaque} is in use towards ${this.#peer}`;
      return Promise.reject(cometError('SEND_FAILED', detail));
    }
    return new Promise((resolve, reject) => {
      const deadlineMs = this.#clock.monotonicMs() + timeoutMs;
      this.#waiters.set(opaque, { resolve, reject, deadlineMs, timeoutMs, code });
      if (deadlineMs < this.#timerMs) this.#setTimer(deadlineMs);
    });
  }

  /** False when nobody waits for it (any more). */
  complete(response: RemotingCommand): boolean {
    const waiter = this.#take(response.opaque);
    waiter?.resolve(response);
    return waiter !== undefined;
  }

  fail(opaque: number, error: unknown): void {
    this.#take(opaque)?.reject(error);
  }

  failAll(reason: string): void {
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    this.#stopTimer();
    for (const { reject, code } of waiters) {
      reject(cometError('CONNECTION_CLOSED', `${this.#peer}, request code ${code} (${reason})`));
    }
  }

  #take(opaque: number): Waiter | undefined {
    const waiter = this.#waiters.get(opaque);
    if (waiter === undefined) return undefined;
    this.#waiters.delete(opaque);
    if (this.#waiters.size === 0) this.#stopTimer();
    return waiter;
  }

  #setTimer(deadlineMs: number): void {
    this.#stopTimer();
    this.#timerMs = deadlineMs;
    const delayMs = Math.min(
      Math.max(1, Math.ceil(deadlineMs - this.#clock.monotonicMs())),
      0x7fff_ffff,
    );
    this.#timer = setTimeout(() => this.#expire(), delayMs);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerMs = Number.POSITIVE_INFINITY;
  }

  #expire(): void {
    this.#stopTimer();
    const nowMs = this.#clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [opaque, waiter] of this.#waiters) {
      if (waiter.deadlineMs > nowMs) {
        nextMs = Math.min(nextMs, waiter.deadlineMs);
        continue;
      }
      this.#waiters.delete(opaque);
      const { code, timeoutMs } = waiter;
      const detail = `${this.#peer}, request code ${code}, ${timeoutMs} ms`;
      waiter.reject(cometError('REQUEST_TIMEOUT', detail));
    }
    if (nextMs !== Number.POSITIVE_INFINITY) this.#setTimer(nextMs);
  }
}
