import { describe, expect, it } from 'vitest';
import {
  decodeConsumeStats,
  decodeConsumeStatsList,
  encodeConsumeStats,
  encodeConsumeStatsList,
} from '../../../src/protocol/bodies/consume-stats.js';
import { roundTrips } from './golden-bodies.js';

const QUEUE = '{"brokerName":"b","queueId":0,"topic":"T"}';

describe('how far a group has read', () => {
  it('is read and written as Java does in GET_CONSUME_STATS.response', () => {
    const { java, ours } = roundTrips(
      'GET_CONSUME_STATS.response',
      decodeConsumeStats,
      encodeConsumeStats,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_BROKER_CONSUME_STATS.response', () => {
    const { java, ours } = roundTrips(
      'GET_BROKER_CONSUME_STATS.response',
      decodeConsumeStatsList,
      encodeConsumeStatsList,
    );
    expect(ours).toEqual(java);
  });

  it.each(['-1', '-2', '9007199254740993', '9223372036854775807'])(
    'keeps the offset %s exactly (bug report 35)',
    (offset) => {
      const text = `{"consumeTps":0.0,"offsetTable":{${QUEUE}:{"brokerOffset":5,"consumerOffset":${offset},"lastTimestamp":0}}}`;
      expect(encodeConsumeStats(decodeConsumeStats(text)).toString()).toBe(text);
    },
  );
});
