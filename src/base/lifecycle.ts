// Room: base. Main thread. Starts services in the order in which they were added and stops them in the opposite one.
// Always holds: what was not started is never shut down, and a service that fails to stop does not keep the others up.

import { assert } from './assert.js';

export interface Service {
  start(): void | Promise<void>;
  shutdown(): void | Promise<void>;
}

export class Lifecycle {
  readonly #services: { readonly name: string; readonly service: Service }[] = [];
  #startedCount = 0;
  #state: 'new' | 'started' | 'stopped' = 'new';

  /** Adds a service; only before the start. */
  add(name: string, service: Service): void {
    assert(this.#state === 'new', `${name} was added after the start`);
    this.#services.push({ name, service });
  }

  /** Starts all; when one fails, those before it are shut down and its error is thrown. */
  async start(): Promise<void> {
    assert(this.#state === 'new', 'a lifecycle starts once');
    this.#state = 'started';
    for (const { service } of this.#services) {
      try {
        await service.start();
      } catch (error) {
        const stopErrors = await this.#stopStarted();
        this.#state = 'stopped';
        if (stopErrors.length === 0) throw error;
        throw new AggregateError(
          [error, ...stopErrors],
          'the start failed, and so did its undoing',
        );
      }
      this.#startedCount++;
    }
  }

  /** Stops all that run, the last first; throws an AggregateError of what failed when all were asked. Twice is harmless. */
  async shutdown(): Promise<void> {
    if (this.#state !== 'started') return;
    this.#state = 'stopped';
    const errors = await this.#stopStarted();
    if (errors.length > 0) throw new AggregateError(errors, 'some services failed to stop');
  }

  async #stopStarted(): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (; this.#startedCount > 0; this.#startedCount--) {
      const last = this.#services[this.#startedCount - 1];
      assert(last !== undefined, 'started services are on the list');
      try {
        await last.service.shutdown();
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}
