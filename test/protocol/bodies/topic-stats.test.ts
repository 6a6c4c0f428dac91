import { describe, expect, it } from 'vitest';
import {
  decodeConsumeTimeSpan,
  decodeTopicStatsTable,
  encodeConsumeTimeSpan,
  encodeTopicStatsTable,
} from '../../../src/protocol/bodies/topic-stats.js';
import { roundTrips } from './golden-bodies.js';

describe('the reach of a topic', () => {
  it('is read and written as Java does in GET_TOPIC_STATS_INFO.response', () => {
    const { java, ours } = roundTrips(
      'GET_TOPIC_STATS_INFO.response',
      decodeTopicStatsTable,
      encodeTopicStatsTable,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in QUERY_CONSUME_TIME_SPAN.response', () => {
    const { java, ours } = roundTrips(
      'QUERY_CONSUME_TIME_SPAN.response',
      decodeConsumeTimeSpan,
      encodeConsumeTimeSpan,
    );
    expect(ours).toEqual(java);
  });
});
