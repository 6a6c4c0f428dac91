// Test support: both ends of replication over transports that keep what was sent, on a manual clock.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManualClock } from '../../../src/base/clock.js';
import type { CursorPage } from '../../../src/ring/cursor.js';
import { CommitLog } from '../../../src/store/commitlog/commit-log.js';
import { HaClient } from '../../../src/store/ha/ha-client.js';
import { HaService } from '../../../src/store/ha/ha-service.js';
import type { HaTransport, HaTransportEvents } from '../../../src/store/ha/ha-transport.js';
import { LogReader } from '../../../src/store/mapped/log-reader.js';
import { defaultStoreConfig, type StoreConfig } from '../../../src/store/store-config.js';
import { createStoreCursors, StoreCursor } from '../../../src/store/store-cursors.js';
import { newFolder } from '../golden-store.js';

export const FILE_BYTES = 65_536;

export class FakeTransport implements HaTransport {
  readonly remoteAddress: string;
  isWritable = true;
  isClosed = false;
  readonly #sent: Buffer[] = [];

  constructor(remoteAddress = '10.0.0.2:1000') {
    this.remoteAddress = remoteAddress;
  }

  send(bytes: Uint8Array, start: number, lengthBytes: number): void {
    this.#sent.push(Buffer.from(bytes.subarray(start, start + lengthBytes)));
  }

  close(): void {
    this.isClosed = true;
  }

  /** What was sent since the last call. */
  take(): Buffer {
    return Buffer.concat(this.#sent.splice(0));
  }
}

export interface Side {
  readonly config: StoreConfig;
  readonly cursors: CursorPage;
  readonly log: CommitLog;
  readonly clock: ManualClock;
}

export function openSide(clock: ManualClock, changes: Partial<StoreConfig> = {}): Side {
  const config = {
    ...defaultStoreConfig(newFolder()),
    mappedFileSizeCommitLog: FILE_BYTES,
    ...changes,
  };
  const cursors = createStoreCursors();
  const recovered = { minOffset: 0, maxOffset: 0, queueOffsets: new Map<string, number>() };
  return { config, cursors, log: new CommitLog({ config, cursors, clock, recovered }), clock };
}

/** Puts bytes at the end of a log, file by file. */
export function appendBytes(side: Side, from: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const room = FILE_BYTES - ((from + at) % FILE_BYTES);
    const size = Math.min(room, bytes.length - at);
    if (!side.log.appendRaw(from + at, bytes, at, size)) throw new Error('not appended');
    at += size;
  }
  side.log.publishWroteOffset();
}

export function contentOf(side: Side, from: number, to: number): Buffer {
  const reader = new LogReader(side.config, side.cursors);
  const parts: Buffer[] = [];
  for (let at = from; at < to; ) {
    if (!reader.locate(at)) throw new Error(`nothing at ${at}`);
    const size = Math.min(reader.limit - reader.position, to - at);
    parts.push(Buffer.from(reader.buffer.subarray(reader.position, reader.position + size)));
    at += size;
  }
  reader.close();
  return Buffer.concat(parts);
}

export interface Master extends Side {
  readonly service: HaService;
  pushed(): number;
  slaves(): number;
  connect(transport?: FakeTransport): { transport: FakeTransport; events: HaTransportEvents };
}

export function openMaster(clock: ManualClock, changes: Partial<StoreConfig> = {}): Master {
  const side = openSide(clock, changes);
  const { config, cursors } = side;
  const service = new HaService({
    log: new LogReader(config, cursors),
    cursors,
    clock,
    config,
    isWaitedFor: true,
    onChange: () => {},
  });
  return {
    ...side,
    service,
    pushed: () => cursors.get(StoreCursor.push2SlaveMaxOffset),
    slaves: () => cursors.get(StoreCursor.slaveCount),
    connect: (transport = new FakeTransport()) => ({
      transport,
      events: service.accept(transport),
    }),
  };
}

export interface Slave extends Side {
  readonly client: HaClient;
  /** Of each dial, the last one last. */
  readonly links: { address: string; transport: FakeTransport; events: HaTransportEvents }[];
}

export function openSlave(
  clock: ManualClock,
  historyCheckBytes = 0,
  changes: Partial<StoreConfig> = {},
): Slave {
  const side = openSide(clock, { brokerRole: 'SLAVE', ...changes });
  const links: Slave['links'] = [];
  const client = new HaClient({
    commitLog: side.log,
    ownLog: new LogReader(side.config, side.cursors),
    clock,
    config: side.config,
    dial: (address, events) => {
      const transport = new FakeTransport(address);
      links.push({ address, transport, events });
      return transport;
    },
    historyCheckBytes,
    onAppended: () => {},
    housekeeping: () => {},
  });
  return { ...side, client, links };
}

export interface HaEvent {
  readonly t: number;
  readonly dir?: 'c2s' | 's2c';
  readonly hex?: string;
}

export interface HaStream {
  readonly conn: number;
  readonly slaveReports: readonly number[];
  readonly masterFrames: readonly (readonly [number, number])[];
  readonly events: readonly HaEvent[];
}

/** What went over the wire between a Java master and a Java slave. */
export function goldenStreams(): readonly HaStream[] {
  const path = join(import.meta.dirname, '../../golden/ha.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { streams: HaStream[] }).streams;
}
