// One connection that keeps a window of requests under way: closed loop, or at a rate as far as the window lets it.

import { peekRequestCode } from '#dist/protocol/frame-codec.js';
import { FrameSocket } from './frame-socket.js';
import type { LoadCase } from './load-case.js';
import type { Meter } from './meter.js';
import { makeSendFrames, slotOf } from './send-frames.js';

const SUCCESS = 0;

export class Producer {
  readonly #frames: Buffer[];
  readonly #sentAtNs: Float64Array;
  readonly #free: number[] = [];
  readonly #case: LoadCase;
  readonly #meter: Meter;
  #socket: FrameSocket | null = null;
  #isStopped = false;
  // With a rate: when the next request is due.
  #dueNs = 0;
  readonly #periodNs: number;

  constructor(loadCase: LoadCase, meter: Meter) {
    this.#case = loadCase;
    this.#meter = meter;
    this.#frames = makeSendFrames(loadCase);
    this.#sentAtNs = new Float64Array(loadCase.window);
    const perConnection = loadCase.rate / loadCase.connections / loadCase.batch;
    this.#periodNs = loadCase.rate === 0 ? 0 : 1e9 / perConnection;
  }

  async start(): Promise<void> {
    this.#socket = await FrameSocket.open(
      this.#case.port,
      (frame) => this.#onResponse(frame),
      () => {},
      this.#case.host,
    );
    this.#dueNs = nowNs();
    for (let slot = 0; slot < this.#case.window; slot++) {
      if (this.#periodNs === 0) this.#send(slot);
      else this.#free.push(slot);
    }
    this.#socket.flush();
  }

  /** With a rate: sends what is due. Called every millisecond. */
  turn(): void {
    if (this.#periodNs === 0 || this.#isStopped) return;
    const now = nowNs();
    while (this.#dueNs <= now) {
      const slot = this.#free.pop();
      if (slot === undefined) break;
      if (this.#meter.isMeasuring) this.#meter.delay.record(now - this.#dueNs);
      this.#dueNs += this.#periodNs;
      this.#send(slot);
    }
    this.#socket?.flush();
  }

  stop(): void {
    this.#isStopped = true;
  }

  close(): void {
    this.#socket?.close();
  }

  #send(slot: number): void {
    const frame = this.#frames[slot];
    if (frame === undefined) return;
    const now = nowNs();
    // End to end: whoever pulls it reads here when it was sent.
    if (this.#case.kind === 'end-to-end')
      frame.writeDoubleBE(now, frame.length - this.#case.bodyBytes);
    this.#sentAtNs[slot] = now;
    this.#socket?.send(frame);
  }

  #onResponse(frame: Buffer): void {
    const slot = slotOf(frame);
    if (slot < 0 || slot >= this.#case.window) return;
    const code = peekRequestCode(frame, 0);
    if (code !== SUCCESS) this.#meter.fail(code);
    else if (this.#meter.isMeasuring) {
      this.#meter.sent += this.#case.batch;
      if (this.#case.kind === 'produce') {
        this.#meter.record(nowNs() - (this.#sentAtNs[slot] ?? 0), this.#case.batch);
      }
    }
    if (this.#isStopped) return;
    if (this.#periodNs > 0) this.#free.push(slot);
    else if (code === SUCCESS) this.#send(slot);
    else setTimeout(() => this.#sendAgain(slot), 50);
  }

  /** After a refusal, a little later. */
  #sendAgain(slot: number): void {
    if (this.#isStopped) return;
    this.#send(slot);
    this.#socket?.flush();
  }
}

/** The same clock in all threads and processes of a machine. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}
