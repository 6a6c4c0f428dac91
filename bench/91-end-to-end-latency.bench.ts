// From sending to having it, by a pull that is held: at fixed rates, ASYNC_FLUSH beside SYNC_FLUSH; draws a picture.
// Options as of 90-broker-throughput.

import { type CaseShape, runCases } from './broker/run-cases.js';

function endToEnd(rate: number, bodyBytes: number): CaseShape {
  const name = `${rate}/s-${bodyBytes}B`;
  return { name, kind: 'end-to-end', connections: 1, window: 1024, bodyBytes, batch: 1, rate };
}

await runCases(
  {
    bench: '91-end-to-end-latency',
    title: 'CometMQ end to end: from send to a held pull',
    about:
      'One producer at a fixed rate (open loop), one consumer that holds a pull on each of 4 queues, both in one process apart from the broker. Under SYNC_FLUSH nothing is delivered before it is on disk.',
    series: [
      { name: 'ASYNC_FLUSH', properties: { flushDiskType: 'ASYNC_FLUSH' } },
      { name: 'SYNC_FLUSH', properties: { flushDiskType: 'SYNC_FLUSH' } },
    ],
    cases: [endToEnd(100, 256), endToEnd(500, 256), endToEnd(5000, 256), endToEnd(500, 4096)],
    smokeCases: ['500/s-256B'],
    smokeSeries: 'SYNC_FLUSH',
    byLatency: true,
  },
  process.argv.slice(2),
);
