// Room: ring. What a thread runs. An agent has one duty cycle that never blocks and says how much work it did, so that the
// same code runs `dedicated` (a thread of its own) and `inline` (all agents in one thread, on a manual clock).

export interface Agent {
  readonly name: string;
  /** One duty cycle; the amount of work done, 0 when there was nothing to do. */
  doWork(): number;
  /** True when an input holds work, asked between announcing sleep and sleeping. */
  hasWork(): boolean;
  /** True while nobody waits for this agent: its thread may nap instead of being woken for each piece of work. */
  mayNap(): boolean;
  /** Milliseconds until the agent wants to run even if nobody wakes it (its timers). */
  maxSleepMs(): number;
  /** Finishes what must not be left half done, and lets go of its files. */
  close(): void;
}
