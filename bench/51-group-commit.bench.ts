// Durable appends: a sync for each, one for many, and the flush thread under one or many writers who wait.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { MappedRegion } from '#dist/native/mapped-region.js';
import { WakeWord } from '#dist/ring/wake-word.js';
import { LogFiles } from '#dist/store/mapped/log-files.js';
import { StoreCursor } from '#dist/store/store-cursors.js';
import { type Trial, trial } from './harness.js';
import { appendRequest } from './samples.js';
import { type LogFixture, mustAppend, openLog } from './store-fixture.js';
import type { FlushPeerSettings } from './workers/flush-peer.js';

const BODY_BYTES = 256;
const GROUPS = [1, 16, 64, 256];
const WRITERS = [1, 16, 64, 256];

await trial('one record of 256 bytes, appended and on disk', async (run) => {
  const body = run.bytes(BODY_BYTES);
  await oneThread(run, body);
  await flushThread(run, body);
});

async function oneThread(run: Trial, body: Buffer): Promise<void> {
  const fixture = openLog(run);
  const request = appendRequest(body);
  mustAppend(fixture.log, request);
  const region = MappedRegion.open(
    new LogFiles(fixture.config).pathOf(0),
    fixture.config.mappedFileSizeCommitLog,
  );
  let synced = 0;
  await run.group(
    'one thread, one sync for so many records',
    GROUPS.map((count) => ({
      name: `${count} a sync`,
      ops: count,
      isBaseline: count === 1,
      fn: () => {
        for (let i = 0; i < count; i++) mustAppend(fixture.log, request);
        region.sync(synced, fixture.log.wroteOffset - synced);
        synced = fixture.log.wroteOffset;
      },
    })),
  );
  region.release();
  fixture.close();
}

async function flushThread(run: Trial, body: Buffer): Promise<void> {
  const fixture = openLog(run, { flushDiskType: 'SYNC_FLUSH' });
  const request = appendRequest(body);
  mustAppend(fixture.log, request);
  fixture.log.publishWroteOffset();
  const settings: FlushPeerSettings = {
    config: fixture.config,
    cursors: fixture.cursors.memory,
    wake: WakeWord.create().memory,
    stop: new SharedArrayBuffer(4),
  };
  const worker = new Worker(new URL('./workers/flush-peer.js', import.meta.url), {
    workerData: settings,
  });
  await once(worker, 'message');
  const wake = new WakeWord(settings.wake);
  const rows = WRITERS.map((writers) => ({
    name: `${writers} records wait at a time`,
    isBaseline: writers === 1,
    nanoseconds: closedLoop(fixture, wake, request, writers, run.scale(300, 3) * writers),
  }));
  run.latencies('the flush thread: from append to flushedWhere', rows);
  const exited = once(worker, 'exit');
  Atomics.store(new Int32Array(settings.stop), 0, 1);
  wake.wake();
  await exited;
  fixture.close();
}

/** So many writers, each of which appends its next record when its last is on disk. */
function closedLoop(
  { log, cursors }: LogFixture,
  wake: WakeWord,
  request: ReturnType<typeof appendRequest>,
  writers: number,
  count: number,
): number[] {
  const nanoseconds: number[] = [];
  const waiting: { readonly end: number; readonly since: bigint }[] = [];
  while (nanoseconds.length < count) {
    log.beginBatch(Date.now());
    while (waiting.length < writers) {
      const since = process.hrtime.bigint();
      mustAppend(log, request);
      waiting.push({ end: log.lastWroteEnd, since });
    }
    log.publishWroteOffset();
    cursors.set(StoreCursor.flushWanted, log.lastWroteEnd);
    wake.wake();
    let flushed = cursors.get(StoreCursor.flushedWhere);
    const first = waiting[0]?.end ?? 0;
    while (flushed < first) flushed = cursors.get(StoreCursor.flushedWhere);
    const now = process.hrtime.bigint();
    while (waiting.length > 0 && (waiting[0]?.end ?? 0) <= flushed) {
      nanoseconds.push(Number(now - (waiting.shift()?.since ?? now)));
    }
  }
  return nanoseconds;
}
