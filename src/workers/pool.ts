// Room: workers; runs on main. The pool of threads for work that takes milliseconds and owns nothing: making the log's next file
// ahead of need, deleting expired ones, and syncs of derived files. Its threads are started on demand and end when they are idle.

import { Piscina } from 'piscina';
import type { PoolTask } from './pool-tasks.js';

const IDLE_TIMEOUT_MS = 10_000;

export class Pool {
  readonly #piscina: Piscina;
  readonly #running = new Set<Promise<void>>();

  constructor() {
    const entry = new URL('./pool-tasks.js', import.meta.url);
    this.#piscina = new Piscina({
      name: 'runTask',
      filename: entry.href.replace(/\/src\/workers\//, '/dist/workers/'),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: IDLE_TIMEOUT_MS,
    });
  }

  /** Rejects with the task's error. */
  run(task: PoolTask): Promise<void> {
    const running = this.#piscina.run(task) as Promise<void>;
    const forget = (): void => {
      this.#running.delete(running);
    };
    this.#running.add(running);
    running.then(forget, forget);
    return running;
  }

  /** Waits for what runs: a thread that is ended while its native call fails would take the process with it. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#piscina.close();
  }
}
