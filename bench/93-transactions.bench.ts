// Transactions through the wire: a half message and, when it is stored, its commit, each answered. Java's producer ends a transaction
// oneway; here the answer is asked for, so that what is counted is committed.
// Options: --secs 5 --rounds 3 --peer NAME=[HOST:]PORT[:PID] --json FILE --smoke. COMETMQ_PEER names the kit to start a Java broker by.

import { setTimeout as sleep } from 'node:timers/promises';
import { decodeMessageId } from '#dist/message/message-id.js';
import {
  TRANSACTION_COMMIT_TYPE,
  TRANSACTION_PREPARED_TYPE,
} from '#dist/message/message-sys-flag.js';
import { decodeFrame, encodeFrame } from '#dist/protocol/frame-codec.js';
import { createRequest } from '#dist/protocol/remoting-command.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import { runFeature, type Session, type Size } from './broker/feature-run.js';
import { Histogram } from './broker/histogram.js';
import type { Target } from './broker/peers.js';
import { cpuSecondsOf } from './broker/process-facts.js';
import { nowNs } from './broker/producer.js';
import { FIRST_OPAQUE, makeSendFrames } from './broker/send-frames.js';
import { mustSucceed, runSlots } from './broker/slots.js';
import { WireClient } from './broker/wire-client.js';
import { PROPERTIES } from './samples.js';

const QUEUES = 4;
const CONNECTIONS = 4;
const WINDOW = 64;
const SLOTS = CONNECTIONS * WINDOW;
const BODY_BYTES = 256;
/** What the frames of a send name. */
const GROUP = 'benchmark_producer';
const UNIQUE_KEY = '7F0000012D2E18B4AAC20D8C9A8C0000';
const SETTLE_MS = 10_000;

await runFeature(
  {
    bench: '93-transactions',
    title: `half message and commit, both answered, ${CONNECTIONS} connections with ${WINDOW} under way`,
    firstPort: 29_310,
    series: [{ name: 'ASYNC_FLUSH', properties: { transactionCheckInterval: 60_000 } }],
    figures: [
      { label: 'transactions a second', digits: 0, isMoreBetter: true },
      { label: 'half to committed, p50 ms', digits: 2, isMoreBetter: false },
      { label: 'half to committed, p99 ms', digits: 2, isMoreBetter: false },
      { label: 'broker CPU a transaction, µs', digits: 1, isMoreBetter: false },
    ],
    async open(target): Promise<Session> {
      const client = await WireClient.open(target);
      return { measure: (size) => measure(target, client, size), close: () => client.close() };
    },
  },
  process.argv.slice(2),
);

async function measure(target: Target, client: WireClient, size: Size): Promise<number[]> {
  const topic = `bench_transactions_${size.round}`;
  const latency = new Histogram();
  const fromNs = nowNs() + size.scale(1e9, 0);
  const untilNs = fromNs + size.seconds * 1e9;
  const cpuAtFrom = sleep(Math.max(0, (fromNs - nowNs()) / 1e6)).then(() => cpuSecondsOf(target));
  const { committed, endNs } = await transact(target, topic, fromNs, untilNs, latency);
  const cpu = cpuSecondsOf(target) - (await cpuAtFrom);
  await mustBecome(client, topic, committed);
  return [
    (latency.count * 1e9) / (endNs - fromNs),
    latency.percentileMs(0.5),
    latency.percentileMs(0.99),
    (cpu * 1e6) / latency.count,
  ];
}

/** Measures what is committed after fromNs and began before untilNs; the count has those before, too. */
async function transact(
  target: Target,
  topic: string,
  fromNs: number,
  untilNs: number,
  latency: Histogram,
): Promise<{ committed: number; endNs: number }> {
  const halves = makeSendFrames({
    topic,
    queues: QUEUES,
    bodyBytes: BODY_BYTES,
    batch: 1,
    serialize: 'json',
    window: SLOTS,
    sysFlag: TRANSACTION_PREPARED_TYPE,
    propertiesOf: () => `${PROPERTIES}TRAN_MSG\u0001true\u0002PGROUP\u0001${GROUP}\u0002`,
  });
  const beganNs = new Float64Array(SLOTS);
  let committed = 0;
  const begin = (slot: number): Buffer | null => {
    beganNs[slot] = nowNs();
    return halves[slot] ?? null;
  };
  await runSlots(target, {
    connections: CONNECTIONS,
    window: WINDOW,
    first: begin,
    next(slot, opaque, answer) {
      if (opaque < SLOTS) return commitOf(slot, answer);
      mustSucceed(answer);
      committed++;
      const now = nowNs();
      if (now >= fromNs) latency.record(now - (beganNs[slot] ?? 0));
      return now < untilNs ? begin(slot) : null;
    },
  });
  return { committed, endNs: nowNs() };
}

/** The request that commits what the answer says is stored. */
function commitOf(slot: number, answer: Buffer): Buffer {
  const { code, remark, extFields } = decodeFrame(answer);
  if (code !== 0) throw new Error(`the half message was answered ${code}: ${remark}`);
  const command = createRequest(RequestCode.END_TRANSACTION, {
    producerGroup: GROUP,
    tranStateTableOffset: extFields?.['queueOffset'] ?? '',
    commitLogOffset: String(decodeMessageId(extFields?.['msgId'] ?? '').physicalOffset),
    commitOrRollback: String(TRANSACTION_COMMIT_TYPE),
    fromTransactionCheck: 'false',
    msgId: UNIQUE_KEY,
    transactionId: UNIQUE_KEY,
  });
  command.opaque = FIRST_OPAQUE + SLOTS + slot;
  return encodeFrame(command);
}

async function mustBecome(client: WireClient, topic: string, count: number): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    const there = await client.messagesOf(topic, QUEUES);
    if (there === count) return;
    if (performance.now() > end)
      throw new Error(`${count} transactions are committed and ${there} messages there`);
    await sleep(10);
  }
}
