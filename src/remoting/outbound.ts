// Room: remoting. Main thread. The sending side of one connection. HOT (bench/02): small frames are copied into one batch that
// leaves by one write when the tick ends; large ones go to the socket at once. No closure, promise or allocation per frame.
//
//   send ──► batch (64 KiB, pooled) ──nextTick──► send(2) ──rest──► socket.write ──► kernel
//
// Always holds: bytes leave in the order of the calls; send(2) is used only while Node's socket has nothing queued, so the two
// ways can not overtake one another; a batch goes back to the pool only when the kernel has all of it.

import type { Socket } from 'node:net';
import { OUTBOUND_PAUSE_BYTES, OUTBOUND_STALL_TIMEOUT_MS } from '../base/limits.js';
import type { NativeSend } from './frame-handler.js';

const BATCH_BYTES = 64 * 1024;
/** Larger frames are not copied into a batch. */
const BATCHED_FRAME_BYTES = 16 * 1024;
const POOLED_BATCHES = 64;
/** A peer that has so much coming and reads nothing is closed without waiting for the stall. */
const OUTBOUND_CLOSE_BYTES = 2 * OUTBOUND_PAUSE_BYTES;

/** The part of a TCP handle that is used; null once the socket is destroyed, so a reused descriptor is never written to. */
interface TcpHandle {
  readonly fd?: number;
  readonly writeQueueSize?: number;
}

const pool: Buffer[] = [];
let dirty: Outbound[] = [];
let flushing: Outbound[] = [];

export class Outbound {
  #socket: Socket;
  #nativeSend: NativeSend | null;
  #batch: Buffer | null = null;
  #batchLength = 0;
  #closed = false;
  #lastQueuedBytes = 0;
  #lastKernelBytes = 0;
  #progressMs = 0;
  /** Bytes handed in since the connection began. */
  sentBytes = 0;

  constructor(socket: Socket, nativeSend: NativeSend | null) {
    this.#socket = socket;
    this.#nativeSend = nativeSend;
  }

  /** From here on everything goes through the TLS socket. */
  useTls(socket: Socket): void {
    this.flush();
    this.#socket = socket;
    this.#nativeSend = null;
  }

  /** Bytes that the kernel has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength + this.#batchLength;
  }

  get mustPause(): boolean {
    return this.#socket.writableLength > OUTBOUND_PAUSE_BYTES;
  }

  get mustClose(): boolean {
    return this.#socket.writableLength > OUTBOUND_CLOSE_BYTES;
  }

  /** The frame is not changed by the caller any more. */
  send(frame: Buffer): void {
    if (frame.length <= BATCHED_FRAME_BYTES) {
      this.#append(frame, 0, frame.length);
    } else {
      this.flush();
      this.#write(frame, 0, frame.length, false);
    }
  }

  /** The memory is the caller's again when this returns. */
  sendFrom(memory: Buffer, start: number, length: number): void {
    if (length <= BATCHED_FRAME_BYTES) {
      this.#append(memory, start, length);
    } else {
      this.flush();
      this.#write(memory, start, length, true);
    }
  }

  flush(): void {
    const batch = this.#batch;
    if (batch === null) return;
    const length = this.#batchLength;
    this.#batch = null;
    this.#batchLength = 0;
    if (this.#closed || this.#write(batch, 0, length, false)) giveBatch(batch);
  }

  close(): void {
    this.#closed = true;
  }

  /** True when bytes are waiting and none of them has moved for the stall timeout. Called once a second. */
  isStalled(nowMs: number): boolean {
    const queued = this.#socket.writableLength;
    const kernel = this.#handle()?.writeQueueSize ?? 0;
    if (queued === 0 || queued !== this.#lastQueuedBytes || kernel !== this.#lastKernelBytes) {
      this.#lastQueuedBytes = queued;
      this.#lastKernelBytes = kernel;
      this.#progressMs = nowMs;
    }
    return nowMs - this.#progressMs >= OUTBOUND_STALL_TIMEOUT_MS;
  }

  /** The stall timeout begins anew. */
  forgive(nowMs: number): void {
    this.#progressMs = nowMs;
  }

  #append(bytes: Buffer, start: number, length: number): void {
    if (this.#batch !== null && BATCH_BYTES - this.#batchLength < length) this.flush();
    let batch = this.#batch;
    if (batch === null) {
      batch = takeBatch();
      this.#batch = batch;
      markDirty(this);
    }
    bytes.copy(batch, this.#batchLength, start, start + length);
    this.#batchLength += length;
  }

  /** True when the kernel has all of it. */
  #write(bytes: Buffer, start: number, length: number, mustCopy: boolean): boolean {
    if (this.#closed) return true;
    this.sentBytes += length;
    let sent = 0;
    const nativeSend = this.#nativeSend;
    if (nativeSend !== null && this.#socket.writableLength === 0) {
      const fd = this.#handle()?.fd ?? -1;
      if (fd >= 0) {
        sent = nativeSend(fd, bytes, start, length);
        if (sent === length) return true;
        // A full socket buffer, or an error that the socket meets again and reports itself.
        if (sent < 0) sent = 0;
      }
    }
    const rest = bytes.subarray(start + sent, start + length);
    this.#socket.write(mustCopy ? Buffer.from(rest) : rest);
    return this.#socket.writableLength === 0;
  }

  #handle(): TcpHandle | null {
    return (this.#socket as unknown as { _handle: TcpHandle | null })._handle;
  }
}

function markDirty(outbound: Outbound): void {
  dirty.push(outbound);
  if (dirty.length === 1) process.nextTick(flushDirty);
}

/** Flushing may close connections, whose listeners may send elsewhere: that starts a list of its own. */
function flushDirty(): void {
  const batch = dirty;
  dirty = flushing;
  flushing = batch;
  for (const outbound of batch) outbound.flush();
  batch.length = 0;
}

function takeBatch(): Buffer {
  return pool.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
}

function giveBatch(batch: Buffer): void {
  if (pool.length < POOLED_BATCHES) pool.push(batch);
}
