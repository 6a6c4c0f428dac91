// The ring: in one thread, between two threads, and the round trip main to worker and back, busy or asleep.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SpscRing } from '#dist/ring/spsc-ring.js';
import { type Trial, trial } from './harness.js';
import { RingPair } from './ring-pair.js';

const RECORD_BYTES = 512;
/** Records before a publish, as a socket read of 64 KiB brings them. */
const BATCH = 64;

await trial(`one record of ${RECORD_BYTES} bytes`, async (run) => {
  const payload = run.bytes(RECORD_BYTES);
  await oneThread(run, payload);
  await twoThreads(run, payload);
  await roundTrips(run, payload);
});

async function oneThread(run: Trial, payload: Buffer): Promise<void> {
  const ring = SpscRing.create(1024 * 1024);
  const batches = run.scale(20, 1);
  const array: Buffer[] = [];
  const turn = (batch: number): void => {
    for (let i = 0; i < batch; i++) {
      const at = ring.claim(RECORD_BYTES);
      payload.copy(ring.bytes, at);
      ring.commit(1, RECORD_BYTES);
    }
    ring.publish();
    for (let size = ring.peek(); size >= 0; size = ring.peek()) ring.next(size);
    ring.release();
  };
  const ops = batches * BATCH;
  await run.group('in one thread', [
    {
      name: 'an array of copies',
      ops,
      bytes: RECORD_BYTES,
      isBaseline: true,
      fn: () => {
        for (let b = 0; b < batches; b++) {
          for (let i = 0; i < BATCH; i++) array.push(Buffer.from(payload));
          array.length = 0;
        }
      },
    },
    {
      name: `ring, published every ${BATCH}`,
      ops,
      bytes: RECORD_BYTES,
      fn: () => {
        for (let b = 0; b < batches; b++) turn(BATCH);
      },
    },
    {
      name: 'ring, published one by one',
      ops,
      bytes: RECORD_BYTES,
      fn: () => {
        for (let i = 0; i < ops; i++) turn(1);
      },
    },
  ]);
}

async function twoThreads(run: Trial, payload: Buffer): Promise<void> {
  const port = new Worker(new URL('./workers/port-peer.js', import.meta.url));
  await once(port, 'message');
  const pair = await RingPair.start(60, false);
  const count = run.scale(20_000, 200);
  const flood = (batch: number): void => {
    for (let sent = 0; sent < count; ) {
      for (let i = 0; i < batch && sent < count; i++) {
        if (!pair.offer(payload)) break;
        sent++;
      }
      pair.publish();
    }
    while (!pair.isDrained());
  };
  await run.group('from one thread to another, as fast as it goes', [
    {
      name: 'postMessage of a copy',
      ops: count,
      bytes: RECORD_BYTES,
      isBaseline: true,
      fn: async () => {
        port.postMessage({ expect: count });
        for (let i = 0; i < count; i++) port.postMessage(payload);
        await once(port, 'message');
      },
    },
    {
      name: `ring, published every ${BATCH}`,
      ops: count,
      bytes: RECORD_BYTES,
      fn: () => flood(BATCH),
    },
    { name: 'ring, published one by one', ops: count, bytes: RECORD_BYTES, fn: () => flood(1) },
  ]);
  await pair.stop();
  await port.terminate();
}

async function roundTrips(run: Trial, payload: Buffer): Promise<void> {
  const count = run.scale(5000, 20);
  const port = new Worker(new URL('./workers/port-peer.js', import.meta.url));
  await once(port, 'message');
  const busy = await RingPair.start(Number.POSITIVE_INFINITY, true);
  const ours = await RingPair.start(60, true);
  const sleeper = await RingPair.start(1, true);
  const spin = (pair: RingPair) => () => pair.spinRoundTrip(payload);
  const sleep = (pair: RingPair) => () => pair.sleepRoundTrip(payload);
  const byPort = async () => {
    port.postMessage(payload);
    await once(port, 'message');
  };
  const byPortNs = await timed(count, byPort);
  const bothAwake = await timed(count, spin(busy));
  await busy.stop();
  run.latencies('there and back', [
    { name: 'postMessage both ways', isBaseline: true, nanoseconds: byPortNs },
    { name: 'ring, both look all the time', nanoseconds: bothAwake },
    {
      name: 'ring, worker naps after 60 rounds, main looks',
      nanoseconds: await timed(count, spin(ours)),
    },
    {
      name: 'ring, worker sleeps at once, main looks',
      nanoseconds: await timed(count, spin(sleeper)),
    },
    {
      name: 'ring, worker naps after 60, main asleep',
      nanoseconds: await timed(count, sleep(ours)),
    },
    { name: 'ring, both sleep at once', nanoseconds: await timed(count, sleep(sleeper)) },
  ]);
  await ours.stop();
  await sleeper.stop();
  await port.terminate();
}

async function timed(count: number, work: () => unknown): Promise<number[]> {
  const nanoseconds: number[] = [];
  for (let i = -Math.ceil(count / 10); i < count; i++) {
    const from = process.hrtime.bigint();
    const result = work();
    if (result instanceof Promise) await result;
    if (i >= 0) nanoseconds.push(Number(process.hrtime.bigint() - from));
  }
  return nanoseconds;
}
