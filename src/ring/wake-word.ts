// Room: ring. Each thread has one WakeWord that everyone who feeds the thread bumps. The sleeper announces itself,
// looks at its inputs once more, and only then sleeps; a feeder that published before that look is seen by it, and one
// that published after it sees the announcement. So no wake-up is lost, and a feeder of a busy thread pays one load.
//
//   int32 0: sequence (bumped to wake)     int32 16: what the owner does or is about to do: 0 works, 1 sleeps, 2 naps

const SEQUENCE = 0;
const STATE = 16;
const AWAKE = 0;
const ASLEEP = 1;
const NAPPING = 2;

export class WakeWord {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  static create(): WakeWord {
    return new WakeWord(new SharedArrayBuffer(128));
  }

  /** Wakes the owner if it sleeps or naps. Call it after publishing, once a batch. */
  wake(): void {
    if (Atomics.load(this.#words, STATE) !== AWAKE) this.#rouse();
  }

  /** Wakes the owner if it sleeps; a nap goes on. */
  nudge(): void {
    if (Atomics.load(this.#words, STATE) === ASLEEP) this.#rouse();
  }

  /** Owner: first half of going to sleep. Look at every input after this, then wait or cancel. */
  announce(nap = false): number {
    const sequence = Atomics.load(this.#words, SEQUENCE);
    Atomics.store(this.#words, STATE, nap ? NAPPING : ASLEEP);
    return sequence;
  }

  /** Owner: there was work after all. */
  cancel(): void {
    Atomics.store(this.#words, STATE, AWAKE);
  }

  /** Owner, worker threads only: sleeps until woken or until the time is over. */
  wait(sequence: number, timeoutMs: number): void {
    Atomics.wait(this.#words, SEQUENCE, sequence, timeoutMs);
    Atomics.store(this.#words, STATE, AWAKE);
  }

  /** Owner on a thread that must not block (main): resolves when woken, at once if that has happened already. */
  waitAsync(sequence: number): Promise<unknown> | null {
    const result = Atomics.waitAsync(this.#words, SEQUENCE, sequence);
    return result.async ? result.value : null;
  }

  #rouse(): void {
    Atomics.store(this.#words, STATE, AWAKE);
    Atomics.add(this.#words, SEQUENCE, 1);
    Atomics.notify(this.#words, SEQUENCE);
  }
}
