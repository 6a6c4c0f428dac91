// Room: remoting. Main thread (and a user's process). One connection per address, dialled on demand, shared by all requests.
// Always holds: a request is settled within its timeout, dialling included; after a failed dial the address is left alone for a
// while, so that a server that is down costs its callers an error at once and nobody a storm.

import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.js';
import { cometError, isCometError } from '../base/errors.js';
import { CONNECT_TIMEOUT_MS, IDLE_TIMEOUT_MS } from '../base/limits.js';
import { getLogger } from '../base/logger.js';
import { splitHostPort } from '../base/net-address.js';
import type { RemotingCommand } from '../protocol/remoting-command.js';
import { Connection, type ConnectionContext } from './connection.js';
import type { NativeSend } from './frame-handler.js';
import { RateLimitedLog } from './rate-limited-log.js';
import { DispatchingFrameHandler, RequestDispatcher } from './request-dispatcher.js';
import type { RpcHook } from './rpc-hook.js';
import { clientTlsOptions, type TlsClientOptions } from './tls.js';

const FIRST_BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 1000;
const CHECK_INTERVAL_MS = 1000;
const KEEP_ALIVE_DELAY_MS = 60_000;

export interface RemotingClientOptions {
  readonly connectTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly tls?: TlsClientOptions | null;
  readonly hooks?: readonly RpcHook[];
  readonly clock?: Clock;
  readonly nativeSend?: NativeSend | null;
}

interface Peer {
  connection: Connection | null;
  dialling: Promise<Connection> | null;
  failures: number;
  retryAtMs: number;
  lastError: string;
}

export class RemotingClient {
  readonly #peers = new Map<string, Peer>();
  readonly #options: RemotingClientOptions;
  readonly #clock: Clock;
  readonly #hooks: readonly RpcHook[];
  readonly #context: ConnectionContext;
  #handler = new DispatchingFrameHandler(new RequestDispatcher());
  #timer: NodeJS.Timeout | null = null;
  #nextId = 1;
  #isClosed = false;

  constructor(options: RemotingClientOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#hooks = options.hooks ?? [];
    this.#context = {
      handler: {
        onFrame: (connection, frame) => this.#handler.onFrame(connection, frame),
      },
      clock: this.#clock,
      idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
      nativeSend: options.nativeSend ?? null,
      strangers: new RateLimitedLog(getLogger('remoting'), this.#clock),
      tls: null,
      partialBytes: 0,
    };
  }

  /** Who serves the requests that servers send to us. */
  setRequestHandler(dispatcher: RequestDispatcher): void {
    this.#handler = new DispatchingFrameHandler(dispatcher);
  }

  /** Rejects with CONNECT_FAILED, CONNECTION_CLOSED, REQUEST_TIMEOUT or the signal's reason; an answer with an error code resolves. */
  async invoke(
    addr: string,
    command: RemotingCommand,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<RemotingCommand> {
    signal?.throwIfAborted();
    const deadlineMs = this.#clock.monotonicMs() + timeoutMs;
    const connection = await this.#connection(addr, timeoutMs);
    signal?.throwIfAborted();
    for (const hook of this.#hooks) hook.before(addr, command);
    const sentMs = this.#clock.monotonicMs();
    const answer = connection.invoke(command, Math.max(1, deadlineMs - sentMs));
    const { opaque } = command;
    const onAbort = () => connection.cancel(opaque, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const response = await answer;
      for (const hook of this.#hooks) hook.after?.(addr, command, response);
      return response;
    } catch (error) {
      // Not one byte since the request left: the connection may be half open, and a new one tells.
      if (isCometError(error, 'REQUEST_TIMEOUT') && connection.lastReadMs < sentMs) {
        connection.close('no sign of life');
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async invokeOneway(addr: string, command: RemotingCommand): Promise<void> {
    const connection = await this.#connection(addr, this.#connectTimeoutMs());
    for (const hook of this.#hooks) hook.before(addr, command);
    connection.invokeOneway(command);
    for (const hook of this.#hooks) hook.after?.(addr, command, null);
  }

  /** Whether a connection stands, without dialling. */
  isConnected(addr: string): boolean {
    return this.#peers.get(addr)?.connection?.isClosed === false;
  }

  /** Closes the connection to one address; the next request dials anew. */
  disconnect(addr: string, reason: string): void {
    this.#peers.get(addr)?.connection?.close(reason);
  }

  /** Sends what is queued and closes all connections; later requests fail. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const peer of this.#peers.values()) peer.connection?.close('the client is closed');
    this.#peers.clear();
  }

  async #connection(addr: string, timeoutMs: number): Promise<Connection> {
    if (this.#isClosed) throw cometError('SHUTDOWN', 'the client is closed');
    const peer = this.#peer(addr);
    if (peer.connection !== null && !peer.connection.isClosed) return peer.connection;
    if (peer.dialling === null) {
      const waitMs = peer.retryAtMs - this.#clock.monotonicMs();
      if (waitMs > 0) {
        const detail = `${addr} (${peer.lastError}; next try in ${Math.ceil(waitMs)} ms)`;
        throw cometError('CONNECT_FAILED', detail);
      }
      peer.dialling = this.#dial(addr, peer).finally(() => {
        peer.dialling = null;
      });
    }
    return within(peer.dialling, timeoutMs, `${addr} was not reached within ${timeoutMs} ms`);
  }

  #peer(addr: string): Peer {
    let peer = this.#peers.get(addr);
    if (peer === undefined) {
      peer = { connection: null, dialling: null, failures: 0, retryAtMs: 0, lastError: '' };
      this.#peers.set(addr, peer);
    }
    return peer;
  }

  async #dial(addr: string, peer: Peer): Promise<Connection> {
    try {
      const socket = await this.#openSocket(addr);
      if (this.#isClosed) {
        socket.destroy();
        throw cometError('SHUTDOWN', 'the client was closed');
      }
      const connection = new Connection(this.#nextId++, socket, this.#context);
      peer.connection = connection;
      peer.failures = 0;
      peer.retryAtMs = 0;
      this.#startChecks();
      return connection;
    } catch (error) {
      peer.failures++;
      peer.lastError = error instanceof Error ? error.message : String(error);
      const backOffMs = Math.min(FIRST_BACK_OFF_MS * 2 ** (peer.failures - 2), MAX_BACK_OFF_MS);
      if (peer.failures > 1) peer.retryAtMs = this.#clock.monotonicMs() + backOffMs;
      throw isCometError(error)
        ? error
        : cometError('CONNECT_FAILED', `${addr} (${peer.lastError})`, error);
    }
  }

  #openSocket(addr: string): Promise<Socket> {
    const { host, port } = splitHostPort(addr);
    const { tls } = this.#options;
    const limitMs = this.#connectTimeoutMs();
    return new Promise((resolve, reject) => {
      const plain = { host, port, noDelay: true, keepAlive: true };
      const timing = { ...plain, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS };
      const socket: Socket =
        tls == null ? connectTcp(timing) : connectTls({ ...timing, ...clientTlsOptions(tls) });
      const timer = setTimeout(() => {
        socket.destroy(new Error(`no connection within ${limitMs} ms`));
      }, limitMs);
      const onError = (error: Error) => {
        clearTimeout(timer);
        reject(error);
      };
      socket.once('error', onError);
      socket.once(tls == null ? 'connect' : 'secureConnect', () => {
        clearTimeout(timer);
        socket.off('error', onError);
        resolve(socket);
      });
    });
  }

  #connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  }

  #startChecks(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => {
      const nowMs = this.#clock.monotonicMs();
      for (const { connection } of this.#peers.values()) {
        if (connection !== null && !connection.isClosed) connection.check(nowMs);
      }
    }, CHECK_INTERVAL_MS);
    this.#timer.unref();
  }
}

/** The promise, or REQUEST_TIMEOUT; the promise goes on for whoever else waits for it. */
function within<T>(promise: Promise<T>, timeoutMs: number, detail: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(cometError('REQUEST_TIMEOUT', detail)), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
