// The load process: runs the one case that stands in its argument and prints what it measured as a line of JSON. Apart from the broker,
// so that neither's garbage collector or event loop is in the other's figures.

import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadCase } from './load-case.js';
import { Meter } from './meter.js';
import { Producer } from './producer.js';
import { Puller } from './puller.js';

const DRAIN_MS = 300;

const loadCase = JSON.parse(process.argv[2] ?? '') as LoadCase;
const meter = new Meter(loadCase);
const puller = loadCase.kind === 'end-to-end' ? new Puller(loadCase, meter) : null;
await puller?.start();
const producers = Array.from({ length: loadCase.connections }, () => new Producer(loadCase, meter));
await Promise.all(producers.map((producer) => producer.start()));
const turns = setInterval(() => {
  for (const producer of producers) producer.turn();
}, 1);
await sleep(loadCase.warmUpMs);
meter.begin();
const ticks = setInterval(() => meter.tick(), loadCase.intervalMs);
await sleep(loadCase.durationMs);
meter.tick();
meter.end();
clearInterval(ticks);
for (const producer of producers) producer.stop();
puller?.stop();
clearInterval(turns);
await sleep(DRAIN_MS);
for (const producer of producers) producer.close();
puller?.close();
process.stdout.write(`${JSON.stringify(meter.result())}\n`);
