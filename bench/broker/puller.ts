// One connection that holds a pull on each queue and asks again as soon as it is answered. Each body begins with the time of its sending.

import { decodeFrame, encodeFrame } from '#dist/protocol/frame-codec.js';
import { createRequest } from '#dist/protocol/remoting-command.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import { FrameSocket } from './frame-socket.js';
import type { LoadCase } from './load-case.js';
import type { Meter } from './meter.js';
import { nowNs } from './producer.js';

const GROUP = 'bench_consumer';
/** Suspend, and a subscription in the request. */
const SYS_FLAG = 2 | 4;
const HOLD_MS = 15_000;
const PULL_MESSAGES = 32;
const BODY_LENGTH_POSITION = 84;
const FOUND = 0;

export class Puller {
  readonly #case: LoadCase;
  readonly #meter: Meter;
  #socket: FrameSocket | null = null;
  #isStopped = false;

  constructor(loadCase: LoadCase, meter: Meter) {
    this.#case = loadCase;
    this.#meter = meter;
  }

  async start(): Promise<void> {
    this.#socket = await FrameSocket.open(
      this.#case.port,
      (frame) => this.#onFrame(frame),
      () => {},
      this.#case.host,
    );
    for (let queueId = 0; queueId < this.#case.queues; queueId++) {
      const ask = createRequest(RequestCode.GET_MAX_OFFSET, {
        topic: this.#case.topic,
        queueId: String(queueId),
      });
      ask.opaque = this.#case.queues + queueId;
      this.#socket.send(encodeFrame(ask));
    }
    this.#socket.flush();
  }

  stop(): void {
    this.#isStopped = true;
  }

  close(): void {
    this.#socket?.close();
  }

  #onFrame(frame: Buffer): void {
    const { opaque, code, extFields, body } = decodeFrame(frame);
    if (opaque >= this.#case.queues) {
      this.#pull(opaque - this.#case.queues, extFields?.['offset'] ?? '0');
      return;
    }
    if (code === FOUND && body !== null) this.#take(body);
    this.#pull(opaque, extFields?.['nextBeginOffset'] ?? '0');
  }

  #pull(queueId: number, queueOffset: string): void {
    if (this.#isStopped) return;
    const pull = createRequest(RequestCode.PULL_MESSAGE, {
      consumerGroup: GROUP,
      topic: this.#case.topic,
      queueId: String(queueId),
      queueOffset,
      maxMsgNums: String(PULL_MESSAGES),
      sysFlag: String(SYS_FLAG),
      commitOffset: '0',
      suspendTimeoutMillis: String(HOLD_MS),
      subscription: '*',
      subVersion: '0',
      expressionType: 'TAG',
    });
    pull.opaque = queueId;
    this.#socket?.send(encodeFrame(pull));
  }

  #take(records: Buffer): void {
    const now = nowNs();
    for (let at = 0; at < records.length; at += records.readInt32BE(at)) {
      if (!this.#meter.isMeasuring) continue;
      const sentAt = records.readDoubleBE(at + BODY_LENGTH_POSITION + 4);
      this.#meter.received++;
      this.#meter.record(now - sentAt, 1);
    }
  }
}
