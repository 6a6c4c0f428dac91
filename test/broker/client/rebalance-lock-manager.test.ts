import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { RebalanceLockManager } from '../../../src/broker/client/rebalance-lock-manager.js';

const queue = (queueId: number) => ({ topic: 'T', brokerName: 'b', queueId });

describe('RebalanceLockManager', () => {
  it('gives a free queue to the first who asks and refuses it to the second', () => {
    const locks = new RebalanceLockManager(new ManualClock());
    expect(locks.tryLockBatch('g', [queue(0), queue(1)], 'c1')).toHaveLength(2);
    expect(locks.tryLockBatch('g', [queue(1), queue(2)], 'c2')).toEqual([queue(2)]);
  });

  it('keeps groups apart', () => {
    const locks = new RebalanceLockManager(new ManualClock());
    locks.tryLockBatch('g', [queue(0)], 'c1');
    expect(locks.tryLockBatch('h', [queue(0)], 'c2')).toEqual([queue(0)]);
  });

  it('lets a lease go 60 s after its last renewal, and not before', () => {
    const clock = new ManualClock();
    const locks = new RebalanceLockManager(clock);
    locks.tryLockBatch('g', [queue(0)], 'c1');
    clock.advance(40_000);
    expect(locks.tryLockBatch('g', [queue(0)], 'c1')).toHaveLength(1);
    clock.advance(60_000);
    expect(locks.tryLockBatch('g', [queue(0)], 'c2')).toHaveLength(0);
    clock.advance(1);
    expect(locks.tryLockBatch('g', [queue(0)], 'c2')).toHaveLength(1);
    expect(locks.isLocked('g', queue(0), 'c1')).toBe(false);
  });

  it('does not let a stepped wall clock expire a lease', () => {
    const clock = new ManualClock();
    const locks = new RebalanceLockManager(clock);
    locks.tryLockBatch('g', [queue(0)], 'c1');
    clock.stepWallClock(3_600_000);
    expect(locks.tryLockBatch('g', [queue(0)], 'c2')).toHaveLength(0);
  });

  it("unlocks a client's own queues only", () => {
    const locks = new RebalanceLockManager(new ManualClock());
    locks.tryLockBatch('g', [queue(0)], 'c1');
    locks.unlockBatch('g', [queue(0)], 'c2');
    expect(locks.isLocked('g', queue(0), 'c1')).toBe(true);
    locks.unlockBatch('g', [queue(0)], 'c1');
    expect(locks.tryLockBatch('g', [queue(0)], 'c2')).toHaveLength(1);
  });

  it('forgets groups whose locks have all expired', () => {
    const clock = new ManualClock();
    const locks = new RebalanceLockManager(clock);
    locks.tryLockBatch('g', [queue(0)], 'c1');
    clock.advance(60_001);
    locks.scanExpired();
    expect(locks.groupCount).toBe(0);
  });
});
