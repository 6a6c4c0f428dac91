// Room: namesrv. Main thread. Who is alive: one entry per broker address, kept by registrations and ended by silence, by the loss
// of its connection, or by a farewell. Java's brokerLiveTable.
// Always holds: age is measured on the monotonic clock (a broker that came with a clock of the year 2050 is no problem); data
// versions are compared by equality, never by order.

import type { Clock } from '../base/clock.js';
import type { DataVersion } from '../protocol/bodies/topic-config.js';

/** Milliseconds of silence after which a broker counts as gone. */
export const BROKER_EXPIRED_MS = 120_000;

/** The end that a broker registered over; only its identity and its end matter here. */
export interface BrokerChannel {
  readonly remoteAddress: string;
  readonly isClosed: boolean;
  close(reason: string): void;
}

export interface BrokerLiveInfo {
  readonly brokerAddr: string;
  readonly dataVersion: DataVersion;
  readonly channel: BrokerChannel;
  readonly haServerAddr: string;
  lastUpdateMs: number;
}

export class BrokerLiveTable {
  readonly #table = new Map<string, BrokerLiveInfo>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#table.size;
  }

  get(brokerAddr: string): BrokerLiveInfo | null {
    return this.#table.get(brokerAddr) ?? null;
  }

  /** The entry that was there before. */
  put(
    brokerAddr: string,
    dataVersion: DataVersion,
    channel: BrokerChannel,
    haServerAddr: string,
  ): BrokerLiveInfo | null {
    const before = this.get(brokerAddr);
    const lastUpdateMs = this.#clock.monotonicMs();
    this.#table.set(brokerAddr, { brokerAddr, dataVersion, channel, haServerAddr, lastUpdateMs });
    return before;
  }

  touch(brokerAddr: string): void {
    const info = this.#table.get(brokerAddr);
    if (info !== undefined) info.lastUpdateMs = this.#clock.monotonicMs();
  }

  delete(brokerAddr: string): void {
    this.#table.delete(brokerAddr);
  }

  /** Unknown counts as changed. */
  isChanged(brokerAddr: string, version: DataVersion): boolean {
    const known = this.#table.get(brokerAddr)?.dataVersion;
    return known === undefined || !isSameVersion(known, version);
  }

  expired(): BrokerLiveInfo[] {
    const beforeMs = this.#clock.monotonicMs() - BROKER_EXPIRED_MS;
    return [...this.#table.values()].filter((info) => info.lastUpdateMs < beforeMs);
  }

  ofChannel(channel: BrokerChannel): BrokerLiveInfo[] {
    return [...this.#table.values()].filter((info) => info.channel === channel);
  }
}

export function isSameVersion(one: DataVersion, other: DataVersion): boolean {
  return one.counter === other.counter && one.timestamp === other.timestamp;
}
