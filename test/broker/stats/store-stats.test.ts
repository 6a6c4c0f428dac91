import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import {
  NO_COUNTERS,
  type StoreCounters,
  StoreStats,
} from '../../../src/broker/stats/store-stats.js';

function setUp() {
  const clock = new ManualClock();
  let counters: StoreCounters = NO_COUNTERS;
  const stats = new StoreStats(clock, () => counters);
  const run = (seconds: number, change: (now: StoreCounters) => Partial<StoreCounters>) => {
    for (let i = 0; i < seconds; i++) {
      counters = { ...counters, ...change(counters) };
      stats.sample();
      clock.advance(1000);
    }
  };
  return { clock, stats, run };
}

describe('StoreStats', () => {
  it('gives rates over 10, 60 and 600 s, and nothing for a window that is not yet full', () => {
    const { stats, run } = setUp();
    run(61, (now) => ({ putMessageTimesTotal: now.putMessageTimesTotal + 100 }));
    expect(stats.runtimeInfo()['putTps']).toBe('100.0 100.0 ');
    run(30, (now) => ({ putMessageTimesTotal: now.putMessageTimesTotal + 400 }));
    expect(stats.runtimeInfo()['putTps']).toBe('400.0 250.0 ');
    expect(stats.runtimeInfo()['getTotalTps']).toBe('0.0 0.0 0.0');
    run(600, (now) => ({ putMessageTimesTotal: now.putMessageTimesTotal + 1 }));
    expect(stats.runtimeInfo()['putTps']).toBe('1.0 1.0 1.0');
  });

  it("writes averages and times as Java's, with one put at least", () => {
    const { clock, stats } = setUp();
    clock.advance(((2 * 24 + 3) * 60 + 4) * 60_000 + 5_000);
    const info = stats.runtimeInfo();
    expect(info['runtime']).toBe('[ 2 days, 3 hours, 4 minutes, 5 seconds ]');
    expect(info['putMessageTimesTotal']).toBe('1');
    expect(info['putMessageAverageSize']).toBe('0.0');
    expect(info['putMessageDistributeTime']).toBe('null');
    expect(info['putLatency99']).toBe('0.00');
  });

  it('tells the last whole minute of put times by bucket, and its latencies', () => {
    const { stats, run } = setUp();
    run(62, (now) => ({
      putMessageDistribution: now.putMessageDistribution.map(
        (count, i) => count + (i === 1 ? 1 : 0),
      ),
    }));
    const info = stats.runtimeInfo();
    expect(info['putMessageDistributeTime']).toMatch(
      /^\[<=0ms\]:0 \[0~10ms\]:61 \[10~50ms\]:0 .*\[10s~\]:0 $/,
    );
    expect(Number(info['putLatency99'])).toBeCloseTo(9.84, 1);
  });

  it('keeps what the day began with', () => {
    const { clock, stats, run } = setUp();
    run(1, () => ({ putMessageTimesTotal: 10, getMessageTransferredCount: 4 }));
    clock.advance(24 * 3_600_000);
    run(1, () => ({ putMessageTimesTotal: 30 }));
    clock.advance(24 * 3_600_000);
    run(1, () => ({ putMessageTimesTotal: 70 }));
    const info = stats.runtimeInfo();
    expect(info['msgPutTotalYesterdayMorning']).toBe('30');
    expect(info['msgPutTotalTodayMorning']).toBe('70');
    expect(info['msgPutTotalTodayNow']).toBe('70');
    expect(info['msgGetTotalTodayMorning']).toBe('4');
  });
});
