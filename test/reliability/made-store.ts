// A store that our own broker wrote, with a ledger of what is in it, ended by a crash or a clean stop. Made once and copied for each damage.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeMessageId } from '../../src/message/message-id.js';
import { ResponseCode } from '../../src/protocol/response-code.js';
import { BrokerProcess, type BrokerProperties, claimPort } from '../support/broker-process.js';
import { WireClient } from '../support/wire-client.js';
import { Bodies, crcOf, keyOf, Ledger, type LedgerEntry } from './ledger.js';
import { sleep } from './producer.js';
import { fastDirectory } from './sizes.js';

export const LOG_FILE_BYTES = 4 * 1024 * 1024;
export const QUEUE_FILE_BYTES = 400;
export const INDEX_SLOTS = 100;
export const INDEX_ENTRIES = 120;
export const TOPIC = 'RelMade';
const QUEUES = 2;
const START_LIMIT_MS = 20_000;

export const STORE_PROPERTIES: BrokerProperties = {
  mappedFileSizeCommitLog: LOG_FILE_BYTES,
  mappedFileSizeConsumeQueue: QUEUE_FILE_BYTES,
  maxHashSlotNum: INDEX_SLOTS,
  maxIndexNum: INDEX_ENTRIES,
  waitTimeMillsInSendQueue: 5000,
  logLevel: 'warn',
};

let port: Promise<number> | null = null;

/** One for all brokers of a test file: they run one after another. */
export function testPort(): Promise<number> {
  port ??= claimPort();
  return port;
}

export type Stop = 'clean' | 'crash';

export interface MadeStore {
  readonly dir: string;
  readonly storeDir: string;
  readonly stop: Stop;
  readonly ledger: Ledger;
  readonly bodies: Bodies;
  /** The last record of the log. */
  readonly last: LedgerEntry;
}

/** Sends messages with bodies of those sizes one after another, and ends the broker. */
export async function makeStore(
  stop: Stop,
  seed: number,
  bodySizes: readonly number[],
): Promise<MadeStore> {
  const dir = newDirectory();
  const broker = new BrokerProcess(dir, await testPort(), STORE_PROPERTIES);
  const bodies = new Bodies(seed);
  const ledger = new Ledger();
  broker.start();
  try {
    const client = await connected(broker);
    for (const [seq, bodyBytes] of bodySizes.entries()) {
      await sendTo(client, ledger, bodies, 0, seq, seq % QUEUES, bodyBytes);
    }
    const last = ledger.entries.at(-1);
    if (last === undefined) throw new Error('a store of no messages');
    while ((await client.maxOffset(TOPIC, last.queueId)) <= last.queueOffset) await sleep(5);
    client.close();
    const code = await broker.kill(stop === 'clean' ? 'SIGTERM' : 'SIGKILL');
    if (stop === 'clean' && code !== 0) throw new Error(`a clean stop ended with ${code}`);
    const { storeDir } = broker;
    return { dir, storeDir, stop, ledger, bodies, last };
  } finally {
    await broker.kill();
  }
}

/** Sends one message and enters it. */
export async function sendTo(
  client: WireClient,
  ledger: Ledger,
  bodies: Bodies,
  producer: number,
  seq: number,
  queueId: number,
  bodyBytes: number,
): Promise<LedgerEntry> {
  const body = bodies.make(producer, seq, bodyBytes);
  const key = keyOf(producer, seq);
  const properties = new Map([['KEYS', key]]);
  const result = await client.send({ topic: TOPIC, queueId, body, properties });
  if (result.code !== ResponseCode.SUCCESS) {
    throw new Error(`a send was answered ${result.code}: ${result.remark}`);
  }
  const entry: LedgerEntry = {
    producer,
    seq,
    topic: TOPIC,
    queueId,
    queueOffset: result.queueOffset,
    physicalOffset: decodeMessageId(result.msgIds[0] ?? '').physicalOffset,
    bodyBytes,
    bodyCrc: crcOf(body),
    key,
  };
  ledger.add(entry);
  return entry;
}

/** A client of a broker that has just been started; rejects when the broker ends instead. */
export async function connected(broker: BrokerProcess): Promise<WireClient> {
  while (performance.now() - broker.startedMs < START_LIMIT_MS && broker.isRunning) {
    const client = new WireClient(broker.port);
    try {
      await client.topics();
      return client;
    } catch {
      client.close();
      await sleep(10);
    }
  }
  throw new Error(`the broker does not answer:\n${broker.output().slice(-2000)}`);
}

/** A copy of the whole folder; remove it with removeDirectory. */
export function copyOf(made: MadeStore): string {
  const dir = newDirectory();
  cpSync(made.storeDir, join(dir, 'store'), { recursive: true });
  return dir;
}

export function newDirectory(): string {
  return mkdtempSync(join(fastDirectory(), 'cometmq-made-'));
}

export function removeDirectory(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

export function logFilePath(storeDir: string, physicalOffset: number): string {
  const fileFromOffset = physicalOffset - (physicalOffset % LOG_FILE_BYTES);
  return join(storeDir, 'commitlog', String(fileFromOffset).padStart(20, '0'));
}

/** Length of the record at a physical offset. */
export function recordBytes(storeDir: string, physicalOffset: number): number {
  const file = readFileSync(logFilePath(storeDir, physicalOffset));
  return file.readInt32BE(physicalOffset % LOG_FILE_BYTES);
}

export function hasAbort(storeDir: string): boolean {
  return existsSync(join(storeDir, 'abort'));
}
