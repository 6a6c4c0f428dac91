import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { transactionBroker } from './record-store.js';

setLogLevel('silent');

const HALF = 'RMQ_SYS_TRANS_HALF_TOPIC';

function setUp(flags: Record<string, string> = {}) {
  const clock = new ManualClock();
  const broker = transactionBroker(clock, flags);
  const { tasks, transactionCheck } = broker.controller;
  const halfReads = () => broker.store.reads.filter((it) => it.startsWith(HALF)).length;
  return { ...broker, tasks, transactionCheck, halfReads };
}

describe('TransactionalMessageCheckService', () => {
  it('checks every transactionCheckInterval, for the first time after one', async () => {
    const { clock, tasks, halfReads } = setUp({ transactionCheckInterval: '5000' });
    const counts: number[] = [];
    for (let ms = 0; ms <= 12_500; ms += 2500) {
      await tasks.tick();
      counts.push(halfReads());
      clock.advance(2500);
    }
    expect(counts).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('makes the half topic at its first round, as Java does, and checks each of its queues', async () => {
    const { context, transactionCheck, store } = setUp();
    await transactionCheck.check();
    const row = context.topics.get(HALF);
    expect(row).toMatchObject({ readQueueNums: 1, writeQueueNums: 1, perm: 6 });
    if (row !== undefined) await context.topics.update({ ...row, readQueueNums: 2 });
    await transactionCheck.check();
    expect(store.reads.filter((it) => it.startsWith(HALF))).toEqual([
      `${HALF}/0@0`,
      `${HALF}/0@0`,
      `${HALF}/1@0`,
    ]);
  });

  it('does nothing on a slave, nor while the store takes no messages', async () => {
    const slave = setUp({ brokerRole: 'SLAVE', brokerId: '1' });
    await slave.transactionCheck.check();
    expect([slave.store.reads, slave.context.topics.get(HALF)]).toEqual([[], undefined]);
    const broken = setUp();
    broken.store.writable = false;
    await broken.transactionCheck.check();
    expect(broken.store.reads).toEqual([]);
  });

  it('goes on with the next queue when one fails', async () => {
    const { context, transactionCheck, store } = setUp();
    await transactionCheck.check();
    const row = context.topics.get(HALF);
    if (row !== undefined) await context.topics.update({ ...row, readQueueNums: 2 });
    store.onRead = (what) => {
      if (what.includes('/0@')) throw new Error('the disk is gone');
    };
    await transactionCheck.check();
    expect(store.reads.at(-1)).toBe(`${HALF}/1@0`);
  });

  it('never runs two rounds at once, and none after shutdown', async () => {
    const { transactionCheck, halfReads } = setUp();
    await Promise.all([transactionCheck.check(), transactionCheck.check()]);
    expect(halfReads()).toBe(1);
    await transactionCheck.shutdown();
    await transactionCheck.check();
    expect(halfReads()).toBe(1);
  });

  it('waits at shutdown for the step that is under way', async () => {
    const { transactionCheck, store } = setUp();
    let isOver = false;
    const round = transactionCheck.check().then(() => {
      isOver = true;
    });
    await transactionCheck.shutdown();
    await round;
    expect(isOver).toBe(true);
    expect(store.reads.length).toBeLessThanOrEqual(1);
  });
});
