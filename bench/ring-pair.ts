// This thread's end of a pair of rings whose other end is workers/ring-peer.ts.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SpscRing } from '#dist/ring/spsc-ring.js';
import { WakeWord } from '#dist/ring/wake-word.js';
import { type RingPeerSettings, STOP_KIND } from './workers/ring-peer.js';

const RING_BYTES = 4 * 1024 * 1024;

export class RingPair {
  readonly out: SpscRing;
  readonly in: SpscRing;
  readonly peerWake: WakeWord;
  readonly mainWake: WakeWord;
  readonly #worker: Worker;
  readonly #taken: Int32Array;
  #offered = 0;

  private constructor(settings: RingPeerSettings, worker: Worker) {
    this.out = new SpscRing(settings.toPeer);
    this.in = new SpscRing(settings.fromPeer);
    this.peerWake = new WakeWord(settings.peerWake);
    this.mainWake = new WakeWord(settings.mainWake);
    this.#worker = worker;
    this.#taken = new Int32Array(settings.taken);
  }

  static async start(idleRounds: number, echoes: boolean): Promise<RingPair> {
    const settings: RingPeerSettings = {
      toPeer: SpscRing.create(RING_BYTES).memory,
      fromPeer: SpscRing.create(RING_BYTES).memory,
      peerWake: WakeWord.create().memory,
      mainWake: WakeWord.create().memory,
      taken: new SharedArrayBuffer(4),
      idleRounds,
      echoes,
    };
    const worker = new Worker(new URL('./workers/ring-peer.js', import.meta.url), {
      workerData: settings,
    });
    await once(worker, 'message');
    return new RingPair(settings, worker);
  }

  /** False when there is no room. */
  offer(payload: Buffer, kind = 1): boolean {
    const at = this.out.claim(payload.length);
    if (at < 0) return false;
    payload.copy(this.out.bytes, at);
    this.out.commit(kind, payload.length);
    this.#offered = (this.#offered + 1) | 0;
    return true;
  }

  publish(): void {
    this.out.publish();
    this.peerWake.wake();
  }

  /** All that was offered has been taken. */
  isDrained(): boolean {
    return Atomics.load(this.#taken, 0) === this.#offered;
  }

  /** One record there and back, looking all the time; the peer's time of taking it. */
  spinRoundTrip(payload: Buffer): bigint {
    this.offer(payload);
    this.publish();
    for (;;) {
      const size = this.in.peek();
      if (size >= 0) return this.#take(size);
    }
  }

  /** The same, asleep until the answer wakes this thread as the broker's main thread is woken. */
  async sleepRoundTrip(payload: Buffer): Promise<bigint> {
    this.offer(payload);
    this.publish();
    for (;;) {
      const size = this.in.peek();
      if (size >= 0) return this.#take(size);
      const sequence = this.mainWake.announce();
      if (!this.in.isEmpty()) {
        this.mainWake.cancel();
        continue;
      }
      await this.mainWake.waitAsync(sequence);
    }
  }

  async stop(): Promise<void> {
    const exited = once(this.#worker, 'exit');
    while (!this.offer(Buffer.alloc(8), STOP_KIND));
    this.publish();
    await exited;
  }

  #take(size: number): bigint {
    const takenAt = this.in.bytes.readBigUInt64LE(this.in.position());
    this.in.next(size);
    this.in.release();
    return takenAt;
  }
}
