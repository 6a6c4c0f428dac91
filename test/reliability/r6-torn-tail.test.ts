// R6: the last record of a store that our broker wrote is torn: cut (all from a byte on is zero) or hollow (all before a byte is zero, as when
// the disk wrote its pages in another order), at every byte of a 200 B and a 4 KB message and every 512th of a 64 KB one, after a crash and
// after a clean stop. R6_CASES of them are picked by the seed (gate: 500; 0: all). Most go through recovery in this process, one in
// R6_WHOLE through a whole broker. Mutants: no-nul-rule, no-crc, see README.md.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { setLogLevel } from '../../src/base/logger.js';
import { seededPrng } from '../../src/base/prng.js';
import { decodeMessage } from '../../src/message/message-decoder.js';
import { AppendRequest, CommitLog } from '../../src/store/commitlog/commit-log.js';
import { readCqPhysicalOffset } from '../../src/store/consumequeue/cq-unit.js';
import { PutMessageStatus } from '../../src/store/put-message.js';
import { openStore, type RecoveredState } from '../../src/store/recovery/recover-store.js';
import { defaultStoreConfig, type StoreConfig } from '../../src/store/store-config.js';
import { createStoreCursors, StoreCursor } from '../../src/store/store-cursors.js';
import { BrokerProcess } from '../support/broker-process.js';
import { check } from './checker.js';
import { Ledger } from './ledger.js';
import {
  connected,
  copyOf,
  hasAbort,
  INDEX_ENTRIES,
  INDEX_SLOTS,
  LOG_FILE_BYTES,
  logFilePath,
  type MadeStore,
  makeStore,
  QUEUE_FILE_BYTES,
  recordBytes,
  removeDirectory,
  STORE_PROPERTIES,
  type Stop,
  sendTo,
  TOPIC,
  testPort,
} from './made-store.js';
import { restartLimitMs, seedOfRun, sizeOf, tell } from './sizes.js';

const CASES = sizeOf('R6_CASES', 60);
const WHOLE_EVERY = sizeOf('R6_WHOLE', 30);
const CASE_LIMIT_MS = sizeOf('R6_CASE_MS', 1000);
const EARLIER_BODIES = [300, 5000, 200, 70_000, 1000, 40_000, 250, 250];
const SIZES = [
  { bodyBytes: 200, step: 1 },
  { bodyBytes: 4096, step: 1 },
  { bodyBytes: 65_536, step: 512 },
];
/** The fields of a record's head, and the properties at its end. */
const HEAD_BYTES = 92;
const TAIL_BYTES = 40;
const NEXT_PRODUCER = 9;

interface TornCase {
  readonly made: MadeStore;
  readonly how: 'cut' | 'hollow';
  /** Byte of the record. */
  readonly at: number;
  readonly bytes: number;
}

setLogLevel('silent');
const seed = seedOfRun();
const stores: MadeStore[] = [];
afterAll(() => {
  for (const { dir } of stores) removeDirectory(dir);
});

it(
  'ends the log where its torn last record began, and gives its offset again',
  async () => {
    const cases = pick(await allCases());
    const failures: string[] = [];
    let slowestMs = 0;
    let whole = 0;
    for (const [i, torn] of cases.entries()) {
      const dir = copyOf(torn.made);
      tear(join(dir, 'store'), torn);
      const startMs = performance.now();
      const isWhole = WHOLE_EVERY > 0 && i % WHOLE_EVERY === WHOLE_EVERY - 1;
      const wrong = isWhole ? await throughBroker(dir, torn) : throughRecovery(dir, torn);
      const tookMs = performance.now() - startMs;
      if (isWhole) whole++;
      else slowestMs = Math.max(slowestMs, tookMs);
      if (!isWhole && tookMs > CASE_LIMIT_MS) wrong.push(`it took ${Math.round(tookMs)} ms`);
      if (wrong.length > 0) {
        failures.push(`${nameOf(torn)}: ${wrong.slice(0, 3).join('; ')}; store kept in ${dir}`);
        if (failures.length >= 5) break;
      } else removeDirectory(dir);
    }
    tell(
      `R6 seed ${seed}: ${cases.length} cases, ${whole} through a whole broker, slowest recovery and send ${Math.round(slowestMs)} ms`,
    );
    expect(failures, `seed ${seed}`).toEqual([]);
  },
  sizeOf('R6_LIMIT_MS', 3_600_000),
);

async function allCases(): Promise<TornCase[]> {
  const cases: TornCase[] = [];
  for (const stop of ['crash', 'clean'] satisfies Stop[]) {
    for (const { bodyBytes, step } of SIZES) {
      const made = await makeStore(stop, seed, [...EARLIER_BODIES, bodyBytes]);
      stores.push(made);
      expect(hasAbort(made.storeDir)).toBe(stop === 'crash');
      const { physicalOffset } = made.last;
      const bytes = recordBytes(made.storeDir, physicalOffset);
      const start = physicalOffset % LOG_FILE_BYTES;
      const file = readFileSync(logFilePath(made.storeDir, physicalOffset));
      const record = file.subarray(start, start + bytes);
      for (let at = 0; at < bytes; at += step) {
        if (isAnyLeft(record.subarray(at))) cases.push({ made, how: 'cut', at, bytes });
        if (isAnyLeft(record.subarray(0, at))) cases.push({ made, how: 'hollow', at, bytes });
      }
    }
  }
  return cases;
}

/** Zeroing zeros would change nothing. */
function isAnyLeft(bytes: Buffer): boolean {
  return bytes.some((byte) => byte !== 0);
}

/** Each store, way and end of the record gets its share: most mistakes are made near the ends. */
function pick(cases: readonly TornCase[]): TornCase[] {
  if (CASES === 0 || CASES >= cases.length) return [...cases];
  const prng = seededPrng(seed);
  const groups = new Map<string, TornCase[]>();
  for (const torn of cases) {
    const { made, how, at, bytes } = torn;
    const end = at < HEAD_BYTES ? 'head' : at >= bytes - TAIL_BYTES ? 'tail' : 'middle';
    const name = `${made.stop} ${made.last.bodyBytes} ${how} ${end}`;
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(torn);
  }
  const picked: TornCase[] = [];
  while (picked.length < CASES) {
    for (const group of groups.values()) {
      picked.push(...group.splice(prng.nextInt(Math.max(1, group.length)), 1));
    }
  }
  return picked.slice(0, CASES);
}

function nameOf({ made, how, at }: TornCase): string {
  return `seed ${seed}, ${how} at byte ${at} of a body of ${made.last.bodyBytes} after a ${made.stop} stop`;
}

function tear(storeDir: string, { made, how, at, bytes }: TornCase): void {
  const { physicalOffset } = made.last;
  const start = physicalOffset % LOG_FILE_BYTES;
  const file = openSync(logFilePath(storeDir, physicalOffset), 'r+');
  if (how === 'cut') writeSync(file, Buffer.alloc(bytes - at), 0, bytes - at, start + at);
  else writeSync(file, Buffer.alloc(at), 0, at, start);
  closeSync(file);
}

/** Recovery, an append, and recovery once more, all in this process. */
function throughRecovery(dir: string, { made }: TornCase): string[] {
  const wrong: string[] = [];
  const { last, ledger } = made;
  const config = configOf(join(dir, 'store'));
  const name = `${TOPIC}-${last.queueId}`;
  const state = recovered(config, (table) => {
    for (const entry of ledger.entries.slice(0, -1)) {
      const queue = table.find(TOPIC, entry.queueId);
      const isThere =
        queue?.locate(entry.queueOffset) === true &&
        readCqPhysicalOffset(queue.buffer, queue.position) === entry.physicalOffset;
      if (!isThere) wrong.push(`the queue has lost ${entry.key}`);
    }
  });
  if (state.maxOffset !== last.physicalOffset) {
    wrong.push(`the log ends at ${state.maxOffset}, the record began at ${last.physicalOffset}`);
  }
  if (state.queueOffsets.get(name) !== last.queueOffset) {
    wrong.push(`the next offset is ${state.queueOffsets.get(name)}, not ${last.queueOffset}`);
  }
  const end = appendNext(config, state, made, wrong);
  const again = recovered(config);
  if (again.maxOffset !== end) wrong.push(`opened again, the log ends at ${again.maxOffset}`);
  if (again.queueOffsets.get(name) !== last.queueOffset + 1) {
    wrong.push(`opened again, the next offset is ${again.queueOffsets.get(name)}`);
  }
  for (const entry of ledger.entries.slice(0, -1)) {
    const file = readFileSync(logFilePath(config.storePathRootDir, entry.physicalOffset));
    const message = decodeMessage(file, entry.physicalOffset % LOG_FILE_BYTES);
    const identity = message === null ? 'it is no record' : made.bodies.identify(message);
    if (typeof identity === 'string') wrong.push(`${entry.key}: ${identity}`);
  }
  return wrong;
}

function recovered(
  config: StoreConfig,
  look: (table: ReturnType<typeof openStore>['table']) => void = () => {},
): RecoveredState {
  const { state, table, index } = openStore(config, new ManualClock(Date.now()));
  look(table);
  table.close();
  index.close();
  return state;
}

/** The end of the log with one message more. */
function appendNext(
  config: StoreConfig,
  state: RecoveredState,
  made: MadeStore,
  wrong: string[],
): number {
  const cursors = createStoreCursors();
  cursors.set(StoreCursor.wroteOffset, state.maxOffset);
  const clock = new ManualClock(Date.now());
  const log = new CommitLog({ config, cursors, clock, recovered: state });
  log.beginBatch(clock.nowMs());
  const request = new AppendRequest();
  request.topic = TOPIC;
  request.queueId = made.last.queueId;
  request.bornHost = Uint8Array.of(127, 0, 0, 1);
  request.body = made.bodies.make(NEXT_PRODUCER, 0, 500);
  request.bodyLength = 500;
  request.properties = Buffer.from('KEYS\u0001p9-0');
  request.propertiesLength = request.properties.length;
  const status = log.append(request);
  if (status !== PutMessageStatus.PUT_OK) wrong.push(`the next append is answered ${status}`);
  if (log.lastQueueOffset !== made.last.queueOffset) {
    wrong.push(`the next append has queue offset ${log.lastQueueOffset}`);
  }
  if (log.lastPhysicalOffset !== made.last.physicalOffset) {
    wrong.push(`the next append lies at ${log.lastPhysicalOffset}`);
  }
  const end = log.lastWroteEnd;
  log.close();
  return end;
}

async function throughBroker(dir: string, { made }: TornCase): Promise<string[]> {
  const { last, bodies } = made;
  const wrong: string[] = [];
  const broker = new BrokerProcess(dir, await testPort(), STORE_PROPERTIES);
  broker.start();
  try {
    const client = await connected(broker);
    const ledger = new Ledger();
    for (const entry of made.ledger.entries.slice(0, -1)) ledger.add(entry);
    const next = await sendTo(client, ledger, bodies, NEXT_PRODUCER, 0, last.queueId, 500);
    const tookMs = performance.now() - broker.startedMs;
    if (tookMs > restartLimitMs) wrong.push(`the first SEND_OK took ${Math.round(tookMs)} ms`);
    if (next.queueOffset !== last.queueOffset) wrong.push(`it got offset ${next.queueOffset}`);
    if (next.physicalOffset !== last.physicalOffset)
      wrong.push(`it lies at ${next.physicalOffset}`);
    while ((await client.maxOffset(TOPIC, last.queueId)) <= next.queueOffset);
    const options = { client, ledger, bodies, firstEntry: 0, lookUps: 100, seed };
    wrong.push(...(await check(options)).violations);
    client.close();
  } finally {
    await broker.kill();
  }
  return wrong;
}

function configOf(root: string): StoreConfig {
  return {
    ...defaultStoreConfig(root),
    mappedFileSizeCommitLog: LOG_FILE_BYTES,
    mappedFileSizeConsumeQueue: QUEUE_FILE_BYTES,
    maxHashSlotNum: INDEX_SLOTS,
    maxIndexNum: INDEX_ENTRIES,
  };
}
