// Room: workers; runs on main. The pool of threads for work that takes milliseconds and owns nothing: making the log's next file
// ahead of need, deleting expired ones, and syncs of derived files. Its threads are started on demand and end when they are idle.

import { Piscina } from 'piscina';
import type { PoolTask } from './pool-tasks.js';

const IDLE_TIMEOUT_MS = 10_000;

export class Pool {
  readonly #piscina: Piscina;

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
    return this.#piscina.run(task) as Promise<void>;
  }

  async close(): Promise<void> {
    await this.#piscina.close();
  }
}
