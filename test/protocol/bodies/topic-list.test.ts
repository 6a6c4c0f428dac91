import { describe, expect, it } from 'vitest';
import {
  decodeGroupList,
  decodeTopicList,
  encodeGroupList,
  encodeTopicList,
} from '../../../src/protocol/bodies/topic-list.js';
import { roundTrips } from './golden-bodies.js';

describe('a list of names', () => {
  it('is read and written as Java does in GET_ALL_TOPIC_LIST_FROM_NAMESERVER.response', () => {
    const { java, ours } = roundTrips(
      'GET_ALL_TOPIC_LIST_FROM_NAMESERVER.response',
      decodeTopicList,
      encodeTopicList,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_SYSTEM_TOPIC_LIST_FROM_NS.response', () => {
    const { java, ours } = roundTrips(
      'GET_SYSTEM_TOPIC_LIST_FROM_NS.response',
      decodeTopicList,
      encodeTopicList,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_UNIT_TOPIC_LIST.response', () => {
    const { java, ours } = roundTrips(
      'GET_UNIT_TOPIC_LIST.response',
      decodeTopicList,
      encodeTopicList,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in QUERY_TOPIC_CONSUME_BY_WHO.response', () => {
    const { java, ours } = roundTrips(
      'QUERY_TOPIC_CONSUME_BY_WHO.response',
      decodeGroupList,
      encodeGroupList,
    );
    expect(ours).toEqual(java);
  });
});
