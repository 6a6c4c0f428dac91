// Room: broker, main thread. The store's counters over time, for code 28: rates of the last 10, 60 and 600 s, put latency by
// bucket, and what the day began with. The counters are kept by the workers in shared memory; this page reads them each second.
// Always holds: no more than 601 samples are kept. Follows Java's StoreStatsService and BrokerStats.

import type { Clock } from '../../base/clock.js';

/** Totals since the process started. */
export interface StoreCounters {
  readonly putMessageTimesTotal: number;
  readonly putMessageSizeTotal: number;
  readonly putMessageFailedTimes: number;
  /** Pulls that found something, and pulls that did not. */
  readonly getMessageTimesFound: number;
  readonly getMessageTimesMiss: number;
  readonly getMessageTransferredCount: number;
  readonly putMessageEntireTimeMaxMs: number;
  readonly getMessageEntireTimeMaxMs: number;
  /** Puts by duration, parallel to PUT_TIME_BOUNDS_MS with one more for what is longer. */
  readonly putMessageDistribution: readonly number[];
}

/** Upper bounds of the put-time buckets: the first holds 0 ms, the others up to but without the bound. */
export const PUT_TIME_BOUNDS_MS = [0, 10, 50, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 10_000];

const BUCKET_NAMES = [
  '[<=0ms]',
  '[0~10ms]',
  '[10~50ms]',
  '[50~100ms]',
  '[100~200ms]',
  '[200~500ms]',
  '[500ms~1s]',
  '[1~2s]',
  '[2~3s]',
  '[3~4s]',
  '[4~5s]',
  '[5~10s]',
  '[10s~]',
];

export const SAMPLE_PERIOD_MS = 1_000;
const MAX_SAMPLES = 601;
const DISTRIBUTION_PERIOD_MS = 60_000;
const RATE_WINDOWS_SECONDS = [10, 60, 600];

export const NO_COUNTERS: StoreCounters = {
  putMessageTimesTotal: 0,
  putMessageSizeTotal: 0,
  putMessageFailedTimes: 0,
  getMessageTimesFound: 0,
  getMessageTimesMiss: 0,
  getMessageTransferredCount: 0,
  putMessageEntireTimeMaxMs: 0,
  getMessageEntireTimeMaxMs: 0,
  putMessageDistribution: BUCKET_NAMES.map(() => 0),
};

interface Sample {
  readonly timestampMs: number;
  readonly put: number;
  readonly found: number;
  readonly miss: number;
  readonly transferred: number;
}

type Rated = 'put' | 'found' | 'miss' | 'transferred';

interface DayTotals {
  readonly put: number;
  readonly get: number;
}

export class StoreStats {
  readonly #clock: Clock;
  readonly #read: () => StoreCounters;
  readonly #bootTimestamp: number;
  readonly #bootMonotonicMs: number;
  readonly #samples: Sample[] = [];
  #distributionStart: readonly number[] = NO_COUNTERS.putMessageDistribution;
  #distributionStartMs: number;
  #lastDistribution: readonly number[] | null = null;
  #yesterdayMorning: DayTotals = { put: 0, get: 0 };
  #todayMorning: DayTotals = { put: 0, get: 0 };
  #day: number;

  constructor(clock: Clock, read: () => StoreCounters) {
    this.#clock = clock;
    this.#read = read;
    this.#bootTimestamp = clock.nowMs();
    this.#bootMonotonicMs = clock.monotonicMs();
    this.#distributionStartMs = this.#bootMonotonicMs;
    this.#day = localDay(clock.nowMs());
  }

  counters(): StoreCounters {
    return this.#read();
  }

  /** Once a second. */
  sample(): void {
    const counters = this.#read();
    const timestampMs = this.#clock.monotonicMs();
    this.#samples.push({
      timestampMs,
      put: counters.putMessageTimesTotal,
      found: counters.getMessageTimesFound,
      miss: counters.getMessageTimesMiss,
      transferred: counters.getMessageTransferredCount,
    });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    if (timestampMs - this.#distributionStartMs >= DISTRIBUTION_PERIOD_MS) {
      this.#closeDistribution(counters, timestampMs);
    }
    this.#turnOfDay(counters);
  }

  /** The entries of code 28 that come from the store's counters, each in Java's format. */
  runtimeInfo(): Record<string, string> {
    const counters = this.#read();
    const puts = Math.max(1, counters.putMessageTimesTotal);
    return {
      bootTimestamp: String(this.#bootTimestamp),
      runtime: runtimeText(this.#clock.monotonicMs() - this.#bootMonotonicMs),
      putMessageEntireTimeMax: String(counters.putMessageEntireTimeMaxMs),
      putMessageTimesTotal: String(puts),
      putMessageFailedTimes: String(counters.putMessageFailedTimes),
      putMessageSizeTotal: String(counters.putMessageSizeTotal),
      putMessageDistributeTime: this.#distributionText(),
      putMessageAverageSize: doubleText(counters.putMessageSizeTotal / puts),
      dispatchMaxBuffer: '0',
      getMessageEntireTimeMax: String(counters.getMessageEntireTimeMaxMs),
      putTps: this.#rates('put'),
      getFoundTps: this.#rates('found'),
      getMissTps: this.#rates('miss'),
      getTotalTps: this.#totalRates(),
      getTransferedTps: this.#rates('transferred'),
      putLatency99: this.#latency(0.99),
      putLatency999: this.#latency(0.999),
      msgPutTotalYesterdayMorning: String(this.#yesterdayMorning.put),
      msgPutTotalTodayMorning: String(this.#todayMorning.put),
      msgPutTotalTodayNow: String(counters.putMessageTimesTotal),
      msgGetTotalYesterdayMorning: String(this.#yesterdayMorning.get),
      msgGetTotalTodayMorning: String(this.#todayMorning.get),
      msgGetTotalTodayNow: String(counters.getMessageTransferredCount),
    };
  }

  /** Messages a second over the last seconds; null until there are enough samples. */
  rate(what: Rated, seconds: number): number | null {
    const last = this.#samples[this.#samples.length - 1];
    const before = this.#samples[this.#samples.length - 1 - seconds];
    if (last === undefined || before === undefined) return null;
    const elapsedMs = last.timestampMs - before.timestampMs;
    return elapsedMs > 0 ? ((last[what] - before[what]) * 1000) / elapsedMs : 0;
  }

  #rates(what: Rated): string {
    return RATE_WINDOWS_SECONDS.map((seconds) => {
      const rate = this.rate(what, seconds);
      return rate === null ? '' : doubleText(rate);
    }).join(' ');
  }

  #totalRates(): string {
    return RATE_WINDOWS_SECONDS.map((seconds) =>
      doubleText((this.rate('found', seconds) ?? 0) + (this.rate('miss', seconds) ?? 0)),
    ).join(' ');
  }

  #closeDistribution(counters: StoreCounters, nowMs: number): void {
    const now = counters.putMessageDistribution;
    this.#lastDistribution = now.map((count, i) => count - (this.#distributionStart[i] ?? 0));
    this.#distributionStart = [...now];
    this.#distributionStartMs = nowMs;
  }

  #distributionText(): string {
    const counts = this.#lastDistribution;
    if (counts === null) return 'null';
    return BUCKET_NAMES.map((name, i) => `${name}:${counts[i] ?? 0} `).join('');
  }

  /** Within a bucket the puts count as spread evenly. */
  #latency(share: number): string {
    const counts = this.#lastDistribution ?? [];
    const total = counts.reduce((sum, count) => sum + count, 0);
    const rank = Math.floor(total * share);
    let passed = 0;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i] ?? 0;
      const upper = PUT_TIME_BOUNDS_MS[i] ?? PUT_TIME_BOUNDS_MS[PUT_TIME_BOUNDS_MS.length - 1] ?? 0;
      const lower = PUT_TIME_BOUNDS_MS[i - 1] ?? 0;
      if (count > 0 && rank <= passed + count) {
        return (lower + ((upper - lower) * (rank - passed)) / count).toFixed(2);
      }
      passed += count;
    }
    return '0.00';
  }

  #turnOfDay(counters: StoreCounters): void {
    const day = localDay(this.#clock.nowMs());
    if (day === this.#day) return;
    this.#day = day;
    this.#yesterdayMorning = this.#todayMorning;
    this.#todayMorning = {
      put: counters.putMessageTimesTotal,
      get: counters.getMessageTransferredCount,
    };
  }
}

/** Java's Double.toString for the values met here: always with a decimal point. */
export function doubleText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function runtimeText(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  return `[ ${days} days, ${hours} hours, ${minutes} minutes, ${seconds % 60} seconds ]`;
}

function localDay(nowMs: number): number {
  const date = new Date(nowMs);
  return date.getFullYear() * 10_000 + date.getMonth() * 100 + date.getDate();
}
