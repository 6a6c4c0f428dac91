// Room: store. Dispatch worker, as periodic work of the ReputAgent. Writes the queues' dirty pages to disk: those of full or busy
// files every second, all of them every minute, and then the checkpoint and the summary too. Java's FlushConsumeQueueService.
// Always holds: the checkpoint's logicsMsgTimestamp on disk is never later than what the queues on disk hold (#678).

import { getLogger } from '../../base/logger.js';
import { isNativeError } from '../../native/binding.js';
import type { ConsumeQueue } from './consume-queue.js';
import type { ConsumeQueueTable } from './consume-queue-table.js';
import type { QueueFile } from './queue-file.js';
import type { QueueFiles } from './queue-files.js';

const logger = getLogger('consumequeue');

export interface FlushConsumeQueueConfig {
  readonly flushIntervalConsumeQueue: number;
  readonly flushConsumeQueueLeastPages: number;
  readonly flushConsumeQueueThoroughInterval: number;
}

export interface LogicsCheckpoint {
  logicsMsgTimestamp: number;
  flush(): void;
}

/** Syncs a range of a file off this thread and calls back with success; in its place the file is synced here. */
export type SyncRange = (
  path: string,
  sizeBytes: number,
  position: number,
  lengthBytes: number,
  onDone: (isDone: boolean) => void,
) => void;

export interface FlushConsumeQueueOptions {
  readonly table: ConsumeQueueTable;
  readonly config: FlushConsumeQueueConfig;
  readonly checkpoint: LogicsCheckpoint | null;
  readonly syncRange?: SyncRange;
  /** After all queues have been written. */
  readonly onThorough?: () => void;
  /** A queue whose file can't be written is derived data: it is built anew at the next start. */
  readonly onQueueFailed?: (queue: ConsumeQueue) => void;
}

export class FlushConsumeQueueService {
  readonly #options: FlushConsumeQueueOptions;
  readonly #inFlight = new Set<QueueFile>();
  readonly #failed = new Set<ConsumeQueue>();
  #thoroughAtMs = -1;

  constructor(options: FlushConsumeQueueOptions) {
    this.#options = options;
  }

  run(nowMs: number): number {
    const { config } = this.#options;
    if (this.#thoroughAtMs < 0) {
      this.#thoroughAtMs = nowMs + config.flushConsumeQueueThoroughInterval;
    }
    if (nowMs >= this.#thoroughAtMs) {
      this.#thoroughAtMs = nowMs + config.flushConsumeQueueThoroughInterval;
      this.flushAll();
    } else {
      this.#flushBusy(config.flushConsumeQueueLeastPages);
    }
    return config.flushIntervalConsumeQueue;
  }

  /** Everything, and the checkpoint behind it. */
  flushAll(): void {
    const { table, checkpoint, onThorough } = this.#options;
    const timestamp = checkpoint?.logicsMsgTimestamp ?? 0;
    let pending = 1;
    const onDone = () => {
      pending--;
      if (pending > 0) return;
      if (checkpoint !== null && this.#failed.size === 0) {
        const current = checkpoint.logicsMsgTimestamp;
        checkpoint.logicsMsgTimestamp = timestamp;
        checkpoint.flush();
        checkpoint.logicsMsgTimestamp = current;
      }
      onThorough?.();
    };
    for (const queue of table.queues()) {
      for (const files of streamsOf(queue)) {
        for (const file of files.dirtyFiles()) {
          pending++;
          this.#sync(queue, file, onDone);
        }
      }
    }
    onDone();
  }

  close(): void {
    this.flushAll();
  }

  #flushBusy(leastPages: number): void {
    for (const queue of this.#options.table.queues()) {
      for (const files of streamsOf(queue)) {
        const file = files.dirtyFile(leastPages);
        if (file !== null && !this.#inFlight.has(file)) this.#sync(queue, file, noop);
      }
    }
  }

  #sync(queue: ConsumeQueue, file: QueueFile, onDone: () => void): void {
    const { syncRange } = this.#options;
    if (syncRange === undefined) {
      this.#syncHere(queue, file);
      onDone();
      return;
    }
    const from = file.flushedPosition;
    const to = file.wrotePosition;
    this.#inFlight.add(file);
    syncRange(file.path, file.sizeBytes, from, to - from, (isDone) => {
      this.#inFlight.delete(file);
      if (isDone) file.flushedPosition = Math.max(file.flushedPosition, to);
      else this.#onFailed(queue, null);
      onDone();
    });
  }

  #syncHere(queue: ConsumeQueue, file: QueueFile): void {
    try {
      file.flush();
    } catch (error) {
      if (!isNativeError(error)) throw error;
      this.#onFailed(queue, error);
    }
  }

  /** Told once; the pages must not be synced again as if that could mend it. */
  #onFailed(queue: ConsumeQueue, error: Error | null): void {
    if (this.#failed.has(queue)) return;
    this.#failed.add(queue);
    const { topic, queueId } = queue;
    logger.error('a queue could not be written to disk', { topic, queueId, err: error });
    this.#options.onQueueFailed?.(queue);
  }
}

function streamsOf(queue: ConsumeQueue): readonly QueueFiles[] {
  return queue.ext === null ? [queue.files] : [queue.files, queue.ext.files];
}

function noop(): void {}
