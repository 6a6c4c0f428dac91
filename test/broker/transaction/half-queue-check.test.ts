import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ClientChannelInfo } from '../../../src/broker/client/client-channel-info.js';
import { opMessage } from '../../../src/broker/transaction/half-message.js';
import { checkHalfQueue } from '../../../src/broker/transaction/half-queue-check.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import type { MessageExt } from '../../../src/message/message-ext.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { FakeConnection } from '../fakes.js';
import { transactionBroker } from './record-store.js';

setLogLevel('silent');

const HALF = 'RMQ_SYS_TRANS_HALF_TOPIC';
const OP = 'RMQ_SYS_TRANS_OP_HALF_TOPIC';
const DISCARDED = 'TRANS_CHECK_MAX_TIME_TOPIC';
const GROUP = 'CID_RMQ_SYS_TRANS';
const TIME_OUT_MS = 6000;

let clock: ManualClock;
let broker: ReturnType<typeof transactionBroker>;
let producer: FakeConnection;

function setUp(flags: Record<string, string> = {}): void {
  clock = new ManualClock();
  broker = transactionBroker(clock, flags);
  producer = new FakeConnection(1);
  broker.context.producers.register('pg', new ClientChannelInfo(producer, 'p', 0, 407, clock));
}
beforeEach(() => setUp());

/** Stores a half; gives its physical offset. */
async function half(more: Record<string, string> = {}, bornAgoMs = 0): Promise<number> {
  const properties = { TRAN_MSG: 'true', REAL_TOPIC: 'T', REAL_QID: '2', PGROUP: 'pg', ...more };
  const text = Object.entries(properties).map(([name, value]) => `${name}\u0001${value}`);
  const { physicalOffset } = await broker.store.put({
    topic: HALF,
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: clock.nowMs() - bornAgoMs,
    bornHost: Buffer.from([127, 0, 0, 1]),
    bornPort: 40_000,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(`half ${broker.store.countOf(HALF)}`),
    properties: text.join('\u0002'),
    waitStoreMsgOk: true,
  });
  return physicalOffset;
}

/** The op record of the half at a queue offset. */
async function settle(queueOffset: number): Promise<void> {
  const stored = broker.store.queues.get(`${HALF}/0`)?.[queueOffset];
  const message = decodeMessage(stored?.record ?? Buffer.alloc(0), 0) as MessageExt;
  const host = { address: Buffer.from([127, 0, 0, 1]), port: 28_731 };
  await broker.store.put(opMessage(message, host, clock.nowMs()));
}

function round(isStopped: () => boolean = () => false): Promise<void> {
  return checkHalfQueue(broker.context, 0, isStopped);
}

const offsets = () => [HALF, OP].map((topic) => broker.context.offsets.query(GROUP, topic, 0));
const asked = () => producer.oneways.map((it) => it.extFields?.['tranStateTableOffset']);
const checkTimes = () =>
  broker.store.messages(HALF).map((it) => it.properties.get('TRANSACTION_CHECK_TIMES'));

describe('a half that is settled', () => {
  it('is passed with its op record, and nobody is asked', async () => {
    for (let i = 0; i < 3; i++) await half();
    for (const i of [1, 0, 2]) await settle(i);
    await round();
    expect(offsets()).toEqual([3, 3]);
    expect(broker.store.countOf(HALF)).toBe(3);
    expect(asked()).toEqual([]);
  });

  it('is not asked after when its op record is beyond the first that are read', async () => {
    for (let i = 0; i < 80; i++) await half();
    clock.advance(TIME_OUT_MS + 1);
    for (let i = 79; i >= 0; i--) await settle(i);
    await round();
    expect(asked()).toEqual([]);
    expect(offsets()).toEqual([80, 80]);
  });

  it('is not set aside either, however often it was asked after', async () => {
    for (let i = 0; i < 40; i++) await half({ TRANSACTION_CHECK_TIMES: '15' });
    clock.advance(TIME_OUT_MS + 1);
    for (let i = 39; i >= 0; i--) await settle(i);
    await round();
    expect(broker.store.countOf(DISCARDED)).toBe(0);
  });

  it('leaves the event loop its turn when there are many', async () => {
    for (let i = 0; i < 3000; i++) await half();
    clock.advance(TIME_OUT_MS + 1);
    for (let i = 1; i < 3000; i++) await settle(i);
    await settle(0);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await round();
    isOver = true;
    expect(offsets()).toEqual([3000, 3000]);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

describe('a half that nobody settled', () => {
  it('is stored anew and asked after once it is as old as transactionTimeOut, to the millisecond', async () => {
    await half();
    clock.advance(TIME_OUT_MS - 1);
    await round();
    expect([asked(), offsets()]).toEqual([[], [-1, -1]]);
    clock.advance(1);
    await round();
    expect(asked()).toEqual(['1']);
    expect(checkTimes()).toEqual([undefined, '1']);
    expect(offsets()).toEqual([1, -1]);
  });

  it('is named to the producer by where it lies now, with its real topic and queue', async () => {
    await half();
    clock.advance(TIME_OUT_MS);
    await round();
    const [command] = producer.oneways;
    expect(command?.extFields?.['commitLogOffset']).toBe('100');
    const record = decodeMessage(command?.body ?? Buffer.alloc(0), 0);
    expect(record).toMatchObject({ topic: 'T', queueId: 2, queueOffset: 1, physicalOffset: 100 });
    expect(record?.body.toString()).toBe('half 0');
  });

  it('is asked after in every round, and set aside after transactionCheckMax of them', async () => {
    setUp({ transactionCheckMax: '3' });
    await half();
    for (let i = 0; i < 6; i++) {
      clock.advance(60_000);
      await round();
    }
    expect(asked()).toEqual(['1', '2', '3']);
    expect(checkTimes()).toEqual([undefined, '1', '2', '3']);
    const [aside] = broker.store.messages(DISCARDED);
    expect(aside?.properties.get('TRANSACTION_CHECK_TIMES')).toBe('3');
    expect(broker.store.countOf(DISCARDED)).toBe(1);
    expect(broker.context.topics.get(DISCARDED)).toMatchObject({ perm: 6, writeQueueNums: 1 });
    expect(offsets()[0]).toBe(4);
  });

  it('is set aside when it is older than the log keeps files', async () => {
    setUp({ fileReservedTime: '48' });
    await half({}, 48 * 3_600_000 - 1);
    await half({}, 48 * 3_600_000);
    clock.advance(1);
    await round();
    expect(broker.store.messages(DISCARDED).map((it) => it.body.toString())).toEqual(['half 1']);
    expect(asked()).toEqual(['2']);
  });

  it('of an offline group is counted all the same', async () => {
    await half({ PGROUP: 'nobody' });
    clock.advance(TIME_OUT_MS);
    await round();
    expect(checkTimes()).toEqual([undefined, '1']);
  });

  it('is asked after at once when the clock of its producer is ahead', async () => {
    await half({}, -3_600_000);
    clock.advance(1);
    await round();
    expect(asked()).toEqual(['1']);
  });

  it('ends the round while it is young; what lies behind it waits for it', async () => {
    await half();
    await half({}, TIME_OUT_MS);
    clock.advance(1);
    await round();
    expect(asked()).toEqual([]);
    clock.advance(TIME_OUT_MS);
    await round();
    expect(asked()).toEqual(['2', '3']);
  });

  it('is not asked after in the round in which it was stored', async () => {
    await half({}, TIME_OUT_MS);
    await round();
    expect([asked(), broker.store.countOf(HALF)]).toEqual([[], 1]);
    clock.advance(1);
    await round();
    expect([asked(), broker.store.countOf(HALF)]).toEqual([['1'], 2]);
  });

  it('is not passed while the store refuses', async () => {
    await half();
    await half({ TRANSACTION_CHECK_TIMES: '15' });
    clock.advance(TIME_OUT_MS);
    broker.store.refused.add(HALF);
    await round();
    expect([asked(), offsets()]).toEqual([[], [-1, -1]]);
    broker.store.refused.delete(HALF);
    broker.store.refused.add(DISCARDED);
    await round();
    expect([asked(), offsets()]).toEqual([['2'], [1, -1]]);
    broker.store.refused.clear();
    await round();
    expect(broker.store.countOf(DISCARDED)).toBe(1);
  });

  it('is not passed when the store says that it may be lost', async () => {
    await half();
    clock.advance(TIME_OUT_MS);
    broker.store.putStatus = PutMessageStatus.UNKNOWN_ERROR;
    await round();
    expect([asked(), offsets()]).toEqual([[], [-1, -1]]);
  });
});

describe('a half with an immunity of its own', () => {
  const immune = (seconds: string) => ({ CHECK_IMMUNITY_TIME_IN_SECONDS: seconds });

  it('is stored anew in each round without being asked after, and holds up no other', async () => {
    await half(immune('3600'));
    await half();
    clock.advance(10_000);
    await round();
    expect(asked()).toEqual(['3']);
    const copy = broker.store.messages(HALF)[2];
    expect(copy?.properties.get('TRAN_PREPARED_QUEUE_OFFSET')).toBe('0');
    expect(copy?.properties.get('WAIT')).toBe('false');
    clock.advance(10_000);
    await round();
    const again = broker.store.messages(HALF)[4];
    expect(again?.properties.get('TRAN_PREPARED_QUEUE_OFFSET')).toBe('0');
    expect(again?.properties.get('TRANSACTION_CHECK_TIMES')).toBe('2');
    expect(asked()).toEqual(['3', '5']);
  });

  it('is asked after in the very millisecond in which the immunity ends', async () => {
    await half(immune('20'));
    clock.advance(19_999);
    await round();
    expect(asked()).toEqual([]);
    clock.advance(1);
    await round();
    expect(asked()).toEqual(['2']);
  });

  it('may be shorter than transactionTimeOut', async () => {
    await half(immune('1'));
    clock.advance(1000);
    await round();
    expect(asked()).toEqual(['1']);
  });

  it('is over when its first form is settled, whether that lies before the round or in it', async () => {
    await half(immune('3600'));
    clock.advance(10_000);
    await round();
    await settle(0);
    clock.advance(10_000);
    await round();
    expect(broker.store.countOf(HALF)).toBe(2);
    expect(offsets()).toEqual([2, 1]);
    clock.advance(3_600_000);
    await round();
    expect(asked()).toEqual([]);
  });
});

describe('a damaged half', () => {
  it('is left out and logged; the others are asked after', async () => {
    await half();
    const damaged = await half();
    const cut = await half();
    await half();
    broker.store.unreadable.add(damaged);
    broker.store.all.find((it) => it.physicalOffset === cut)?.record.fill(0, 0, 8);
    clock.advance(TIME_OUT_MS);
    await round();
    expect(asked()).toEqual(['4', '5']);
    expect(offsets()[0]).toBe(4);
  });

  it('at the end of the queue is left out, too', async () => {
    await half();
    broker.store.unreadable.add(await half());
    clock.advance(TIME_OUT_MS);
    await round();
    expect([asked(), offsets()[0]]).toEqual([['2'], 2]);
  });

  it('that can not be asked after is stored anew, counted, and holds up no other', async () => {
    await half({ REAL_QID: 'x' });
    await half();
    clock.advance(TIME_OUT_MS);
    await round();
    expect(asked()).toEqual(['3']);
    expect(checkTimes()).toEqual([undefined, undefined, '1', '1']);
  });
});

describe('an offset that leads nowhere', () => {
  it('goes on where the queue begins', async () => {
    for (let i = 0; i < 5; i++) await half();
    broker.context.offsets.commit('test', GROUP, HALF, 0, 1);
    broker.store.minOffsets.set(`${HALF}/0`, 3);
    clock.advance(TIME_OUT_MS);
    await round();
    expect(asked()).toEqual(['5', '6']);
    expect(offsets()[0]).toBe(5);
  });

  it('goes back when the queue is shorter than it was, and all op records count again', async () => {
    await half();
    await settle(0);
    broker.context.offsets.commit('test', GROUP, HALF, 0, 9);
    broker.context.offsets.commit('test', GROUP, OP, 0, 1);
    await round();
    expect(offsets()).toEqual([1, 0]);
    await round();
    expect(offsets()).toEqual([1, 1]);
  });
});

describe('a round', () => {
  it('with nothing to do is two reads, and changes nothing', async () => {
    await round();
    expect(broker.store.reads).toEqual([`${OP}/0@0`, `${HALF}/0@0`]);
    expect(offsets()).toEqual([-1, -1]);
    expect(broker.store.all).toEqual([]);
  });

  it('ends after 60 s and keeps how far it came', async () => {
    for (let i = 0; i < 4; i++) await half();
    clock.advance(TIME_OUT_MS);
    broker.store.onRead = (what) => {
      if (what.startsWith(HALF)) clock.advance(25_000);
    };
    await round();
    expect([asked(), offsets()[0]]).toEqual([['4', '5', '6'], 3]);
  });

  it('ends at its next step when it is told to', async () => {
    for (let i = 0; i < 4; i++) await half();
    clock.advance(TIME_OUT_MS);
    await round(() => asked().length === 2);
    expect([asked(), offsets()[0]]).toEqual([['4', '5'], 2]);
  });

  it('keeps how far it came when the store fails', async () => {
    for (let i = 0; i < 3; i++) await half();
    clock.advance(TIME_OUT_MS);
    broker.store.onRead = (what) => {
      if (what === `${HALF}/0@2`) throw new Error('the disk is gone');
    };
    await expect(round()).rejects.toThrow('the disk is gone');
    expect(offsets()[0]).toBe(2);
  });

  it('reads no op records from after its beginning without end', async () => {
    await half();
    clock.advance(TIME_OUT_MS);
    for (let i = 0; i < 40; i++) await settle(0);
    await half();
    clock.advance(TIME_OUT_MS);
    let isBusy = true;
    broker.store.onRead = (what) => {
      if (!what.startsWith(OP) || !isBusy) return;
      clock.advance(1000);
      void settle(0);
      if (broker.store.countOf(OP) > 200) isBusy = false;
    };
    await round();
    expect(broker.store.countOf(OP)).toBeLessThan(100);
    expect(asked().length).toBe(1);
  });
});
