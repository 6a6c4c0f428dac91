import { describe, expect, it } from 'vitest';
import {
  decodeConsumerStatus,
  decodeResetOffsetBody,
  encodeConsumerStatus,
  encodeResetOffsetBody,
  encodeResetOffsetBodyForC,
} from '../../../src/protocol/bodies/reset-offset.js';
import { roundTrips } from './golden-bodies.js';

describe('offsets by queue', () => {
  it.each(['INVOKE_BROKER_TO_RESET_OFFSET.response', 'RESET_CONSUMER_CLIENT_OFFSET.oneway'])(
    'are read and written as Java does in %s',
    (name) => {
      const { java, ours } = roundTrips(name, decodeResetOffsetBody, encodeResetOffsetBody);
      expect(ours).toEqual(java);
    },
  );

  it.each([
    'INVOKE_BROKER_TO_GET_CONSUMER_STATUS.response',
    'GET_CONSUMER_STATUS_FROM_CLIENT.response',
  ])('are read and written as Java does in %s', (name) => {
    const { java, ours } = roundTrips(name, decodeConsumerStatus, encodeConsumerStatus);
    expect(ours).toEqual(java);
  });

  it('are a list for clients in C++, and read again from it', () => {
    const offsetTable = new Map([[{ brokerName: 'b', queueId: 1, topic: 'T' }, 7n ** 22n]]);
    const bytes = encodeResetOffsetBodyForC({ offsetTable });
    expect(bytes.toString()).toBe(
      '{"offsetTable":[{"brokerName":"b","offset":3909821048582988049,"queueId":1,"topic":"T"}]}',
    );
    expect(decodeResetOffsetBody(bytes)).toEqual({ offsetTable });
  });
});
