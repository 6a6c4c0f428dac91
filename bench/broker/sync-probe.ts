// Preloaded into the broker under test, in each of its threads: counts and times the addon's syncs of the commit log and writes the sums
// to a file of the thread in COMETMQ_BENCH_SYNC. Nothing in the broker knows of it; one sync costs a small write more.

import { openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

interface Addon {
  sync(id: number, position: number, lengthBytes: number): void;
  openMapping(path: string, sizeBytes: number): number;
  createMapping(path: string, sizeBytes: number, writeZeros: boolean): number;
}

const folder = process.env['COMETMQ_BENCH_SYNC'];
if (folder !== undefined && folder !== '') probe(folder);

function probe(into: string): void {
  const addon = createRequire(import.meta.url)('../../../../build/Release/cometmq.node') as Addon;
  const { sync, openMapping, createMapping } = addon;
  const logIds = new Set<number>();
  const noted = (path: string, id: number): number => {
    if (path.includes('/commitlog/')) logIds.add(id);
    return id;
  };
  const sums = Buffer.alloc(16);
  let file = -1;
  addon.openMapping = (path, size) => noted(path, openMapping(path, size));
  addon.createMapping = (path, size, zeros) => noted(path, createMapping(path, size, zeros));
  addon.sync = (id, position, length) => {
    if (!logIds.has(id)) return sync(id, position, length);
    const from = performance.now();
    sync(id, position, length);
    sums.writeDoubleLE(sums.readDoubleLE(0) + 1, 0);
    sums.writeDoubleLE(sums.readDoubleLE(8) + performance.now() - from, 8);
    if (file < 0) file = openSync(join(into, `thread-${threadId}`), 'w');
    writeSync(file, sums, 0, sums.length, 0);
  };
}
