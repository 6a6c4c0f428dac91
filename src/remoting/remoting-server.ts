// Room: remoting. Main thread. Listens, makes a Connection of each socket, and looks after them all once a second.
// Always holds: no peer's doing ends the process: lack of descriptors (EMFILE) costs the newest connection only, and accepting goes
// on; after a standstill of the whole process nobody is closed for having been silent.

import { createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '../base/clock.js';
import { cometError } from '../base/errors.js';
import { IDLE_TIMEOUT_MS, MAX_CONNECTIONS } from '../base/limits.js';
import { getLogger } from '../base/logger.js';
import { Connection, type ConnectionContext } from './connection.js';
import type { FrameHandler, NativeSend } from './frame-handler.js';
import { RateLimitedLog } from './rate-limited-log.js';
import { TlsPolicy, type TlsServerConfig } from './tls.js';

const CHECK_INTERVAL_MS = 1000;
/** A check that comes so late means that the process stood still. */
const STANDSTILL_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 60_000;
const DEFAULT_BACKLOG = 1024;

export interface RemotingServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handler: FrameHandler;
  readonly idleTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly backlog?: number;
  /** Absent: no TLS. */
  readonly tls?: TlsServerConfig;
  readonly clock?: Clock;
  readonly nativeSend?: NativeSend | null;
  /** Numbers connections where several servers share their handler; each server counts from 1 otherwise. */
  readonly nextConnectionId?: () => number;
}

export class RemotingServer {
  readonly #options: RemotingServerOptions;
  readonly #context: ConnectionContext;
  readonly #connections = new Set<Connection>();
  readonly #clock: Clock;
  readonly #strangers: RateLimitedLog;
  readonly #server: Server;
  #checkTimer: NodeJS.Timeout | null = null;
  #lastCheckMs = 0;
  #nextId = 1;
  #port = 0;

  constructor(options: RemotingServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#strangers = new RateLimitedLog(getLogger('remoting'), this.#clock);
    const { handler } = options;
    this.#context = {
      handler: {
        onFrame: (connection, frame, code) => handler.onFrame(connection, frame, code),
        onClose: (connection, reason) => {
          this.#connections.delete(connection);
          handler.onClose?.(connection, reason);
        },
      },
      clock: this.#clock,
      idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
      nativeSend: options.nativeSend ?? null,
      strangers: this.#strangers,
      tls: options.tls === undefined ? null : new TlsPolicy(options.tls, this.#clock),
      partialBytes: 0,
    };
    this.#server = createServer(
      { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS },
      (socket) => this.#onSocket(socket),
    );
    this.#server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
    this.#server.on('drop', () => this.#strangers.warn('too many connections: one was dropped'));
  }

  /** The port it listens on, the chosen one when 0 was asked for. */
  get port(): number {
    return this.#port;
  }

  connections(): Iterable<Connection> {
    return this.#connections;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Rejects with CONFIG_INVALID when the address can not be listened on. */
  async start(): Promise<void> {
    await this.#listen();
    // From here on an error is one failed accept: too few descriptors, as a rule. libuv has closed that connection.
    this.#server.on('error', (error) =>
      this.#strangers.warn(`a connection could not be accepted: ${error.message}`),
    );
    this.#lastCheckMs = this.#clock.monotonicMs();
    this.#checkTimer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
    this.#checkTimer.unref();
  }

  /** Closes what is idle or stalled; runs by itself once a second. */
  check(): void {
    const nowMs = this.#clock.monotonicMs();
    const stoodStill = nowMs - this.#lastCheckMs > STANDSTILL_MS;
    this.#lastCheckMs = nowMs;
    for (const connection of this.#connections) {
      if (stoodStill) connection.forgive(nowMs);
      else connection.check(nowMs);
    }
  }

  /** Stops listening, sends what is queued, closes all connections. */
  async shutdown(): Promise<void> {
    if (this.#checkTimer !== null) clearInterval(this.#checkTimer);
    this.#checkTimer = null;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of [...this.#connections]) connection.close('the server shuts down');
    await closed;
  }

  #listen(): Promise<void> {
    const { host, port, backlog } = this.#options;
    const server = this.#server;
    return new Promise((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException) => {
        const detail = `can not listen on ${host}:${port} (${error.code ?? error.message})`;
        reject(cometError('CONFIG_INVALID', detail, error));
      };
      server.once('error', onError);
      server.listen({ host, port, backlog: backlog ?? DEFAULT_BACKLOG }, () => {
        server.off('error', onError);
        const address = server.address();
        this.#port = address !== null && typeof address === 'object' ? address.port : port;
        resolve();
      });
    });
  }

  #onSocket(socket: Socket): void {
    const connection = new Connection(
      this.#options.nextConnectionId?.() ?? this.#nextId++,
      socket,
      this.#context,
    );
    this.#connections.add(connection);
    this.#options.handler.onConnect?.(connection);
  }
}
