// Room: workers. The loop of a worker thread: turn the agents until none finds work, look a little longer, then sleep until woken or
// until a timer of theirs is due. Spinning for some microseconds keeps a busy pair of threads from paying a futex for each message.

import type { Agent } from '../ring/agent.js';
import type { WakeWord } from '../ring/wake-word.js';

/** Empty rounds before the thread sleeps; measured in bench/21-wake-latency. */
const IDLE_ROUNDS_BEFORE_SLEEP = 60;
/**
 * After a single piece of work the next one is looked for so long: with one request under way at a time the thread then never sleeps
 * between two, and each is answered without the 20 us that a wake-up takes. With more under way they gather while a thread wakes.
 */
const LOOK_AFTER_SINGLE_MS = 0.1;
const LONGEST_SLEEP_MS = 1000;
const NAP_MS = 1;
/** After so many naps without work the thread sleeps, and is woken again. */
const NAPS_BEFORE_SLEEP = 50;

export function runAgents(
  agents: readonly Agent[],
  wake: WakeWord,
  shouldStop: () => boolean,
): void {
  let idleRounds = 0;
  let emptyNaps = 0;
  let lookUntilMs = 0;
  while (!shouldStop()) {
    const work = turn(agents);
    if (work > 0) {
      idleRounds = 0;
      emptyNaps = 0;
      lookUntilMs = work === 1 ? performance.now() + LOOK_AFTER_SINGLE_MS : 0;
      continue;
    }
    if (lookUntilMs > 0 && performance.now() < lookUntilMs) continue;
    lookUntilMs = 0;
    const naps = emptyNaps < NAPS_BEFORE_SLEEP && agents.every((agent) => agent.mayNap());
    if (!naps && ++idleRounds < IDLE_ROUNDS_BEFORE_SLEEP) continue;
    idleRounds = 0;
    emptyNaps++;
    const sequence = wake.announce(naps);
    if (shouldStop() || agents.some((agent) => agent.hasWork())) {
      wake.cancel();
      continue;
    }
    const sleepMs = longestSleepMs(agents, naps ? NAP_MS : LONGEST_SLEEP_MS);
    if (sleepMs > 0) wake.wait(sequence, sleepMs);
    else wake.cancel();
  }
  // What was handed in before the stop is still done.
  while (turn(agents) > 0);
}

function longestSleepMs(agents: readonly Agent[], bound: number): number {
  return agents.reduce((least, agent) => Math.min(least, agent.maxSleepMs()), bound);
}

/** One round of all agents: the amount of work done. */
export function turn(agents: readonly Agent[]): number {
  let work = 0;
  for (const agent of agents) work += agent.doWork();
  return work;
}
