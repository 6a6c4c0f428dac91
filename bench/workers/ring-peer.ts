// The far end of 20-ring-handoff and 21-wake-latency: takes records and, as it is told, echoes them. What the broker's agent runner
// does when it finds nothing is done here with the number of empty rounds as a parameter.

import { parentPort, workerData } from 'node:worker_threads';
import { SpscRing } from '#dist/ring/spsc-ring.js';
import { WakeWord } from '#dist/ring/wake-word.js';

export interface RingPeerSettings {
  readonly toPeer: SharedArrayBuffer;
  readonly fromPeer: SharedArrayBuffer;
  readonly peerWake: SharedArrayBuffer;
  readonly mainWake: SharedArrayBuffer;
  /** int32 0: records taken. */
  readonly taken: SharedArrayBuffer;
  /** Empty rounds before it sleeps; Infinity never sleeps. */
  readonly idleRounds: number;
  readonly echoes: boolean;
}

/** Of the kind that ends the peer; any other is data. */
export const STOP_KIND = 9;

function serve(settings: RingPeerSettings): void {
  const { toPeer, fromPeer, peerWake, mainWake, idleRounds, echoes } = settings;
  const takenInAll = new Int32Array(settings.taken);
  const input = new SpscRing(toPeer);
  const output = new SpscRing(fromPeer);
  const own = new WakeWord(peerWake);
  const main = new WakeWord(mainWake);
  let empty = 0;
  for (;;) {
    let taken = 0;
    for (let size = input.peek(); size >= 0; size = input.peek()) {
      if (input.kind() === STOP_KIND) return;
      if (echoes) {
        const at = output.claim(size);
        if (at < 0) break;
        // The time of taking it, for those who ask how long the way was.
        output.bytes.writeBigUInt64LE(process.hrtime.bigint(), at);
        output.commit(1, size);
      }
      input.next(size);
      taken++;
    }
    if (taken > 0) {
      empty = 0;
      input.release();
      Atomics.add(takenInAll, 0, taken);
      if (echoes) {
        output.publish();
        main.wake();
      }
      continue;
    }
    if (++empty < idleRounds) continue;
    empty = 0;
    const sequence = own.announce();
    if (input.isEmpty()) own.wait(sequence, 1000);
    else own.cancel();
  }
}

if (parentPort !== null) {
  parentPort.postMessage('ready');
  serve(workerData as RingPeerSettings);
}
