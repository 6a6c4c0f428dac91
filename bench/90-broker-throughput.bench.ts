// A whole broker under load, ASYNC_FLUSH beside SYNC_FLUSH: rate, latency, CPU, memory, syncs; draws a picture.
// Options: --secs 5 --rounds 3 --case NAME,NAME --peer NAME=PORT[:PID] --html FILE --json FILE --smoke. BENCH_DIR is the disk to measure.

import { type CaseShape, runCases } from './broker/run-cases.js';

function produce(
  name: string,
  connections: number,
  window: number,
  bodyBytes: number,
  changes: Partial<CaseShape> = {},
): CaseShape {
  return { name, kind: 'produce', connections, window, bodyBytes, batch: 1, rate: 0, ...changes };
}

await runCases(
  {
    bench: '90-broker-throughput',
    title: 'CometMQ under load: ASYNC_FLUSH and SYNC_FLUSH',
    about:
      'Producers in a process of their own, closed loop: 4x64 is 4 connections with 64 requests under way on each; 256 bytes of body unless the name says otherwise, 32 messages in a request of batch32. Each case runs on both brokers in turn; the round with the median rate is shown.',
    series: [
      { name: 'ASYNC_FLUSH', properties: { flushDiskType: 'ASYNC_FLUSH' } },
      { name: 'SYNC_FLUSH', properties: { flushDiskType: 'SYNC_FLUSH' } },
    ],
    cases: [
      produce('1x1', 1, 1, 256),
      produce('4x64', 4, 64, 256),
      produce('4x256', 4, 256, 256),
      produce('64x1', 64, 1, 256),
      produce('4x64-128B', 4, 64, 128),
      produce('4x64-4KiB', 4, 64, 4096),
      produce('4x64-rocketmq', 4, 64, 256, { serialize: 'rocketmq' }),
      produce('4x4-batch32', 4, 4, 256, { batch: 32 }),
    ],
    smokeCases: ['4x64'],
    smokeSeries: 'ASYNC_FLUSH',
    byLatency: false,
  },
  process.argv.slice(2),
);
