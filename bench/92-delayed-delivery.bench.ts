// Delayed messages that are due all at once: how fast they are delivered, and what ordinary sends notice of it. A broker's process is
// stopped (SIGSTOP) once they are stored and goes on when the last is due, so that sending does not spread them.
// Options: --messages N --delay-secs N (all must be stored sooner) --rounds N --peer NAME=[HOST:]PORT:PID --json FILE --smoke.
// A peer needs messageDelayLevel with the same first level. COMETMQ_PEER names the kit to start a Java broker by.

import { setTimeout as sleep } from 'node:timers/promises';
import { runFeature, type Session, type Size } from './broker/feature-run.js';
import type { LoadCase } from './broker/load-case.js';
import { Meter } from './broker/meter.js';
import { optionOf, type Target } from './broker/peers.js';
import { cpuSecondsOf } from './broker/process-facts.js';
import { Producer } from './broker/producer.js';
import { fill } from './broker/slots.js';
import { WireClient } from './broker/wire-client.js';
import { PROPERTIES } from './samples.js';

const QUEUES = 4;
const CONNECTIONS = 4;
const BODY_BYTES = 256;
const POLL_MS = 10;
/** So much longer than the delay a stopped broker is left. */
const MARGIN_MS = 300;
const DELIVER_MS = 120_000;
const ORDINARY_RATE = 1000;
const args = process.argv.slice(2);
const isSmoke = args.includes('--smoke');
const delayMs = 1000 * Number(optionOf(args, 'delay-secs') ?? (isSmoke ? 1 : 8));
const messages = Number(optionOf(args, 'messages') ?? (isSmoke ? 1024 : 100_000));

await runFeature(
  {
    bench: '92-delayed-delivery',
    title: `${messages} delayed messages of level 1 due at once, ${ORDINARY_RATE} ordinary sends a second beside them`,
    firstPort: 29_210,
    series: [
      { name: 'ASYNC_FLUSH', properties: { messageDelayLevel: `${delayMs / 1000}s 10m 20m` } },
    ],
    figures: [
      { label: 'delivered a second', digits: 0, isMoreBetter: true },
      { label: 'broker CPU a delivered message, µs', digits: 1, isMoreBetter: false },
      { label: 'ordinary sends before, p99 ms', digits: 2, isMoreBetter: false },
      { label: 'ordinary sends meanwhile, p50 ms', digits: 2, isMoreBetter: false },
      { label: 'ordinary sends meanwhile, p99 ms', digits: 2, isMoreBetter: false },
      { label: 'ordinary sends meanwhile, max ms', digits: 1, isMoreBetter: false },
      { label: 'ordinary sends meanwhile, a second', digits: 0, isMoreBetter: true },
    ],
    async open(target): Promise<Session> {
      if (target.pid === 0)
        throw new Error(`the process of ${target.name} must be known: --peer NAME=PORT:PID`);
      const client = await WireClient.open(target);
      return { measure: (size) => measure(target, client, size), close: () => client.close() };
    },
  },
  args,
);

async function measure(target: Target, client: WireClient, size: Size): Promise<number[]> {
  const topic = `bench_delayed_${size.round}`;
  const before = await ordinarySends(target, () => sleep(size.scale(2000, 100)));
  const window = size.scale(64, 16);
  const messagesPerSlot = Math.round(messages / CONNECTIONS / window);
  const count = messagesPerSlot * CONNECTIONS * window;
  await fill(target, {
    topic,
    queues: QUEUES,
    bodyBytes: BODY_BYTES,
    connections: CONNECTIONS,
    window,
    messagesPerSlot,
    propertiesOf: () => `${PROPERTIES}DELAY\u00011\u0002`,
  });
  const early = await client.messagesOf(topic, QUEUES);
  if (early > 0) throw new Error(`${target.name} delivered while it stored: --delay-secs`);
  process.kill(target.pid, 'SIGSTOP');
  await sleep(delayMs + MARGIN_MS);
  const cpuBefore = cpuSecondsOf(target);
  process.kill(target.pid, 'SIGCONT');
  const dueMs = performance.now();
  let tookMs = 0;
  const meanwhile = await ordinarySends(target, async () => {
    await delivered(client, topic, count, dueMs);
    tookMs = performance.now() - dueMs;
  });
  return [
    (count * 1000) / tookMs,
    ((cpuSecondsOf(target) - cpuBefore) * 1e6) / count,
    before.latency.p99Ms,
    meanwhile.latency.p50Ms,
    meanwhile.latency.p99Ms,
    meanwhile.latency.maxMs,
    meanwhile.rate,
  ];
}

/** A queue's end moves on when a message can be pulled. */
async function delivered(
  client: WireClient,
  topic: string,
  count: number,
  fromMs: number,
): Promise<void> {
  for (;;) {
    const there = await client.messagesOf(topic, QUEUES);
    if (there === count) return;
    if (there > count) throw new Error(`${there} messages came of ${count}`);
    if (performance.now() - fromMs > DELIVER_MS) throw new Error(`only ${there} of ${count} came`);
    await sleep(POLL_MS);
  }
}

async function ordinarySends(target: Target, during: () => Promise<void>) {
  const loadCase: LoadCase = {
    name: 'ordinary',
    kind: 'produce',
    host: target.host,
    port: target.port,
    topic: 'bench_ordinary',
    queues: QUEUES,
    connections: 1,
    window: 1024,
    bodyBytes: BODY_BYTES,
    batch: 1,
    serialize: 'json',
    rate: ORDINARY_RATE,
    warmUpMs: 0,
    durationMs: 0,
    intervalMs: 0,
    brokerPid: 0,
    syncFolder: '',
  };
  const meter = new Meter(loadCase);
  const producer = new Producer(loadCase, meter);
  meter.begin();
  await producer.start();
  const turns = setInterval(() => producer.turn(), 1);
  await during();
  meter.end();
  producer.stop();
  clearInterval(turns);
  producer.close();
  const result = meter.result();
  if (Object.keys(result.failed).length > 0)
    throw new Error(`ordinary sends were refused: ${JSON.stringify(result.failed)}`);
  return result;
}
