// A producer thread for test/ring/spsc-ring.test.ts: numbered records of varying size, offered until there is room.
import { workerData } from 'node:worker_threads';
import { SpscRing } from '../../dist/ring/spsc-ring.js';

const ring = new SpscRing(workerData.memory);
for (let i = 0; i < workerData.records; i++) {
  const size = 4 + (i % 97);
  let at = ring.claim(size);
  while (at < 0) at = ring.claim(size);
  ring.bytes.writeInt32LE(i, at);
  ring.bytes.fill(i & 0xff, at + 4, at + size);
  ring.commit(1, size);
  ring.publish();
}
