// Room: remoting. Main thread. One socket: frames in, batches out, requests of ours and their answers. HOT (bench/02): nothing is
// allocated per frame but what the cutter's view costs.
// Always holds: after close() no frame is handed on and no byte is sent; onClose is told exactly once; frames reach the handler in
// the order in which they came, those that it refused included.

import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../base/clock.js';
import { isCometError } from '../base/errors.js';
import { MAX_PARTIAL_FRAME_BYTES } from '../base/limits.js';
import { addressBytes, formatAddress } from '../base/net-address.js';
import { encodeFrame, peekRequestCode } from '../protocol/frame-codec.js';
import { FrameCutter } from '../protocol/frame-cutter.js';
import { markOneway, type RemotingCommand } from '../protocol/remoting-command.js';
import type { FrameHandler, NativeSend } from './frame-handler.js';
import { Outbound } from './outbound.js';
import type { RateLimitedLog } from './rate-limited-log.js';
import { ResponseTable } from './response-table.js';
import type { TlsPolicy } from './tls.js';
import { readIntoSharedBuffer } from './user-buffer.js';

/** A frame that has begun must be whole after so long, however slowly its bytes drip. */
const FRAME_DEADLINE_MS = 60_000;
/** After this a closing socket does not wait for its last bytes any more. */
const CLOSE_GRACE_MS = 1000;

const PAUSED_BY_HANDLER = 1;
const PAUSED_BY_OUTBOUND = 2;

const TLS_HANDSHAKE_BYTE = 0x16;

/** What all connections of a server or client share. */
export interface ConnectionContext {
  readonly handler: FrameHandler;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly nativeSend: NativeSend | null;
  readonly strangers: RateLimitedLog;
  /** Null where no peeking at the first byte is wanted: on a client. */
  readonly tls: TlsPolicy | null;
  /** Bytes of incomplete frames over all of them. */
  partialBytes: number;
}

export class Connection {
  readonly id: number;
  /** "ip:port". */
  readonly remoteAddress: string;
  /** 4 or 16 bytes. */
  readonly remoteHost: Buffer;
  readonly remotePort: number;
  readonly attributes = new Map<string, unknown>();
  readonly #context: ConnectionContext;
  readonly #responses: ResponseTable;
  readonly #cutter = new FrameCutter();
  readonly #outbound: Outbound;
  readonly #closeListeners: (() => void)[] = [];
  /** Copies of frames that the handler could not take, in their order. */
  #refused: Buffer[] = [];
  #isRefusing = false;
  #socket: Socket;
  #isClosed = false;
  #isIdentified: boolean;
  #triedSharedBuffer = false;
  #paused = 0;
  #pendingBytes = 0;
  #pendingSinceMs = 0;
  #lastReadMs: number;
  #lastActiveMs: number;
  #lastSentBytes = 0;
  #nextOpaque = 0;

  constructor(id: number, socket: Socket, context: ConnectionContext) {
    this.id = id;
    this.#socket = socket;
    this.#context = context;
    this.remoteHost = addressBytes(socket.remoteAddress ?? '0.0.0.0');
    this.remotePort = socket.remotePort ?? 0;
    this.remoteAddress = formatAddress(this.remoteHost, this.remotePort);
    this.#responses = new ResponseTable(this.remoteAddress, context.clock);
    const isTls = socket instanceof TLSSocket;
    this.#outbound = new Outbound(socket, isTls ? null : context.nativeSend);
    this.#isIdentified = context.tls === null;
    this.#lastReadMs = context.clock.monotonicMs();
    this.#lastActiveMs = this.#lastReadMs;
    this.#listen(socket);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that the peer has not taken yet. */
  get outboundBytes(): number {
    return this.#outbound.queuedBytes;
  }

  /** Leaves with everything else of this tick. The frame must not be changed any more. */
  send(frame: Buffer): void {
    if (this.#isClosed) return;
    this.#outbound.send(frame);
    if (this.#outbound.mustPause) this.#holdBack();
  }

  /** As send, from memory that is the caller's again when this returns. */
  sendFrom(memory: Buffer, start: number, length: number): void {
    if (this.#isClosed) return;
    this.#outbound.sendFrom(memory, start, length);
    if (this.#outbound.mustPause) this.#holdBack();
  }

  pauseReading(): void {
    this.#pause(PAUSED_BY_HANDLER);
  }

  /** First hands on the frames that were refused; they may be refused again. */
  resumeReading(): void {
    const frames = this.#refused;
    this.#refused = [];
    this.#isRefusing = false;
    try {
      for (const frame of frames) this.#onFrame(frame);
    } catch (error) {
      this.#onMalformed(error);
    }
    if (!this.#isRefusing) this.#resume(PAUSED_BY_HANDLER);
  }

  /** Inside onFrame: the frame could not be taken. It and all later ones come again after resumeReading(). */
  refuseFrame(): void {
    this.#isRefusing = true;
    this.#pause(PAUSED_BY_HANDLER);
  }

  /** Rejects with REQUEST_TIMEOUT or CONNECTION_CLOSED; numbers the command. */
  invoke(command: RemotingCommand, timeoutMs: number): Promise<RemotingCommand> {
    this.#number(command);
    const answer = this.#responses.wait(command, timeoutMs);
    if (this.#isClosed) this.#responses.failAll('closed before');
    else this.send(encodeFrame(command));
    return answer;
  }

  invokeOneway(command: RemotingCommand): void {
    this.#number(command);
    markOneway(command);
    this.send(encodeFrame(command));
  }

  /** For whoever decodes frames: an answer to invoke(). The body must outlive the frame. */
  completeResponse(response: RemotingCommand): boolean {
    return this.#responses.complete(response);
  }

  /** Gives up waiting for the answer to a command that invoke() numbered. */
  cancel(opaque: number, reason: unknown): void {
    this.#responses.fail(opaque, reason);
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#closeListeners.push(listener);
  }

  /** Sends what is queued, then closes. */
  close(reason: string): void {
    if (this.#isClosed) return;
    this.#outbound.flush();
    this.#finish(reason);
    const socket = this.#socket;
    socket.destroySoon();
    if (!socket.destroyed) setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  }

  /** Once a second: closes what is idle, stalled or drips. */
  check(nowMs: number): void {
    if (this.#outbound.sentBytes !== this.#lastSentBytes) {
      this.#lastSentBytes = this.#outbound.sentBytes;
      this.#lastActiveMs = nowMs;
    }
    const activeMs = Math.max(this.#lastActiveMs, this.#lastReadMs);
    if (nowMs - activeMs >= this.#context.idleTimeoutMs) {
      this.close(`idle for ${Math.round(nowMs - activeMs)} ms`);
    } else if (this.#outbound.isStalled(nowMs)) {
      this.#destroy(`the peer reads nothing (${this.#outbound.queuedBytes} bytes wait)`);
    } else if (this.#pendingBytes > 0 && nowMs - this.#pendingSinceMs >= FRAME_DEADLINE_MS) {
      this.#destroy(`a frame is not whole after ${FRAME_DEADLINE_MS} ms`);
    }
  }

  /** After the whole process stood still: nobody is to blame for the silence. */
  forgive(nowMs: number): void {
    this.#lastActiveMs = nowMs;
    this.#pendingSinceMs = nowMs;
    this.#outbound.forgive(nowMs);
  }

  /** When bytes last came, on the monotonic clock. */
  get lastReadMs(): number {
    return this.#lastReadMs;
  }

  #number(command: RemotingCommand): void {
    command.opaque = this.#nextOpaque;
    this.#nextOpaque = (this.#nextOpaque + 1) & 0x7fff_ffff;
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('drain', () => this.#resume(PAUSED_BY_OUTBOUND));
    socket.on('error', (error) => this.#finish(error.message));
    socket.on('_tlsError', (error: Error) => this.#finish(error.message));
    socket.on('close', () => this.#finish('closed by the peer'));
  }

  #onData(chunk: Buffer): void {
    this.#lastReadMs = this.#context.clock.monotonicMs();
    if (this.#isClosed || (!this.#isIdentified && !this.#identify(chunk))) return;
    if (!this.#triedSharedBuffer) this.#shareBuffer();
    try {
      this.#cutter.push(chunk, this.#onFrame);
    } catch (error) {
      this.#onMalformed(error);
    }
    this.#countPending();
  }

  /** After the first bytes, when it is known that they are not TLS. */
  #shareBuffer(): void {
    this.#triedSharedBuffer = true;
    if (this.#socket instanceof TLSSocket) return;
    readIntoSharedBuffer(this.#socket, (chunk) => this.#onData(chunk));
  }

  readonly #onFrame = (frame: Buffer): void => {
    this.#pendingSinceMs = this.#lastReadMs;
    if (this.#isClosed) return;
    if (!this.#isRefusing) {
      this.#context.handler.onFrame(this, frame, peekRequestCode(frame, 0));
      if (!this.#isRefusing) return;
    }
    this.#refused.push(Buffer.from(frame));
  };

  /** What the peer sent can not be understood: its connection ends, and nothing else is touched. */
  #onMalformed(error: unknown): void {
    if (!isCometError(error)) throw error;
    this.#context.strangers.warn(`closing ${this.remoteAddress}: ${error.message}`);
    this.#destroy(error.message);
  }

  /** Looks at the first byte, as Java does: a TLS record or the length word of a frame. False when the chunk went elsewhere. */
  #identify(chunk: Buffer): boolean {
    this.#isIdentified = true;
    const tls = this.#context.tls;
    const isTls = chunk[0] === TLS_HANDSHAKE_BYTE;
    if (tls === null || (!isTls && tls.mode !== 'enforcing')) return true;
    if (isTls && tls.mode !== 'disabled') {
      this.#startTls(chunk, tls);
    } else {
      const reason = isTls ? 'TLS, which is disabled here' : 'no TLS, which is required here';
      this.#context.strangers.warn(`closing ${this.remoteAddress}: the peer speaks ${reason}`);
      this.#destroy(reason);
    }
    return false;
  }

  #startTls(firstChunk: Buffer, tls: TlsPolicy): void {
    const plain = this.#socket;
    plain.removeAllListeners('data');
    plain.pause();
    plain.unshift(firstChunk);
    const secure = tls.wrap(plain);
    this.#socket = secure;
    this.#outbound.useTls(secure);
    this.#listen(secure);
  }

  #countPending(): void {
    const pending = this.#isClosed ? 0 : this.#cutter.pendingBytes;
    if (pending === this.#pendingBytes) return;
    if (this.#pendingBytes === 0) this.#pendingSinceMs = this.#lastReadMs;
    this.#context.partialBytes += pending - this.#pendingBytes;
    this.#pendingBytes = pending;
    if (this.#context.partialBytes > MAX_PARTIAL_FRAME_BYTES) {
      this.#destroy('too many bytes of incomplete frames over all connections');
    }
  }

  #holdBack(): void {
    if (this.#outbound.mustClose) this.#destroy('the peer does not read what it asked for');
    else this.#pause(PAUSED_BY_OUTBOUND);
  }

  #pause(why: number): void {
    if (this.#paused === 0) this.#socket.pause();
    this.#paused |= why;
  }

  #resume(why: number): void {
    if ((this.#paused & why) === 0) return;
    this.#paused &= ~why;
    if (this.#paused === 0 && !this.#isClosed) this.#socket.resume();
  }

  #destroy(reason: string): void {
    this.#finish(reason);
    this.#socket.destroy();
  }

  #finish(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#outbound.close();
    this.#cutter.stop();
    this.#refused = [];
    this.#countPending();
    this.#responses.failAll(reason);
    this.#context.handler.onClose?.(this, reason);
    for (const listener of this.#closeListeners) listener();
  }
}
