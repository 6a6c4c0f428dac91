// What a load measures while it runs: nothing before the warm-up is over, then latencies, counts and a line for each interval.

import { Histogram } from './histogram.js';
import type { Interval, LatencyResult, LoadCase, LoadResult } from './load-case.js';
import { type ProcessFacts, processFacts } from './process-facts.js';

const QUANTILES = [
  0, 10, 25, 50, 75, 90, 95, 97, 98, 99, 99.5, 99.7, 99.8, 99.9, 99.95, 99.97, 99.99, 100,
];

export class Meter {
  readonly latency = new Histogram();
  readonly delay = new Histogram();
  readonly failed: Record<string, number> = {};
  sent = 0;
  received = 0;
  isMeasuring = false;
  readonly #case: LoadCase;
  readonly #interval = new Histogram();
  readonly #intervals: Interval[] = [];
  #intervalCount = 0;
  #intervalAtMs = 0;
  #beganAtMs = 0;
  #endedAtMs = 0;
  #before: ProcessFacts | null = null;
  #after: ProcessFacts | null = null;
  #ownCpu = process.cpuUsage();
  #fromUs = 0;
  #toUs = 0;

  constructor(loadCase: LoadCase) {
    this.#case = loadCase;
  }

  begin(): void {
    this.isMeasuring = true;
    this.#before = processFacts(this.#case.brokerPid, this.#case.syncFolder);
    this.#ownCpu = process.cpuUsage();
    this.#beganAtMs = performance.now();
    this.#intervalAtMs = this.#beganAtMs;
    this.#fromUs = monotonicUs();
  }

  end(): void {
    this.isMeasuring = false;
    this.#endedAtMs = performance.now();
    this.#toUs = monotonicUs();
    this.#ownCpu = process.cpuUsage(this.#ownCpu);
    this.#after = processFacts(this.#case.brokerPid, this.#case.syncFolder);
  }

  /** So many messages took so long. */
  record(ns: number, messages: number): void {
    this.latency.record(ns);
    this.#interval.record(ns);
    this.#intervalCount += messages;
  }

  fail(code: number): void {
    this.failed[code] = (this.failed[code] ?? 0) + 1;
  }

  /** Called every interval. */
  tick(): void {
    if (!this.isMeasuring) return;
    const nowMs = performance.now();
    this.#intervals.push({
      atSeconds: round((nowMs - this.#beganAtMs) / 1000),
      rate: Math.round((this.#intervalCount * 1000) / (nowMs - this.#intervalAtMs)),
      p50Ms: round(this.#interval.percentileMs(0.5)),
      p99Ms: round(this.#interval.percentileMs(0.99)),
      maxMs: round(this.#interval.maxNs / 1e6),
    });
    this.#intervalAtMs = nowMs;
    this.#intervalCount = 0;
    this.#interval.clear();
  }

  result(): LoadResult {
    const seconds = (this.#endedAtMs - this.#beganAtMs) / 1000;
    const done = this.#case.kind === 'produce' ? this.sent : this.received;
    const before = this.#before;
    const after = this.#after;
    const change = (field: keyof ProcessFacts): number | null => {
      if (before === null || after === null) return null;
      const value = after[field] - before[field];
      return Number.isFinite(value) ? value : null;
    };
    const syncs = change('syncs');
    const syncMs = change('syncMs');
    const cpu = change('cpuSeconds');
    const disk = change('diskBytes');
    return {
      sent: this.sent,
      failed: this.failed,
      received: this.received,
      seconds: round(seconds),
      rate: Math.round(done / seconds),
      megabytesPerSecond: round((done * this.#case.bodyBytes) / seconds / 1e6),
      latency: latencyOf(this.latency),
      delay: this.delay.count > 0 ? latencyOf(this.delay) : null,
      intervals: this.#intervals,
      brokerCpuUsPerMessage: cpu === null || done === 0 ? null : round((cpu * 1e6) / done),
      brokerAnonMb: after === null ? null : round(after.anonMb),
      brokerDiskMbPerSecond: disk === null ? null : round(disk / seconds / 1e6),
      syncs,
      syncMeanMs: syncs === null || syncMs === null || syncs === 0 ? null : round(syncMs / syncs),
      loadCpuShare: round((this.#ownCpu.user + this.#ownCpu.system) / 1e6 / seconds),
      fromUs: this.#fromUs,
      toUs: this.#toUs,
    };
  }
}

function latencyOf(histogram: Histogram): LatencyResult {
  const at = (percent: number) => round(histogram.percentileMs(percent / 100));
  return {
    avgMs: round(histogram.meanMs()),
    p50Ms: at(50),
    p75Ms: at(75),
    p95Ms: at(95),
    p99Ms: at(99),
    p999Ms: at(99.9),
    p9999Ms: at(99.99),
    maxMs: round(histogram.maxNs / 1e6),
    quantiles: Object.fromEntries(QUANTILES.map((percent) => [String(percent), at(percent)])),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
