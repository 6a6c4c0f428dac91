// Room: workers; runs in a worker. The worker's end of its ring to main: replies, escalated frames, results and events, in the layouts
// of ring-records.ts. claim() comes first, so that a worker never does work whose answer has no room.

import type { SpscRing } from '../ring/spsc-ring.js';
import { highWord, REPLY_HEADER_BYTES, ToMain } from './ring-records.js';

export class ReplyWriter {
  /** Where the frame of the claimed reply begins, in `bytes`. */
  frameAt = 0;
  readonly bytes: Buffer;
  readonly #ring: SpscRing;
  /** Events that found no room; they go first at the next chance. */
  #waitingEvents: Buffer[] = [];

  constructor(ring: SpscRing) {
    this.#ring = ring;
    this.bytes = ring.bytes;
  }

  /** Room for a reply or an escalation of at most that many frame bytes. */
  claim(frameBytes: number): boolean {
    const at = this.claimRaw(REPLY_HEADER_BYTES + frameBytes);
    this.frameAt = at + REPLY_HEADER_BYTES;
    return at >= 0;
  }

  claimRaw(sizeBytes: number): number {
    if (this.#waitingEvents.length > 0 && !this.#flushEvents()) return -1;
    return this.#ring.claim(sizeBytes);
  }

  commitRaw(kind: number, sizeBytes: number): void {
    this.#ring.commit(kind, sizeBytes);
  }

  /** Ends the claimed reply, whose frame has been written at frameAt. */
  reply(connectionId: number, waitFor: number, position: number, frameBytes: number): void {
    const word = (this.frameAt - REPLY_HEADER_BYTES) >> 2;
    const high = highWord(position);
    const words = this.#ring.words;
    words[word] = connectionId;
    words[word + 1] = waitFor;
    words[word + 2] = (position - high * 0x1_0000_0000) | 0;
    words[word + 3] = high;
    this.#ring.commit(ToMain.REPLY, REPLY_HEADER_BYTES + frameBytes);
  }

  /** Ends the claimed record as a frame that goes back to main. */
  escalate(
    connectionId: number,
    reason: number,
    frame: Buffer,
    start: number,
    lengthBytes: number,
  ): void {
    const word = (this.frameAt - REPLY_HEADER_BYTES) >> 2;
    const words = this.#ring.words;
    words[word] = connectionId;
    words[word + 1] = reason;
    words[word + 2] = 0;
    words[word + 3] = 0;
    frame.copy(this.bytes, this.frameAt, start, start + lengthBytes);
    this.#ring.commit(ToMain.ESCALATE, REPLY_HEADER_BYTES + lengthBytes);
  }

  /** The answer to a command; false when there is no room yet. */
  result(requestId: number, answer: unknown, records: readonly Buffer[] | null): boolean {
    const json = Buffer.from(JSON.stringify(answer), 'utf8');
    const bodySize = records === null ? 0 : records.reduce((sum, record) => sum + record.length, 0);
    const size = 8 + json.length + bodySize;
    let at = this.claimRaw(size);
    if (at < 0) return false;
    this.bytes.writeInt32LE(requestId, at);
    this.bytes.writeInt32LE(json.length, at + 4);
    at += 8;
    at += json.copy(this.bytes, at);
    for (const record of records ?? []) at += record.copy(this.bytes, at);
    this.commitRaw(ToMain.RESULT, size);
    return true;
  }

  event(event: unknown): void {
    this.#waitingEvents.push(Buffer.from(JSON.stringify(event), 'utf8'));
    this.#flushEvents();
    this.publish();
  }

  publish(): void {
    this.#ring.publish();
  }

  #flushEvents(): boolean {
    let sent = 0;
    for (const event of this.#waitingEvents) {
      const at = this.#ring.claim(event.length);
      if (at < 0) break;
      event.copy(this.bytes, at);
      this.#ring.commit(ToMain.EVENT, event.length);
      sent++;
    }
    this.#waitingEvents = this.#waitingEvents.slice(sent);
    return this.#waitingEvents.length === 0;
  }
}
