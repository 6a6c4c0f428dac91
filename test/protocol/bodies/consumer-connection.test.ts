import { describe, expect, it } from 'vitest';
import {
  decodeConsumerConnection,
  decodeConsumerIdList,
  decodeProducerConnection,
  decodeProducerTable,
  encodeConsumerConnection,
  encodeConsumerIdList,
  encodeProducerConnection,
  encodeProducerTable,
} from '../../../src/protocol/bodies/consumer-connection.js';
import { roundTrips } from './golden-bodies.js';

describe('a list of connections', () => {
  it('is read and written as Java does in GET_CONSUMER_LIST_BY_GROUP.response', () => {
    const { java, ours } = roundTrips(
      'GET_CONSUMER_LIST_BY_GROUP.response',
      decodeConsumerIdList,
      encodeConsumerIdList,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_CONSUMER_CONNECTION_LIST.response', () => {
    const { java, ours } = roundTrips(
      'GET_CONSUMER_CONNECTION_LIST.response',
      decodeConsumerConnection,
      encodeConsumerConnection,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_PRODUCER_CONNECTION_LIST.response', () => {
    const { java, ours } = roundTrips(
      'GET_PRODUCER_CONNECTION_LIST.response',
      decodeProducerConnection,
      encodeProducerConnection,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_ALL_PRODUCER_INFO.response', () => {
    const { java, ours } = roundTrips(
      'GET_ALL_PRODUCER_INFO.response',
      decodeProducerTable,
      encodeProducerTable,
    );
    expect(ours).toEqual(java);
  });
});
