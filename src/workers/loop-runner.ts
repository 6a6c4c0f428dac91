// Room: workers. The loop of a thread that has sockets of its own (ha), as agent-runner.ts is that of the others: between two turns of the
// agents the event loop turns. Idle, the thread sleeps in epoll and is woken by its sockets, by its wake word (waitAsync), or by
// the next timer of its agents. While it is busy and nobody waits for it, it naps between two turns. While it has nobody to serve it
// sleeps through nudges, so that appends cost nothing.

import type { Agent } from '../ring/agent.js';
import type { WakeWord } from '../ring/wake-word.js';
import { turn } from './agent-runner.js';

/** Empty turns of the loop before the thread sleeps. */
const IDLE_TURNS_BEFORE_SLEEP = 8;
const LONGEST_SLEEP_MS = 1000;
const NAP_MS = 1;
/** After so many naps without work the thread sleeps, and is woken again. */
const NAPS_BEFORE_SLEEP = 50;

export class LoopRunner {
  readonly #agents: readonly Agent[];
  readonly #wake: WakeWord;
  readonly #shouldStop: () => boolean;
  readonly #hasNobody: () => boolean;
  #end: (() => void) | null = null;
  #isScheduled = false;
  #timer: NodeJS.Timeout | null = null;
  #idleTurns = 0;
  #emptyNaps = 0;
  /** Sequence of the wake word that a promise waits to change; -1 for none. */
  #waitsFor = -1;
  readonly #onTurn = (): void => this.#loop();

  /** @param hasNobody while it is true, what others append is no reason to wake. */
  constructor(
    agents: readonly Agent[],
    wake: WakeWord,
    shouldStop: () => boolean,
    hasNobody: () => boolean,
  ) {
    this.#agents = agents;
    this.#wake = wake;
    this.#shouldStop = shouldStop;
    this.#hasNobody = hasNobody;
  }

  /** Resolves when the thread was asked to stop and its agents found no more work. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.#schedule();
    });
  }

  /** A socket brought something: the agents look at once. */
  readonly kick = (): void => {
    this.#emptyNaps = 0;
    if (!this.#isScheduled && this.#end !== null) this.#schedule();
  };

  #schedule(): void {
    this.#isScheduled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#wake.cancel();
    setImmediate(this.#onTurn);
  }

  #loop(): void {
    this.#isScheduled = false;
    if (this.#shouldStop()) {
      while (turn(this.#agents) > 0);
      this.#finish();
      return;
    }
    if (turn(this.#agents) > 0) {
      this.#idleTurns = 0;
      this.#emptyNaps = 0;
      this.#schedule();
    } else if (!this.#naps() && ++this.#idleTurns < IDLE_TURNS_BEFORE_SLEEP) {
      this.#schedule();
    } else {
      this.#idleTurns = 0;
      this.#sleep();
    }
  }

  #naps(): boolean {
    return this.#emptyNaps < NAPS_BEFORE_SLEEP && this.#agents.every((agent) => agent.mayNap());
  }

  #sleep(): void {
    const hasNobody = this.#hasNobody();
    const naps = !hasNobody && this.#naps();
    this.#emptyNaps++;
    const sequence = this.#wake.announce(naps || hasNobody);
    if (this.#shouldStop() || this.#agents.some((agent) => agent.hasWork())) {
      this.#schedule();
      return;
    }
    const boundMs = naps ? NAP_MS : LONGEST_SLEEP_MS;
    const sleepMs = this.#agents.reduce((least, it) => Math.min(least, it.maxSleepMs()), boundMs);
    this.#timer = setTimeout(this.#onTimer, sleepMs);
    // One waiter is enough: a sleep that ended otherwise still has its own.
    if (this.#waitsFor === sequence) return;
    const woken = this.#wake.waitAsync(sequence);
    if (woken === null) {
      this.#schedule();
      return;
    }
    this.#waitsFor = sequence;
    void woken.then(() => this.#onWake());
  }

  readonly #onTimer = (): void => {
    this.#timer = null;
    if (!this.#isScheduled && this.#end !== null) this.#schedule();
  };

  #onWake(): void {
    this.#waitsFor = -1;
    if (!this.#isScheduled && this.#end !== null) this.#schedule();
  }

  #finish(): void {
    // The waiter that is left would keep the thread.
    this.#wake.announce();
    this.#wake.wake();
    this.#end?.();
    this.#end = null;
  }
}
