import { describe, expect, it } from 'vitest';
import {
  committedMessage,
  discardedHalf,
  immuneHalf,
  nextCheckTimes,
  opMessage,
  ownImmunityMs,
  realQueueOf,
  renewedHalf,
  resumedHalf,
} from '../../../src/broker/transaction/half-message.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import type { MessageExt } from '../../../src/message/message-ext.js';
import { decodeProperties } from '../../../src/message/message-properties.js';
import { goldenBytes, goldenRecord, sumAt } from './golden-transaction.js';

const BROKER_HOST = { address: Buffer.from([127, 0, 0, 1]), port: 28_731 };

function half(physicalOffset: number, more: Record<string, string> = {}): MessageExt {
  const message = decodeMessage(goldenBytes(physicalOffset), 0) as MessageExt;
  for (const [name, value] of Object.entries(more)) message.properties.set(name, value);
  return message;
}

function committed(message: MessageExt) {
  const real = realQueueOf(message);
  if (real === null) throw new Error('no real queue');
  return committedMessage(message, real);
}

describe("the records of a transaction are Java's, byte for byte", () => {
  it.each([
    ['committed at once', 7685, 7997],
    ['committed after two checks', 2_684_290, 2_685_066],
  ])('%s', (_, halfAt, committedAt) => {
    const golden = goldenRecord(committedAt);
    expect(sumAt(committed(half(halfAt)), golden)).toBe(golden.recordSha256);
  });

  it.each([
    ['of a commit', 7685, 8295],
    ['of a rollback', 8430, 8746],
    ['of a rollback after a check', 2_683_387, 2_684_155],
    ['of a commit after two checks', 2_684_290, 2_685_406],
  ])('op record %s', (_, halfAt, opAt) => {
    const golden = goldenRecord(opAt);
    const op = opMessage(half(halfAt), BROKER_HOST, golden.born);
    expect(sumAt(op, golden)).toBe(golden.recordSha256);
  });

  it.each([
    ['the first time', 8881, 2_683_033],
    ['the first time, another', 9209, 2_683_387],
    ['the second time', 2_683_033, 2_684_290],
  ])('a half that is renewed %s', (_, halfAt, renewedAt) => {
    const golden = goldenRecord(renewedAt);
    expect(sumAt(renewedHalf(half(halfAt)), golden)).toBe(golden.recordSha256);
  });

  it.each([
    ['the first time', 9529, 4, 2_683_733],
    ['the second time', 2_683_733, 7, 2_684_644],
    ['the seventh time', 2_686_807, 13, 2_687_229],
  ])('a half with a long immunity, renewed %s', (_, halfAt, queueOffset, renewedAt) => {
    const golden = goldenRecord(renewedAt);
    expect(sumAt(immuneHalf(half(halfAt), queueOffset), golden)).toBe(golden.recordSha256);
  });
});

describe('a committed message', () => {
  it('waits for flush and replication as the producer wished', () => {
    expect(committed(half(7685)).waitStoreMsgOk).toBe(true);
    expect(committed(half(7685, { WAIT: 'false' })).waitStoreMsgOk).toBe(false);
    expect(committed(half(7685, { WAIT: 'TRUE' })).waitStoreMsgOk).toBe(true);
    const plain = half(7685);
    plain.properties.delete('WAIT');
    expect(committed(plain).waitStoreMsgOk).toBe(true);
  });

  it('has no TRAN_MSG any more when it is to be delayed, since its text is made anew', () => {
    const properties = decodeProperties(committed(half(7685, { DELAY: '3' })).properties);
    expect(properties.get('DELAY')).toBe('3');
    expect(properties.has('TRAN_MSG')).toBe(false);
    expect(committed(half(7685, { DELAY: '0' })).properties).toContain('TRAN_MSG');
  });

  it("keeps the client's flag and how often it was consumed", () => {
    const message = { ...half(7685), flag: 77, reconsumeTimes: 2 };
    expect(committed(message)).toMatchObject({ flag: 77, reconsumeTimes: 2 });
    expect(renewedHalf(message)).toMatchObject({ flag: 77, reconsumeTimes: 2 });
  });
});

describe('a half', () => {
  it('without a usable real queue has none', () => {
    const without = half(7685);
    without.properties.delete('REAL_TOPIC');
    expect(realQueueOf(without)).toBeNull();
    for (const queue of ['', 'x', '-1', '1.5', '0x1']) {
      expect(realQueueOf(half(7685, { REAL_QID: queue }))).toBeNull();
    }
    expect(realQueueOf(half(7685))).toEqual({ topic: 'GoldenTran', queueId: 1 });
  });

  it('counts its checks from 1; a counter that is none begins at 0, as in Java', () => {
    expect(nextCheckTimes(half(8881))).toBe(1);
    expect(nextCheckTimes(half(2_684_290))).toBe(3);
    expect(nextCheckTimes(half(8881, { TRANSACTION_CHECK_TIMES: 'many' }))).toBe(0);
  });

  it("has an immunity of its own in seconds, or the broker's when the text is none", () => {
    expect(ownImmunityMs(half(8881), 6000)).toBeUndefined();
    const own = (text: string) =>
      ownImmunityMs(half(8881, { CHECK_IMMUNITY_TIME_IN_SECONDS: text }), 6000);
    expect(own('3600')).toBe(3_600_000);
    expect(own('0')).toBe(0);
    expect(own('-1')).toBe(6000);
    expect(own('soon')).toBe(6000);
  });

  it('is set aside with its properties as they were, and nobody waits for that', () => {
    const message = discardedHalf(half(2_684_290));
    expect(message).toMatchObject({
      topic: 'TRANS_CHECK_MAX_TIME_TOPIC',
      queueId: 0,
      waitStoreMsgOk: false,
    });
    expect(message.properties).toBe(goldenRecord(2_684_290).propsRaw);
  });

  it('is resumed with its counter at 0', () => {
    const message = resumedHalf({ ...half(2_684_290), topic: 'TRANS_CHECK_MAX_TIME_TOPIC' });
    expect(message).toMatchObject({ topic: 'RMQ_SYS_TRANS_HALF_TOPIC', queueId: 0 });
    expect(decodeProperties(message.properties).get('TRANSACTION_CHECK_TIMES')).toBe('0');
  });
});
