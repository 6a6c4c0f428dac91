// Room: broker, main thread. One counted thing and its windows, as Java's StatsItem: minute = 7 samples at 10 s, hour = 7 at
// 10 min, day = 25 at 1 h. A window's sum is its last sample minus its first.
// Always holds: counts only rise, and no window holds more samples than its length.

export interface StatsSnapshot {
  readonly sum: number;
  readonly tps: number;
  readonly times: number;
  readonly avgpt: number;
}

interface Sample {
  readonly timestampMs: number;
  readonly times: number;
  readonly value: number;
}

const EMPTY: StatsSnapshot = { sum: 0, tps: 0, times: 0, avgpt: 0 };

export class StatsItem {
  readonly minute = new StatsWindow(10_000, 7);
  readonly hour = new StatsWindow(600_000, 7);
  readonly day = new StatsWindow(3_600_000, 25);
  value = 0;
  times = 0;

  add(value: number, times: number): void {
    this.value += value;
    this.times += times;
  }
}

export class StatsWindow {
  readonly periodMs: number;
  readonly #length: number;
  readonly #samples: Sample[] = [];

  constructor(periodMs: number, length: number) {
    this.periodMs = periodMs;
    this.#length = length;
  }

  /** The first sample stands for a period that counted from zero. */
  sample(item: StatsItem, nowMs: number): void {
    const samples = this.#samples;
    if (samples.length === 0)
      samples.push({ timestampMs: nowMs - this.periodMs, times: 0, value: 0 });
    samples.push({ timestampMs: nowMs, times: item.times, value: item.value });
    if (samples.length > this.#length) samples.shift();
  }

  snapshot(): StatsSnapshot {
    const first = this.#samples[0];
    const last = this.#samples[this.#samples.length - 1];
    if (first === undefined || last === undefined) return EMPTY;
    const sum = last.value - first.value;
    const times = last.times - first.times;
    const elapsedMs = last.timestampMs - first.timestampMs;
    return {
      sum,
      times,
      tps: elapsedMs > 0 ? (sum * 1000) / elapsedMs : 0,
      avgpt: times > 0 ? sum / times : 0,
    };
  }
}
