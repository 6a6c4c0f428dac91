// Room: workers; runs on main. Main's end of the ring into one worker. Hot: a frame is copied into the ring and published, and the
// worker is woken if it sleeps. When the ring is full the frame is refused and its socket is not read from any more: back-pressure
// reaches the client, nothing is dropped, and the order of what one connection sent is kept.

import { copyBytes } from '../native/copy-bytes.js';
import type { Connection } from '../remoting/connection.js';
import type { SpscRing } from '../ring/spsc-ring.js';
import type { WakeWord } from '../ring/wake-word.js';
import type { MessageToPut } from '../store/message-store.js';
import { putSize, writePut } from './put-record.js';
import { ORIGIN_BYTES, ORIGIN_IPV6, ORIGIN_SEEN, ToWorker } from './ring-records.js';

interface Waiting {
  readonly kind: number;
  readonly payload: Buffer;
}

const ARRIVAL_MASK = 0x7fff_ffff;

export class HandOver {
  readonly #ring: SpscRing;
  readonly #wake: WakeWord;
  readonly #nowMs: () => number;
  /** Main's own records that found no room. */
  #backlog: Waiting[] = [];
  /** Connections whose frame was refused; they are read again when there is room. */
  #refused = new Set<Connection>();

  constructor(ring: SpscRing, wake: WakeWord, nowMs: () => number) {
    this.#ring = ring;
    this.#wake = wake;
    this.#nowMs = nowMs;
  }

  /** Called inside onFrame. A frame that finds no room is refused: the connection keeps it and is not read from. */
  frame(connection: Connection, frame: Buffer): void {
    if (this.offerFrame(connection, frame, false)) return;
    connection.refuseFrame();
    this.#refused.add(connection);
  }

  /** A frame that comes back from an escalation, with the tables as they are now; it waits here when there is no room. */
  frameAgain(connection: Connection, frame: Buffer): void {
    if (this.offerFrame(connection, frame, true)) return;
    const payload = Buffer.alloc(ORIGIN_BYTES + frame.length);
    this.#writeFrame(payload, 0, connection, frame, true);
    this.#backlog.push({ kind: ToWorker.FRAME, payload });
  }

  offerFrame(connection: Connection, frame: Buffer, seen: boolean): boolean {
    const size = ORIGIN_BYTES + frame.length;
    const at = this.#backlog.length === 0 ? this.#ring.claim(size) : -1;
    if (at < 0) return false;
    this.#writeFrame(this.#ring.bytes, at, connection, frame, seen);
    this.#ring.commit(ToWorker.FRAME, size);
    this.#ring.publish();
    this.#wake.wake();
    return true;
  }

  /** Puts in their order, with one wake for all of them. */
  put(firstRequestId: number, messages: readonly MessageToPut[]): void {
    for (const [i, message] of messages.entries()) this.#put(firstRequestId + i, message);
    this.#ring.publish();
    this.#wake.wake();
  }

  table(change: unknown): void {
    this.#send(ToWorker.TABLE, Buffer.from(JSON.stringify(change), 'utf8'));
  }

  command(requestId: number, command: unknown): void {
    const json = Buffer.from(JSON.stringify(command), 'utf8');
    const payload = Buffer.alloc(8 + json.length);
    payload.writeInt32LE(requestId, 0);
    json.copy(payload, 8);
    this.#send(ToWorker.COMMAND, payload);
  }

  connectionClosed(connectionId: number): void {
    this.#send(ToWorker.CLOSED, twoWords(connectionId, 0));
  }

  rangeDone(id: number, isDone: boolean): void {
    this.#send(ToWorker.RANGE_DONE, twoWords(id, isDone ? 1 : 0));
  }

  /** True while something waits for room. */
  get isWaiting(): boolean {
    return this.#backlog.length > 0 || this.#refused.size > 0;
  }

  /** Hands over what had to wait, as far as there is room now. */
  drain(): void {
    if (!this.isWaiting) return;
    let done = 0;
    for (const waiting of this.#backlog) {
      if (!this.#offer(waiting.kind, waiting.payload)) break;
      done++;
    }
    if (done > 0) this.#backlog = this.#backlog.slice(done);
    if (this.#backlog.length > 0) return;
    const refused = this.#refused;
    this.#refused = new Set();
    for (const connection of refused) if (!connection.isClosed) connection.resumeReading();
  }

  #put(requestId: number, message: MessageToPut): void {
    const size = putSize(message);
    const at = this.#backlog.length === 0 ? this.#ring.claim(size) : -1;
    if (at < 0) {
      const payload = Buffer.alloc(size);
      writePut(payload, 0, requestId, message);
      this.#backlog.push({ kind: ToWorker.PUT, payload });
      return;
    }
    writePut(this.#ring.bytes, at, requestId, message);
    this.#ring.commit(ToWorker.PUT, size);
  }

  #send(kind: number, payload: Buffer): void {
    if (this.#backlog.length > 0 || !this.#offer(kind, payload))
      this.#backlog.push({ kind, payload });
  }

  #offer(kind: number, payload: Buffer): boolean {
    const at = this.#ring.claim(payload.length);
    if (at < 0) return false;
    payload.copy(this.#ring.bytes, at);
    this.#ring.commit(kind, payload.length);
    this.#ring.publish();
    this.#wake.wake();
    return true;
  }

  #writeFrame(to: Buffer, at: number, connection: Connection, frame: Buffer, seen: boolean): void {
    const host = connection.remoteHost;
    const flags = (host.length === 16 ? ORIGIN_IPV6 : 0) | (seen ? ORIGIN_SEEN : 0);
    to.writeInt32LE(connection.id, at);
    to.writeInt32LE(flags, at + 4);
    to.writeInt32LE(connection.remotePort, at + 8);
    to.writeInt32LE(this.#nowMs() & ARRIVAL_MASK, at + 12);
    for (let i = 0; i < host.length; i++) to[at + 16 + i] = host[i]!;
    copyBytes(to, at + ORIGIN_BYTES, frame, 0, frame.length);
  }
}

function twoWords(first: number, second: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeInt32LE(first, 0);
  payload.writeInt32LE(second, 4);
  return payload;
}
