// Room: workers. Which threads there are, what shared memory joins them, and who wakes whom.
//
//   main ──mainToCommitlog──▶ commitlog ──commitlogToMain──▶ main
//   main ──mainToDispatch───▶ dispatch ──dispatchToMain────▶ main
//   commitlog ─(flushWanted)▶ flush ─(flushedWhere)▶ main, dispatch        all ─(cursors)▶ all
//   main ──postMessage──▶ ha ──postMessage──▶ main (a slave's master; events)

import { RING_BYTES } from '../base/limits.js';
import { CursorPage } from '../ring/cursor.js';
import { SpscRing } from '../ring/spsc-ring.js';
import { WakeWord } from '../ring/wake-word.js';
import { RunningFlags } from '../store/running-flags.js';
import type { StoreConfig } from '../store/store-config.js';
import { createStoreCursors } from '../store/store-cursors.js';

export const ThreadNames = ['commitlog', 'flush', 'dispatch', 'ha'] as const;
export type ThreadName = (typeof ThreadNames)[number];

const STOP = 0;

/** The shared memory of one broker, as plain values that cross to a worker. */
export interface BrokerMemory {
  readonly cursors: SharedArrayBuffer;
  readonly control: SharedArrayBuffer;
  readonly runningFlags: SharedArrayBuffer;
  readonly wakes: Readonly<Record<ThreadName | 'main', SharedArrayBuffer>>;
  readonly mainToCommitlog: SharedArrayBuffer;
  readonly commitlogToMain: SharedArrayBuffer;
  readonly mainToDispatch: SharedArrayBuffer;
  readonly dispatchToMain: SharedArrayBuffer;
}

export function createBrokerMemory(ringBytes = RING_BYTES): BrokerMemory {
  const wake = () => WakeWord.create().memory;
  const ring = () => SpscRing.create(ringBytes).memory;
  return {
    cursors: createStoreCursors().memory,
    control: new SharedArrayBuffer(64),
    runningFlags: new RunningFlags().memory,
    wakes: { main: wake(), commitlog: wake(), flush: wake(), dispatch: wake(), ha: wake() },
    mainToCommitlog: ring(),
    commitlogToMain: ring(),
    mainToDispatch: ring(),
    dispatchToMain: ring(),
  };
}

/** One thread's handles on the shared memory. */
export class BrokerLinks {
  readonly cursors: CursorPage;
  readonly wakes: Readonly<Record<ThreadName | 'main', WakeWord>>;
  readonly mainToCommitlog: SpscRing;
  readonly commitlogToMain: SpscRing;
  readonly mainToDispatch: SpscRing;
  readonly dispatchToMain: SpscRing;
  /** Why the store takes nothing at present. */
  readonly runningFlags: RunningFlags;
  readonly #control: Int32Array;

  constructor(memory: BrokerMemory) {
    this.cursors = new CursorPage(memory.cursors);
    this.#control = new Int32Array(memory.control);
    this.runningFlags = new RunningFlags(memory.runningFlags);
    this.wakes = {
      main: new WakeWord(memory.wakes.main),
      commitlog: new WakeWord(memory.wakes.commitlog),
      flush: new WakeWord(memory.wakes.flush),
      dispatch: new WakeWord(memory.wakes.dispatch),
      ha: new WakeWord(memory.wakes.ha),
    };
    this.mainToCommitlog = new SpscRing(memory.mainToCommitlog);
    this.commitlogToMain = new SpscRing(memory.commitlogToMain);
    this.mainToDispatch = new SpscRing(memory.mainToDispatch);
    this.dispatchToMain = new SpscRing(memory.dispatchToMain);
  }

  /** Main asks the threads to stop in stages: all whose stage is at most this one leave their loop. */
  requestStop(stage: number): void {
    Atomics.store(this.#control, STOP, stage);
    for (const name of ThreadNames) this.wakes[name].wake();
  }

  stopStage(): number {
    return Atomics.load(this.#control, STOP);
  }
}

/**
 * The order of stopping: who appends first, then who makes it durable and who replicates it, last who derives from what is durable.
 * On a slave the ha thread appends.
 */
export function stopStageOf(name: ThreadName, brokerRole: StoreConfig['brokerRole']): number {
  if (name === 'ha') return brokerRole === 'SLAVE' ? 1 : 2;
  return StopStages[name];
}

export const LAST_STOP_STAGE = 3;
const StopStages = { commitlog: 1, flush: 2, dispatch: LAST_STOP_STAGE } as const;
