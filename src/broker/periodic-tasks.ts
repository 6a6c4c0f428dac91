// Room: broker, main thread. What the control plane does by the clock: scans, saves, registration. One tick asks every task
// whether it is due, on the monotonic clock, so that tests move time themselves and a stepped wall clock moves nothing.
// Always holds: a task never runs twice at once, and one that fails is logged and runs again at its next turn.

import type { Clock } from '../base/clock.js';
import { getLogger } from '../base/logger.js';

const log = getLogger('broker.tasks');

interface Task {
  readonly name: string;
  readonly periodMs: () => number;
  readonly run: () => void | Promise<void>;
  dueMs: number;
  running: boolean;
}

export class PeriodicTasks {
  readonly #clock: Clock;
  readonly #tasks: Task[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The period is asked for anew each time, since some can be set at run time. */
  add(
    name: string,
    initialDelayMs: number,
    periodMs: number | (() => number),
    run: () => void | Promise<void>,
  ): void {
    const period = typeof periodMs === 'number' ? () => periodMs : periodMs;
    const dueMs = this.#clock.monotonicMs() + initialDelayMs;
    this.#tasks.push({ name, periodMs: period, run, dueMs, running: false });
  }

  start(tickMs = 100): void {
    this.#timer ??= setInterval(() => this.tick(), tickMs);
    this.#timer.unref();
  }

  shutdown(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Starts what is due. The promise is there for tests: it ends when what was started has ended. */
  tick(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const started: Promise<void>[] = [];
    for (const task of this.#tasks) {
      if (task.running || task.dueMs > nowMs) continue;
      task.dueMs = nowMs + task.periodMs();
      started.push(this.#run(task));
    }
    return Promise.all(started).then(() => undefined);
  }

  async #run(task: Task): Promise<void> {
    task.running = true;
    try {
      await task.run();
    } catch (error) {
      log.error(`${task.name} failed`, { err: error });
    } finally {
      task.running = false;
    }
  }
}
