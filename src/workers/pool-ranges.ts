// Room: workers; runs in the dispatch worker. What the pool does for it, since it takes milliseconds that no pull at the log's end
// should wait for: queues are synced every second, and records of hours ago are brought into memory before they are read. A range is
// asked for by an event to main and ends with a RANGE_DONE record.

import { isNativeError } from '../native/binding.js';
import type { SyncRange } from '../store/consumequeue/flush-consume-queue-service.js';
import { type RangeTask, runTask } from './pool-tasks.js';

export class PoolRanges {
  readonly #ask: (task: RangeTask) => void;
  readonly #pending = new Map<number, (isDone: boolean) => void>();
  #nextId = 1;
  #stopped = false;

  constructor(ask: (task: RangeTask) => void) {
    this.#ask = ask;
  }

  readonly syncRange: SyncRange = (path, sizeBytes, position, lengthBytes, onDone) => {
    this.#request(
      { kind: 'sync', id: this.#takeId(), path, sizeBytes, position, lengthBytes },
      onDone,
    );
  };

  /** Brings a range into memory; onDone comes however that ends. */
  readRange(
    path: string,
    sizeBytes: number,
    position: number,
    lengthBytes: number,
    onDone: () => void,
  ): void {
    this.#request(
      { kind: 'read', id: this.#takeId(), path, sizeBytes, position, lengthBytes },
      onDone,
    );
  }

  done(id: number, isDone: boolean): void {
    const onDone = this.#pending.get(id);
    this.#pending.delete(id);
    onDone?.(isDone);
  }

  #takeId(): number {
    this.#nextId = this.#nextId === 0x7fff_ffff ? 1 : this.#nextId + 1;
    return this.#nextId;
  }

  #request(task: RangeTask, onDone: (isDone: boolean) => void): void {
    if (this.#stopped) {
      onDone(runHere(task));
      return;
    }
    this.#pending.set(task.id, onDone);
    this.#ask(task);
  }

  /** The thread stops: what is asked from now on is done here, and nobody waits for the pool any more. */
  stop(): void {
    this.#stopped = true;
    this.#pending.clear();
  }
}

function runHere(task: RangeTask): boolean {
  try {
    runTask(task);
    return true;
  } catch (error) {
    if (!isNativeError(error)) throw error;
    return false;
  }
}
