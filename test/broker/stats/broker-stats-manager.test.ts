import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { BrokerStatsManager } from '../../../src/broker/stats/broker-stats-manager.js';

function setUp() {
  const clock = new ManualClock();
  const stats = new BrokerStatsManager(clock, 'C');
  const run = (seconds: number, each: () => void = () => {}) => {
    for (let i = 0; i < seconds; i++) {
      each();
      clock.advance(1000);
      stats.sample();
    }
  };
  stats.sample();
  return { stats, run };
}

describe('BrokerStatsManager', () => {
  it('gives the rate of the last minute from samples at 10 s', () => {
    const { stats, run } = setUp();
    run(120, () => stats.addPut('T', -1, 5, 500));
    const nums = stats.find('TOPIC_PUT_NUMS', 'T')?.minute.snapshot();
    expect(nums).toEqual({ sum: 300, tps: 5, times: 300, avgpt: 1 });
    expect(stats.find('TOPIC_PUT_SIZE', 'T')?.minute.snapshot()).toMatchObject({
      sum: 30_000,
      avgpt: 100,
    });
    expect(stats.find('BROKER_PUT_NUMS', 'C')?.minute.snapshot().tps).toBe(5);
    run(60);
    expect(stats.find('TOPIC_PUT_NUMS', 'T')?.minute.snapshot().sum).toBe(0);
  });

  it('counts the first sample of a new item over the period before it', () => {
    const { stats, run } = setUp();
    stats.addPut('T', -1, 6, 60);
    run(10);
    expect(stats.find('TOPIC_PUT_NUMS', 'T')?.minute.snapshot()).toMatchObject({
      sum: 6,
      tps: 0.6,
    });
    expect(stats.find('TOPIC_PUT_NUMS', 'T')?.hour.snapshot()).toMatchObject({ sum: 0, tps: 0 });
  });

  it('fills the hour from samples at 10 min and the day from samples at 1 h', () => {
    const { stats, run } = setUp();
    run(2 * 3600, () => stats.addPut('T', -1, 1, 1));
    expect(stats.find('TOPIC_PUT_NUMS', 'T')?.hour.snapshot().sum).toBe(3600);
    expect(stats.find('TOPIC_PUT_NUMS', 'T')?.day.snapshot()).toMatchObject({
      sum: 7200,
      tps: 1,
    });
  });

  it('keeps groups, topics and queues apart under the keys that tools ask for', () => {
    const { stats, run } = setUp();
    stats.addGet('g', 'T', 3, 8, 800);
    stats.addGetLatency('g', 'T', 3, 40, 2);
    stats.addSendBack('g', 'T');
    stats.addPut('T', 1, 2, 20);
    run(10);
    const sum = (name: string, key: string) => stats.find(name, key)?.minute.snapshot().sum;
    expect(sum('GROUP_GET_NUMS', 'T@g')).toBe(8);
    expect(sum('GROUP_GET_SIZE', 'T@g')).toBe(800);
    expect(sum('QUEUE_GET_NUMS', 'T@3@g')).toBe(8);
    expect(stats.find('GROUP_GET_LATENCY', '3@T@g')?.minute.snapshot().avgpt).toBe(20);
    expect(sum('SNDBCK_PUT_NUMS', 'T@g')).toBe(1);
    expect(sum('QUEUE_PUT_NUMS', 'T@1')).toBe(2);
    expect(stats.groupGetTps('g', 'T')).toBe(0.8);
    expect(stats.find('NO_SUCH_NAME', 'T')).toBeUndefined();
  });

  it('forgets a deleted topic and a deleted group, and nothing else', () => {
    const { stats } = setUp();
    for (const topic of ['T', 'TT']) {
      stats.addPut(topic, 0, 1, 1);
      for (const group of ['g', 'gg']) stats.addGet(group, topic, 0, 1, 1);
    }
    stats.topicDeleted('T');
    expect(stats.find('TOPIC_PUT_NUMS', 'T')).toBeUndefined();
    expect(stats.find('GROUP_GET_NUMS', 'T@g')).toBeUndefined();
    expect(stats.find('GROUP_GET_NUMS', 'TT@g')).toBeDefined();
    stats.groupDeleted('g');
    expect(stats.find('GROUP_GET_NUMS', 'TT@g')).toBeUndefined();
    expect(stats.find('GROUP_GET_NUMS', 'TT@gg')).toBeDefined();
    expect(stats.find('QUEUE_PUT_NUMS', 'TT@0')).toBeDefined();
  });
});
