// Room: store. HA thread, of masters and slaves alike: a slave may have slaves of its own, as in Java. All connections of slaves to this
// broker. The only writer of push2SlaveMaxOffset, which never goes back, and slaveCount; main reads both to release answers that wait
// for a slave (workers/parked-replies.ts, Java's GroupTransferService).
//
// A connection counts as a slave once its first report was believed. Without any, this agent wants to be woken by nobody.

import type { Clock } from '../../base/clock.js';
import { MAX_HA_FRAME_BYTES, MAX_SLAVE_CONNECTIONS } from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import type { Agent } from '../../ring/agent.js';
import type { CursorPage } from '../../ring/cursor.js';
import type { LogView } from '../get/log-view.js';
import { StoreCursor } from '../store-cursors.js';
import { type CloseKind, HaConnection, type HaMasterConfig } from './ha-connection.js';
import { HA_FRAME_HEADER_BYTES } from './ha-frame.js';
import type { HaTransport, HaTransportEvents } from './ha-transport.js';
import { LogOnceAMinute } from './log-once-a-minute.js';

const log = getLogger('ha');
const STATUS_PERIOD_MS = 60_000;
const NEVER_MS = 600_000;

export interface HaServiceOptions {
  /** Up to where slaves may be told of the log. */
  readonly log: LogView & { close(): void };
  readonly cursors: CursorPage;
  readonly clock: Clock;
  readonly config: HaMasterConfig;
  /** Somebody waits for acknowledgements: no naps between two batches. */
  readonly isWaitedFor: boolean;
  /** A slave acknowledged more, came or went. */
  readonly onChange: () => void;
}

/** One slave, as an operator sees it. */
export interface SlaveStatus {
  readonly address: string;
  readonly ackedOffset: number;
  readonly behindBytes: number;
  readonly bytesPerSecond: number;
}

const TEXTS: Readonly<Record<CloseKind, string>> = {
  SLAVE_AHEAD: 'a slave holds more than its master: it gets nothing until an operator resets it',
  SLAVE_TOO_FAR_BEHIND: 'a slave ends before what this master has kept: it has to begin anew',
  BAD_REPORT: 'a report that no slave can give: its connection is closed',
  SILENT: 'a slave is silent: its connection is closed',
  PEER_CLOSED: 'a slave is gone',
  SHUTDOWN: 'a slave is let go',
};

export class HaService implements Agent {
  readonly name = 'ha';
  readonly #options: HaServiceOptions;
  readonly #scratch: Buffer;
  readonly #once: LogOnceAMinute;
  #connections: HaConnection[] = [];
  #pushedOffset: number;
  #slaveCount = 0;
  #statusDueMs: number;
  #statusFromMs: number;

  constructor(options: HaServiceOptions) {
    const { config, clock, cursors } = options;
    this.#options = options;
    const batchBytes = Math.min(config.haTransferBatchSize, MAX_HA_FRAME_BYTES / 2);
    this.#scratch = Buffer.alloc(HA_FRAME_HEADER_BYTES + batchBytes);
    this.#once = new LogOnceAMinute(log, clock);
    this.#pushedOffset = cursors.get(StoreCursor.push2SlaveMaxOffset);
    this.#statusFromMs = clock.monotonicMs();
    this.#statusDueMs = this.#statusFromMs + STATUS_PERIOD_MS;
  }

  get connectionCount(): number {
    return this.#connections.length;
  }

  /** Takes over an accepted connection. */
  accept(transport: HaTransport): HaTransportEvents {
    const connection = new HaConnection({
      transport,
      log: this.#options.log,
      clock: this.#options.clock,
      config: this.#options.config,
      scratch: this.#scratch,
      onAck: (physicalOffset) => this.#onAck(connection, physicalOffset),
      onClosed: (kind, detail) => this.#onClosed(connection, kind, detail),
    });
    if (this.#connections.length >= MAX_SLAVE_CONNECTIONS) {
      connection.close('SHUTDOWN', 'too many connections');
    } else {
      this.#connections.push(connection);
    }
    return {
      onBytes: (chunk) => connection.onBytes(chunk),
      onClose: (reason) => connection.close('PEER_CLOSED', reason),
    };
  }

  /** What is known of each slave; rates are since the last line that told of them. */
  status(): SlaveStatus[] {
    const { clock } = this.#options;
    const seconds = Math.max(0.001, (clock.monotonicMs() - this.#statusFromMs) / 1000);
    const maxOffset = this.#options.cursors.get(StoreCursor.wroteOffset);
    return this.#connections
      .filter((connection) => connection.isSlave)
      .map(({ remoteAddress, ackedOffset, sentBytes }) => ({
        address: remoteAddress,
        ackedOffset,
        behindBytes: maxOffset - ackedOffset,
        bytesPerSecond: Math.round(sentBytes / seconds),
      }));
  }

  doWork(): number {
    if (this.#connections.length === 0) return 0;
    const nowMs = this.#options.clock.monotonicMs();
    this.#options.log.refresh();
    let work = 0;
    for (const connection of this.#connections) work += connection.doWork(nowMs);
    if (this.#connections.some(({ isClosed }) => isClosed)) {
      this.#connections = this.#connections.filter(({ isClosed }) => !isClosed);
    }
    if (nowMs >= this.#statusDueMs) this.#logStatus(nowMs);
    return work;
  }

  hasWork(): boolean {
    if (this.#connections.length === 0) return false;
    this.#options.log.refresh();
    return this.#connections.some((connection) => connection.hasWork());
  }

  mayNap(): boolean {
    return this.#connections.length === 0 || !this.#options.isWaitedFor;
  }

  maxSleepMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = this.#connections.map((connection) => connection.dueMs());
    return Math.max(0, Math.min(NEVER_MS, ...dueMs.map((due) => due - nowMs)));
  }

  close(): void {
    for (const connection of this.#connections) connection.close('SHUTDOWN', 'shutdown');
    this.#connections = [];
    this.#options.log.close();
  }

  #onAck(connection: HaConnection, physicalOffset: number): void {
    const { cursors, onChange } = this.#options;
    if (physicalOffset > this.#pushedOffset) {
      this.#pushedOffset = physicalOffset;
      cursors.set(StoreCursor.push2SlaveMaxOffset, physicalOffset);
    }
    this.#countSlaves(connection);
    onChange();
  }

  #onClosed(connection: HaConnection, kind: CloseKind, detail: string): void {
    const { remoteAddress, ackedOffset } = connection;
    const from = remoteAddress.slice(0, remoteAddress.lastIndexOf(':'));
    // Who has never said anything of use is no slave that went, but somebody who knocked.
    if (ackedOffset >= 0 || kind !== 'PEER_CLOSED') {
      this.#once.warn(`${kind} ${from}`, TEXTS[kind], { slave: remoteAddress, detail });
    }
    this.#countSlaves(null);
    this.#options.onChange();
  }

  /** @param acked may be a slave that has just become one. */
  #countSlaves(acked: HaConnection | null): void {
    const count = this.#connections.filter((it) => it.isSlave).length;
    if (count === this.#slaveCount) return;
    this.#slaveCount = count;
    this.#options.cursors.set(StoreCursor.slaveCount, count);
    if (acked === null) return;
    const { remoteAddress, ackedOffset, sentOffset } = acked;
    log.info('a slave is there', { slave: remoteAddress, ackedOffset, sentOffset });
  }

  #logStatus(nowMs: number): void {
    for (const slave of this.status()) log.info('slave', { ...slave });
    this.#statusDueMs = nowMs + STATUS_PERIOD_MS;
    this.#statusFromMs = nowMs;
    for (const connection of this.#connections) connection.sentBytes = 0;
  }
}
