// Room: broker, main thread. One client process as one of its connections shows it, refreshed by each heartbeat.
// Expiry is measured on the monotonic clock; the wall-clock time is there for admin answers only.

import type { Clock } from '../../base/clock.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';

/** What the tables need of a remoting Connection. */
export interface ClientConnection {
  readonly id: number;
  /** ip:port */
  readonly remoteAddress: string;
  /** 4 or 16 bytes. */
  readonly remoteHost: Uint8Array;
  readonly remotePort: number;
  readonly isClosed: boolean;
  close(reason: string): void;
  invoke(command: RemotingCommand, timeoutMs: number): Promise<RemotingCommand>;
  invokeOneway(command: RemotingCommand): void;
  onClose(listener: () => void): void;
}

/** A channel without a heartbeat for longer than this is removed and closed (Java's CHANNEL_EXPIRED_TIMEOUT). */
export const CHANNEL_EXPIRED_TIMEOUT_MS = 120_000;

export class ClientChannelInfo {
  readonly connection: ClientConnection;
  readonly clientId: string;
  readonly language: number;
  readonly version: number;
  lastUpdateTimestamp = 0;
  #lastUpdateMonotonicMs = 0;

  constructor(
    connection: ClientConnection,
    clientId: string,
    language: number,
    version: number,
    clock: Clock,
  ) {
    this.connection = connection;
    this.clientId = clientId;
    this.language = language;
    this.version = version;
    this.touch(clock);
  }

  touch(clock: Clock): void {
    this.lastUpdateTimestamp = clock.nowMs();
    this.#lastUpdateMonotonicMs = clock.monotonicMs();
  }

  isExpired(clock: Clock): boolean {
    return clock.monotonicMs() - this.#lastUpdateMonotonicMs > CHANNEL_EXPIRED_TIMEOUT_MS;
  }
}
