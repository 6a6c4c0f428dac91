// Room: workers; runs in the pool's threads. What the pool does: one function that takes a task. It owns nothing and answers nothing.

import { rmSync } from 'node:fs';
import { Advice, isNativeError } from '../native/binding.js';
import { MappedRegion } from '../native/mapped-region.js';

export type PoolTask =
  /** Makes the log's next file ahead of need. The log may make it itself meanwhile. */
  | { readonly kind: 'allocate'; readonly path: string; readonly sizeBytes: number }
  /** Deletes a file that nobody looks for any more. Whoever still has it mapped reads on. */
  | { readonly kind: 'delete'; readonly path: string }
  | RangeTask;

/** Brings a range of a file to disk (sync) or into memory (read), for a thread that must not wait for that. */
export interface RangeTask {
  readonly kind: 'sync' | 'read';
  readonly id: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly position: number;
  readonly lengthBytes: number;
}

export function runTask(task: PoolTask): void {
  if (task.kind === 'delete') {
    rmSync(task.path, { force: true });
    return;
  }
  if (task.kind === 'sync' || task.kind === 'read') {
    runRangeTask(task);
    return;
  }
  try {
    MappedRegion.create(task.path, task.sizeBytes).release();
  } catch (error) {
    if (!isNativeError(error) || error.code !== 'EEXIST') throw error;
  }
}

function runRangeTask(task: RangeTask): void {
  let region: MappedRegion;
  try {
    region = MappedRegion.open(task.path, task.sizeBytes);
  } catch (error) {
    // The file was deleted meanwhile: there is nothing to keep, and nothing to read.
    if (isNativeError(error) && error.code === 'ENOENT') return;
    throw error;
  }
  try {
    const { position, lengthBytes } = task;
    if (task.kind === 'sync') region.sync(position, lengthBytes);
    else region.advise(position, lengthBytes, Advice.POPULATE_READ);
  } finally {
    region.release();
  }
}
