// What a load process is told to do and what it answers; plain JSON.

export interface LoadCase {
  readonly name: string;
  readonly kind: 'produce' | 'end-to-end';
  /** Loopback when left out. */
  readonly host?: string;
  readonly port: number;
  readonly topic: string;
  readonly queues: number;
  readonly connections: number;
  readonly window: number;
  readonly bodyBytes: number;
  readonly batch: number;
  readonly serialize: 'json' | 'rocketmq';
  /** Messages a second; 0 sends as fast as answers come. */
  readonly rate: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly intervalMs: number;
  /** 0 for a broker of which nothing more is known. */
  readonly brokerPid: number;
  /** Where the broker counts its syncs; '' when it does not. */
  readonly syncFolder: string;
}

export interface Interval {
  readonly atSeconds: number;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LatencyResult {
  readonly avgMs: number;
  readonly p50Ms: number;
  readonly p75Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly p9999Ms: number;
  readonly maxMs: number;
  /** Percent to milliseconds. */
  readonly quantiles: Readonly<Record<string, number>>;
}

export interface LoadResult {
  readonly sent: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly received: number;
  readonly seconds: number;
  readonly rate: number;
  readonly megabytesPerSecond: number;
  /** Request to response; end to end: from sending to having it. */
  readonly latency: LatencyResult;
  /** With a rate: how much later than planned a request left. */
  readonly delay: LatencyResult | null;
  readonly intervals: readonly Interval[];
  readonly brokerCpuUsPerMessage: number | null;
  readonly brokerAnonMb: number | null;
  readonly brokerDiskMbPerSecond: number | null;
  readonly syncs: number | null;
  readonly syncMeanMs: number | null;
  /** Share of one processor that the load itself took: near 1 the load is what limits. */
  readonly loadCpuShare: number;
  /** The measured time on the machine's monotonic clock, microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
}
