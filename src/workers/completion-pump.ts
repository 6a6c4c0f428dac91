// Room: workers; runs on main. Takes the answers of the workers out of their rings: replies go to their sockets or are parked until
// durable, escalated frames and results go to the control plane. Turned by main's wake word; a turn is bounded, so that sockets
// get their share. Hot: a reply that waits for nothing is written to its socket straight from the ring.

import type { Connection } from '../remoting/connection.js';
import type { SpscRing } from '../ring/spsc-ring.js';
import type { WakeWord } from '../ring/wake-word.js';
import { PutMessageStatus } from '../store/put-message.js';
import type { ParkedReplies } from './parked-replies.js';
import { decodePutResult, type PutResultRecord } from './put-record.js';
import {
  COMMIT_HEADER_BYTES,
  type EscalationReason,
  EscalationReasons,
  joinWords,
  REPLY_HEADER_BYTES,
  ToMain,
} from './ring-records.js';

const RECORDS_PER_TURN = 2048;
/** Empty turns of the event loop before main may sleep; measured in bench/21-wake-latency. */
const IDLE_TURNS_BEFORE_SLEEP = 2;
/** How long the answer to a single frame is looked for without a pause. */
const LOOK_FOR_SINGLE_MS = 0.04;

export interface PumpHandlers {
  connection(id: number): Connection | undefined;
  /** A reply whose put status is no longer PUT_OK: the same frame with the code that says so. */
  restate(frame: Buffer, status: PutMessageStatus): Buffer;
  onEscalated(reason: EscalationReason, connection: Connection, frame: Buffer): void;
  onPutResult(record: PutResultRecord, status: PutMessageStatus): void;
  onResult(requestId: number, json: string, bytes: Buffer): void;
  onEvent(event: unknown): void;
  onCommitOffset(
    group: string,
    topic: string,
    queueId: number,
    queueOffset: number,
    connectionId: number,
  ): void;
  /** After each turn, when there may be room in the rings again. */
  afterTurn(): void;
  storeFailed(): boolean;
}

export class CompletionPump {
  readonly #rings: readonly SpscRing[];
  readonly #wake: WakeWord;
  readonly #parked: ParkedReplies;
  readonly #handlers: PumpHandlers;
  #running = false;
  #timer: NodeJS.Timeout | null = null;
  /** A turn is on its way by setImmediate. */
  #isScheduled = false;
  #idleTurns = 0;
  /** Frames since the last turn. */
  #handedOver = 0;
  /** Sequence of the wake word that a promise waits to change; -1 for none. */
  #waitsFor = -1;
  readonly #onTurn = (): void => this.#loop();
  readonly #onWake = (): void => {
    this.#waitsFor = -1;
    if (!this.#isScheduled) this.#loop();
  };

  constructor(
    rings: readonly SpscRing[],
    wake: WakeWord,
    parked: ParkedReplies,
    handlers: PumpHandlers,
  ) {
    this.#rings = rings;
    this.#wake = wake;
    this.#parked = parked;
    this.#handlers = handlers;
  }

  start(): void {
    this.#running = true;
    this.#loop();
  }

  stop(): void {
    this.#running = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wake.announce();
    this.#wake.wake();
  }

  /** One bounded turn: the number of records and waits that were done. */
  turn(): number {
    let work = this.#release();
    for (const ring of this.#rings) work += this.#drain(ring);
    this.#handlers.afterTurn();
    return work;
  }

  /**
   * Frames have just been handed over, so main is at work: workers need not wake it, the answers are looked for when the
   * sockets that are readable now have been read.
   */
  expectAnswers(): void {
    this.#handedOver++;
    if (this.#isScheduled || !this.#running) return;
    this.#wake.cancel();
    this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(this.#onTurn);
  }

  #loop(): void {
    this.#isScheduled = false;
    if (!this.#running) return;
    if (this.#handedOver === 1) this.#lookForAnswer();
    this.#handedOver = 0;
    if (this.turn() > 0) {
      this.#idleTurns = 0;
      this.#schedule();
      return;
    }
    if (++this.#idleTurns < IDLE_TURNS_BEFORE_SLEEP) {
      this.#schedule();
      return;
    }
    this.#idleTurns = 0;
    this.#sleep();
  }

  /** A single frame went out, so there is nothing else to do: its answer is a few microseconds away, a wake-up many. */
  #lookForAnswer(): void {
    const untilMs = performance.now() + LOOK_FOR_SINGLE_MS;
    while (this.#rings.every((ring) => ring.isEmpty())) {
      if (performance.now() >= untilMs) return;
    }
  }

  #sleep(): void {
    const sequence = this.#wake.announce();
    if (this.#rings.some((ring) => !ring.isEmpty()) || this.#release() > 0) {
      this.#wake.cancel();
      this.#schedule();
      return;
    }
    this.#armDeadline();
    // One waiter is enough: a sleep that was called off by expectAnswers() still has its own.
    if (this.#waitsFor === sequence) return;
    const woken = this.#wake.waitAsync(sequence);
    if (woken === null) {
      this.#schedule();
      return;
    }
    this.#waitsFor = sequence;
    void woken.then(this.#onWake);
  }

  /** Wakes this thread itself when the oldest wait is due. */
  #armDeadline(): void {
    const dueMs = this.#parked.nextDeadlineMs();
    if (dueMs === Number.POSITIVE_INFINITY || this.#timer !== null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#wake.wake();
      },
      Math.max(1, dueMs),
    );
  }

  #release(): number {
    if (this.#parked.length === 0) return 0;
    if (this.#handlers.storeFailed()) {
      this.#parked.failAll(PutMessageStatus.SERVICE_NOT_AVAILABLE);
      return 1;
    }
    return this.#parked.release();
  }

  #drain(ring: SpscRing): number {
    let records = 0;
    while (records < RECORDS_PER_TURN) {
      const size = ring.peek();
      if (size < 0) break;
      const kind = ring.kind();
      if (kind === ToMain.REPLY) this.#reply(ring, ring.position(), size);
      else this.#other(ring, kind, ring.position(), size);
      ring.next(size);
      records++;
    }
    if (records > 0) ring.release();
    return records;
  }

  #reply(ring: SpscRing, at: number, size: number): void {
    const words = ring.words;
    const word = at >> 2;
    const connection = this.#handlers.connection(words[word]!);
    if (connection === undefined || connection.isClosed) return;
    const waitFor = words[word + 1]!;
    const start = at + REPLY_HEADER_BYTES;
    const length = size - REPLY_HEADER_BYTES;
    if (waitFor === 0) {
      connection.sendFrom(ring.bytes, start, length);
      return;
    }
    const position = joinWords(words[word + 2]!, words[word + 3]!);
    const status = this.#parked.immediate(waitFor, position);
    if (status === PutMessageStatus.PUT_OK && !this.#handlers.storeFailed()) {
      connection.sendFrom(ring.bytes, start, length);
      return;
    }
    const frame = Buffer.from(ring.bytes.subarray(start, start + length));
    const answer = (final: PutMessageStatus): void => {
      connection.send(
        final === PutMessageStatus.PUT_OK ? frame : this.#handlers.restate(frame, final),
      );
    };
    if (status === null) this.#parked.park(waitFor, position, answer);
    else answer(status);
  }

  #other(ring: SpscRing, kind: number, at: number, size: number): void {
    const bytes = ring.bytes;
    switch (kind) {
      case ToMain.ESCALATE: {
        const connection = this.#handlers.connection(bytes.readInt32LE(at));
        const reason = EscalationReasons[bytes.readInt32LE(at + 4)] ?? 'OTHER';
        const frame = Buffer.from(bytes.subarray(at + REPLY_HEADER_BYTES, at + size));
        if (connection !== undefined && !connection.isClosed) {
          this.#handlers.onEscalated(reason, connection, frame);
        }
        break;
      }
      case ToMain.PUT_RESULT:
        this.#putResult(decodePutResult(bytes, at));
        break;
      case ToMain.RESULT: {
        const jsonEnd = at + 8 + bytes.readInt32LE(at + 4);
        const rest = Buffer.from(bytes.subarray(jsonEnd, at + size));
        this.#handlers.onResult(
          bytes.readInt32LE(at),
          bytes.toString('utf8', at + 8, jsonEnd),
          rest,
        );
        break;
      }
      case ToMain.EVENT:
        this.#handlers.onEvent(JSON.parse(bytes.toString('utf8', at, at + size)));
        break;
      case ToMain.COMMIT_OFFSET:
        this.#commitOffset(bytes, at);
        break;
      default:
        throw new Error(`a worker sent a record of unknown kind ${kind}`);
    }
  }

  #putResult(record: PutResultRecord): void {
    if (record.status !== PutMessageStatus.PUT_OK) {
      this.#handlers.onPutResult(record, record.status);
      return;
    }
    const status = this.#parked.immediate(record.waitFor, record.wroteEnd);
    if (status !== null) this.#handlers.onPutResult(record, status);
    else {
      this.#parked.park(record.waitFor, record.wroteEnd, (final) =>
        this.#handlers.onPutResult(record, final),
      );
    }
  }

  #commitOffset(bytes: Buffer, at: number): void {
    const topicEnd = at + COMMIT_HEADER_BYTES + bytes.readInt32LE(at + 4);
    const groupEnd = topicEnd + bytes.readInt32LE(at + 16);
    this.#handlers.onCommitOffset(
      bytes.toString('utf8', topicEnd, groupEnd),
      bytes.toString('utf8', at + COMMIT_HEADER_BYTES, topicEnd),
      bytes.readInt32LE(at),
      joinWords(bytes.readInt32LE(at + 8), bytes.readInt32LE(at + 12)),
      bytes.readInt32LE(at + 20),
    );
  }
}
