import { describe, expect, it } from 'vitest';
import {
  decodeConsumerRunningInfo,
  encodeConsumerRunningInfo,
} from '../../../src/protocol/bodies/consumer-running-info.js';
import { roundTrips } from './golden-bodies.js';

const QUEUE = '{"brokerName":"b","queueId":0,"topic":"T"}';

describe('the inner state of a consumer', () => {
  it('is read and written as Java does in GET_CONSUMER_RUNNING_INFO.response', () => {
    const { java, ours } = roundTrips(
      'GET_CONSUMER_RUNNING_INFO.response',
      decodeConsumerRunningInfo,
      encodeConsumerRunningInfo,
    );
    expect(ours).toEqual(java);
  });

  it.each([
    ['-1', -1],
    ['-2', -2],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
  ])('keeps the offset %s exactly (bug report 35)', (digits, offset) => {
    const info = decodeConsumerRunningInfo(`{"mqTable":{${QUEUE}:{"commitOffset":${digits}}}}`);
    expect([...info.mqTable.values()].map((queue) => queue.commitOffset)).toEqual([offset]);
    expect(encodeConsumerRunningInfo(info).toString()).toContain(`"commitOffset":${digits},`);
  });

  it('is refused when an offset was written as an unsigned number', () => {
    const text = `{"mqTable":{${QUEUE}:{"commitOffset":18446744073709551615}}}`;
    expect(() => decodeConsumerRunningInfo(text)).toThrow(/commitOffset is no 64-bit number/);
  });

  it('reads the word of the Go client for a dropped queue', () => {
    const { mqTable } = decodeConsumerRunningInfo(`{"mqTable":{${QUEUE}:{"dropped":true}}}`);
    expect([...mqTable.values()].map((queue) => queue.droped)).toEqual([true]);
  });
});
