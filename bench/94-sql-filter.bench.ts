// SQL92 subscriptions pulled through a broker: how many stored messages a second it puts to the expression, with and without a bitmap in
// the queue's ext units. The consumers register by heartbeat before anything is stored, since bitmaps are made for those who are known.
// Options: --messages N --secs 5 --rounds 3 --peer NAME/SERIES=[HOST:]PORT[:PID] --json FILE --smoke; a peer says in its name whether it
// is set as `without` or `bitmap`. COMETMQ_PEER names the kit to start a Java broker of each by.

import { encodeHeartbeatData, type HeartbeatData } from '#dist/protocol/bodies/heartbeat-data.js';
import { buildSubscriptionData } from '#dist/protocol/bodies/subscription-data.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import { runFeature, type Session, type Size } from './broker/feature-run.js';
import { optionOf, type Target } from './broker/peers.js';
import { cpuSecondsOf } from './broker/process-facts.js';
import { fill } from './broker/slots.js';
import { WireClient } from './broker/wire-client.js';
import { PROPERTIES } from './samples.js';

const TOPIC = 'bench_sql';
const QUEUES = 4;
const CONNECTIONS = 4;
const WINDOW = 50;
const SLOTS = CONNECTIONS * WINDOW;
const BODY_BYTES = 256;
const PULL_MESSAGES = 32;
const SETTLE_MS = 10_000;
const SUB_VERSION = Date.now();
const REGIONS = ['eu-west', 'eu-north', 'us-east', 'ap-south'];
const [SUCCESS, RETRY_IMMEDIATELY] = [0, 20];

interface Wish {
  readonly group: string;
  readonly expression: string;
  /** The same by hand, of the message of a slot. */
  readonly matches: (slot: number) => boolean;
}

const RARE: Wish = {
  group: 'bench_sql_rare',
  expression:
    "(amount > 950 AND region IN ('eu-west', 'eu-north')) OR (kind IS NOT NULL AND amount BETWEEN 10 AND 12)",
  matches: (slot) => amountOf(slot) > 950 && REGIONS.indexOf(regionOf(slot)) < 2,
};
const OFTEN: Wish = {
  group: 'bench_sql_often',
  expression: "region = 'eu-west'",
  matches: (slot) => regionOf(slot) === 'eu-west',
};

const args = process.argv.slice(2);
const messages = Number(
  optionOf(args, 'messages') ?? (args.includes('--smoke') ? SLOTS * 4 : 40_000),
);
const messagesPerSlot = Math.max(1, Math.round(messages / SLOTS));
const percent = (wish: Wish) =>
  `${(Array.from({ length: SLOTS }, (_, slot) => wish.matches(slot)).filter(Boolean).length * 100) / SLOTS} %`;

await runFeature(
  {
    bench: '94-sql-filter',
    title: `SQL92 pulls of ${SLOTS * messagesPerSlot} messages in ${QUEUES} queues, one pull under way on each`,
    firstPort: 29_410,
    series: [
      { name: 'without', properties: { enablePropertyFilter: 'true' } },
      {
        name: 'bitmap',
        properties: {
          enablePropertyFilter: 'true',
          enableCalcFilterBitMap: 'true',
          enableConsumeQueueExt: 'true',
        },
      },
    ],
    figures: [RARE, OFTEN].flatMap((wish) => [
      {
        label: `evaluations a second, ${percent(wish)} match`,
        digits: 0,
        isMoreBetter: true,
      },
      { label: `  broker CPU of 1000, µs`, digits: 0, isMoreBetter: false },
    ]),
    open,
  },
  args,
);

async function open(target: Target): Promise<Session> {
  const client = await WireClient.open(target);
  await subscribe(client);
  await fill(target, {
    topic: TOPIC,
    queues: QUEUES,
    bodyBytes: BODY_BYTES,
    connections: CONNECTIONS,
    window: WINDOW,
    messagesPerSlot,
    propertiesOf: (slot) =>
      `${PROPERTIES}region\u0001${regionOf(slot)}\u0002amount\u0001${amountOf(slot)}\u0002`,
  });
  await mustHave(client, SLOTS * messagesPerSlot);
  for (const wish of [RARE, OFTEN]) await mustMatch(client, wish);
  return {
    async measure(size) {
      // A group is forgotten without.
      await subscribe(client);
      return [
        ...(await measure(target, client, RARE, size)),
        ...(await measure(target, client, OFTEN, size)),
      ];
    },
    close: () => client.close(),
  };
}

async function measure(target: Target, client: WireClient, wish: Wish, size: Size) {
  const untilMs = performance.now() + (size.seconds * 1000) / 2;
  const cpuBefore = cpuSecondsOf(target);
  const from = performance.now();
  const evaluated = await Promise.all(
    Array.from({ length: QUEUES }, async (_, queueId) => {
      let count = 0;
      do count += (await readQueue(client, wish, queueId, untilMs)).evaluated;
      while (performance.now() < untilMs);
      return count;
    }),
  );
  const seconds = (performance.now() - from) / 1000;
  const all = evaluated.reduce((sum, count) => sum + count, 0);
  return [all / seconds, ((cpuSecondsOf(target) - cpuBefore) * 1e9) / all];
}

/** From its beginning to its end, or until it is late. */
async function readQueue(client: WireClient, wish: Wish, queueId: number, untilMs: number) {
  const end = (SLOTS * messagesPerSlot) / QUEUES;
  let at = 0;
  let matched = 0;
  while (at < end && performance.now() < untilMs) {
    const { code, remark, extFields, body } = await client.invoke(RequestCode.PULL_MESSAGE, {
      consumerGroup: wish.group,
      topic: TOPIC,
      queueId: String(queueId),
      queueOffset: String(at),
      maxMsgNums: String(PULL_MESSAGES),
      sysFlag: '0',
      commitOffset: '0',
      suspendTimeoutMillis: '0',
      subVersion: String(SUB_VERSION),
      expressionType: 'SQL92',
    });
    if (code !== SUCCESS && code !== RETRY_IMMEDIATELY)
      throw new Error(`a pull at ${at} of ${end} was answered ${code}: ${remark}`);
    if (code === SUCCESS && body !== null) matched += recordsIn(body);
    const next = Number(extFields?.['nextBeginOffset']);
    if (!(next > at)) throw new Error(`a pull at ${at} of ${end} goes on at ${next}`);
    at = next;
  }
  return { evaluated: at, matched };
}

function recordsIn(records: Buffer): number {
  let count = 0;
  for (let at = 0; at < records.length; at += records.readInt32BE(at)) count++;
  return count;
}

async function subscribe(client: WireClient): Promise<void> {
  const data: HeartbeatData = {
    clientID: '127.0.0.1@bench',
    producerDataSet: [],
    consumerDataSet: [RARE, OFTEN].map(({ group, expression }) => ({
      groupName: group,
      consumeType: 'CONSUME_PASSIVELY',
      messageModel: 'CLUSTERING',
      consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
      unitMode: false,
      subscriptionDataSet: [buildSubscriptionData(TOPIC, expression, 'SQL92', SUB_VERSION)],
    })),
  };
  const { code, remark } = await client.invoke(
    RequestCode.HEART_BEAT,
    {},
    encodeHeartbeatData(data),
  );
  if (code !== SUCCESS) throw new Error(`the heartbeat was answered ${code}: ${remark}`);
}

async function mustHave(client: WireClient, count: number): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while ((await client.messagesOf(TOPIC, QUEUES)) < count) {
    if (performance.now() > end) throw new Error('what was stored cannot be pulled');
  }
}

/** Every broker must find what the expression by hand finds. */
async function mustMatch(client: WireClient, wish: Wish): Promise<void> {
  let matched = 0;
  for (let queueId = 0; queueId < QUEUES; queueId++) {
    matched += (await readQueue(client, wish, queueId, Number.POSITIVE_INFINITY)).matched;
  }
  let wanted = 0;
  for (let slot = 0; slot < SLOTS; slot++) if (wish.matches(slot)) wanted += messagesPerSlot;
  if (matched !== wanted) throw new Error(`${wish.expression} matched ${matched}, not ${wanted}`);
}

/** Each queue has all of them: a slot's queue is slot % QUEUES. */
function regionOf(slot: number): string {
  return REGIONS[Math.floor(slot / QUEUES) % REGIONS.length] ?? '';
}

/** Spread 0 to 999, in no order. */
function amountOf(slot: number): number {
  return (slot * 617) % 1000;
}
