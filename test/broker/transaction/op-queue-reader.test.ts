import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { OpQueueReader } from '../../../src/broker/transaction/op-queue-reader.js';
import { RecordStore } from './record-store.js';

setLogLevel('silent');

const OP_TOPIC = 'RMQ_SYS_TRANS_OP_HALF_TOPIC';

let clock: ManualClock;
let store: RecordStore;
beforeEach(() => {
  clock = new ManualClock();
  store = new RecordStore(clock);
});

async function op(body: string | number, tag = 'd'): Promise<number> {
  const { physicalOffset } = await store.put({
    topic: OP_TOPIC,
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: clock.nowMs(),
    bornHost: Buffer.from([127, 0, 0, 1]),
    bornPort: 28_731,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(String(body)),
    properties: `WAIT\u0001true\u0002TAGS\u0001${tag}`,
    waitStoreMsgOk: false,
  });
  return physicalOffset;
}

async function reader(opOffset: number, halfOffset: number): Promise<OpQueueReader> {
  const ops = new OpQueueReader(store, 0, opOffset, halfOffset);
  await ops.read();
  return ops;
}

describe('the op offset', () => {
  it('passes what is done in a row, in whatever order it gets done', async () => {
    for (const half of [12, 10, 11]) await op(half);
    const ops = await reader(0, 10);
    expect([ops.take(10), ops.doneOffset]).toEqual([true, 0]);
    expect([ops.take(11), ops.doneOffset]).toEqual([true, 0]);
    expect([ops.take(12), ops.doneOffset]).toEqual([true, 3]);
    expect(ops.take(12)).toBe(false);
  });

  it('passes records of halves before this round at once', async () => {
    for (const half of [3, 4, 10]) await op(half);
    const ops = await reader(0, 10);
    expect(ops.doneOffset).toBe(2);
    expect(ops.take(3)).toBe(false);
  });

  it('passes the first of two records of one half with the second', async () => {
    for (const half of [10, 10, 11]) await op(half);
    const ops = await reader(0, 10);
    expect(ops.take(10)).toBe(true);
    expect(ops.doneOffset).toBe(2);
  });

  it('is held up neither by a record that says nothing of use nor by one that can not be read', async () => {
    await op('not a number');
    await op(10, 'x');
    store.unreadable.add(await op(11));
    await op(12);
    store.unreadable.add(await op(13));
    const ops = await reader(0, 10);
    expect(ops.doneOffset).toBe(3);
    expect([ops.take(10), ops.take(11), ops.take(12)]).toEqual([false, false, true]);
    expect(ops.doneOffset).toBe(5);
  });

  it('goes on where the queue begins when the records are gone', async () => {
    for (let half = 0; half < 8; half++) await op(half);
    store.minOffsets.set(`${OP_TOPIC}/0`, 5);
    const ops = await reader(2, 0);
    expect(ops.doneOffset).toBe(5);
    await ops.read();
    expect(ops.take(6)).toBe(true);
    expect(ops.take(3)).toBe(false);
  });

  it('goes back when the queue is shorter than it was', async () => {
    await op(10);
    const ops = await reader(7, 10);
    expect(ops.doneOffset).toBe(1);
    await ops.read();
    expect([ops.isAtEnd, ops.doneOffset]).toEqual([true, 1]);
  });
});

describe('reading', () => {
  it('takes 32 records at a time until there are no more', async () => {
    for (let half = 0; half < 40; half++) await op(half);
    const ops = await reader(0, 0);
    expect([ops.take(31), ops.take(32), ops.isAtEnd]).toEqual([true, false, false]);
    await ops.read();
    expect([ops.take(32), ops.isAtEnd]).toEqual([true, false]);
    await ops.read();
    expect(ops.isAtEnd).toBe(true);
    expect(store.reads).toEqual([0, 32, 40].map((at) => `${OP_TOPIC}/0@${at}`));
  });

  it('knows of an empty queue that there is nothing', async () => {
    const ops = await reader(0, 0);
    expect([ops.isAtEnd, ops.doneOffset]).toEqual([true, 0]);
  });

  it('tells when the last record was born', async () => {
    await op(1);
    clock.advance(500);
    await op(2);
    const ops = await reader(0, 0);
    expect(ops.lastBornTimestamp).toBe(clock.nowMs());
  });
});

describe('the first half of a copy', () => {
  it('counts as settled also when it lies before this round', async () => {
    await op(3);
    await op(12);
    const ops = await reader(0, 10);
    expect([ops.takeFirst(3), ops.takeFirst(12), ops.takeFirst(4)]).toEqual([true, true, false]);
    expect(ops.doneOffset).toBe(2);
  });
});
