import { describe, expect, it } from 'vitest';
import {
  decodeDataVersion,
  decodeTopicConfigSerializeWrapper,
  encodeDataVersion,
  encodeTopicConfigSerializeWrapper,
} from '../../../src/protocol/bodies/topic-config.js';
import { roundTrips } from './golden-bodies.js';

describe('the table of topics', () => {
  it('is read and written as Java does in GET_ALL_TOPIC_CONFIG.response', () => {
    const { java, ours } = roundTrips(
      'GET_ALL_TOPIC_CONFIG.response',
      decodeTopicConfigSerializeWrapper,
      encodeTopicConfigSerializeWrapper,
    );
    expect(ours).toEqual(java);
  });

  it('gives a row what Java gives it when members are absent', () => {
    const { topicConfigTable, dataVersion } = decodeTopicConfigSerializeWrapper(
      '{"topicConfigTable":{"T":{"perm":4,"later":1}}}',
    );
    expect(dataVersion).toEqual({ counter: 0, timestamp: 0 });
    expect(topicConfigTable.get('T')).toEqual({
      order: false,
      perm: 4,
      readQueueNums: 16,
      topicFilterType: 'SINGLE_TAG',
      topicName: 'T',
      topicSysFlag: 0,
      writeQueueNums: 16,
    });
  });
});

describe('a version', () => {
  it('is read and written as Java does in QUERY_DATA_VERSION', () => {
    for (const name of ['QUERY_DATA_VERSION.request', 'QUERY_DATA_VERSION.response']) {
      const { java, ours } = roundTrips(name, decodeDataVersion, (version) =>
        encodeDataVersion(version ?? { counter: -1, timestamp: -1 }),
      );
      expect(ours).toEqual(java);
    }
  });

  it('is absent when the body is', () => {
    expect(decodeDataVersion(null)).toBeNull();
  });
});
