// Results with the field names of the OpenMessaging Benchmark, so that its chart script and any reader of it can be used on them.

import type { LatencyResult, LoadCase, LoadResult } from './load-case.js';

export function ombJson(series: string, loadCase: LoadCase, result: LoadResult): object {
  const latencyName = loadCase.kind === 'produce' ? 'publishLatency' : 'endToEndLatency';
  const column = (field: 'rate' | 'p50Ms' | 'p99Ms' | 'maxMs') =>
    result.intervals.map((interval) => interval[field]);
  const failed = Object.values(result.failed).reduce((sum, count) => sum + count, 0);
  return {
    workload: loadCase.name,
    driver: `CometMQ ${series}`,
    messageSize: loadCase.bodyBytes,
    topics: 1,
    partitions: loadCase.queues,
    producersPerTopic: loadCase.connections,
    consumersPerTopic: loadCase.kind === 'produce' ? 0 : 1,
    [loadCase.kind === 'produce' ? 'publishRate' : 'consumeRate']: column('rate'),
    publishErrorRate: [failed / result.seconds],
    [`${latencyName}50pct`]: column('p50Ms'),
    [`${latencyName}99pct`]: column('p99Ms'),
    [`${latencyName}Max`]: column('maxMs'),
    ...aggregated(latencyName, result.latency),
    ...(result.delay === null ? {} : aggregated('publishDelayLatency', result.delay)),
    // What the OpenMessaging Benchmark does not know.
    cometmq: { load: loadCase, ...result },
  };
}

function aggregated(name: string, latency: LatencyResult): Record<string, unknown> {
  const prefix = `aggregated${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    [`${prefix}Avg`]: latency.avgMs,
    [`${prefix}50pct`]: latency.p50Ms,
    [`${prefix}75pct`]: latency.p75Ms,
    [`${prefix}95pct`]: latency.p95Ms,
    [`${prefix}99pct`]: latency.p99Ms,
    [`${prefix}999pct`]: latency.p999Ms,
    [`${prefix}9999pct`]: latency.p9999Ms,
    [`${prefix}Max`]: latency.maxMs,
    [`${prefix}Quantiles`]: latency.quantiles,
  };
}
