// Room: workers; runs in the dispatch worker. Syncs that the pool does for it: queues are synced every second, and a sync takes
// milliseconds that no pull should wait for. A sync is asked for by an event to main and ends with a SYNCED record.

import { isNativeError } from '../native/binding.js';
import type { SyncRange } from '../store/consumequeue/flush-consume-queue-service.js';
import { runTask, type SyncTask } from './pool-tasks.js';

export class PoolSyncs {
  readonly #ask: (task: SyncTask) => void;
  readonly #pending = new Map<number, (isDone: boolean) => void>();
  #nextId = 1;
  #stopped = false;

  constructor(ask: (task: SyncTask) => void) {
    this.#ask = ask;
  }

  readonly syncRange: SyncRange = (path, sizeBytes, position, lengthBytes, onDone) => {
    const task: SyncTask = {
      kind: 'sync',
      id: this.#nextId,
      path,
      sizeBytes,
      position,
      lengthBytes,
    };
    if (this.#stopped) {
      onDone(syncHere(task));
      return;
    }
    this.#nextId = this.#nextId === 0x7fff_ffff ? 1 : this.#nextId + 1;
    this.#pending.set(task.id, onDone);
    this.#ask(task);
  };

  done(syncId: number, isDone: boolean): void {
    const onDone = this.#pending.get(syncId);
    this.#pending.delete(syncId);
    onDone?.(isDone);
  }

  /** The thread stops: what is asked from now on is done here, and nobody waits for the pool any more. */
  stop(): void {
    this.#stopped = true;
    this.#pending.clear();
  }
}

function syncHere(task: SyncTask): boolean {
  try {
    runTask(task);
    return true;
  } catch (error) {
    if (!isNativeError(error)) throw error;
    return false;
  }
}
