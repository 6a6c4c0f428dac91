import { describe, expect, it } from 'vitest';
import {
  decodeCheckClientConfig,
  decodeHeartbeatData,
  encodeCheckClientConfig,
  encodeHeartbeatData,
} from '../../../src/protocol/bodies/heartbeat-data.js';
import { roundTrips } from './golden-bodies.js';

describe('a heartbeat', () => {
  it('is read and written as Java does in HEART_BEAT.request', () => {
    const { java, ours } = roundTrips(
      'HEART_BEAT.request',
      decodeHeartbeatData,
      encodeHeartbeatData,
    );
    expect(java.length).toBeGreaterThan(5);
    expect(ours).toEqual(java);
  });

  it('may name its enums by number, and unknown names become the usual ones', () => {
    const { consumerDataSet } = decodeHeartbeatData(
      '{"clientID":"c","consumerDataSet":[{"groupName":"g","consumeType":0,"messageModel":"NEW","consumeFromWhere":5}]}',
    );
    expect(consumerDataSet).toEqual([
      {
        consumeFromWhere: 'CONSUME_FROM_TIMESTAMP',
        consumeType: 'CONSUME_ACTIVELY',
        groupName: 'g',
        messageModel: 'CLUSTERING',
        subscriptionDataSet: [],
        unitMode: false,
      },
    ]);
  });
});

describe('a question about a filter', () => {
  it('is read and written as Java does in CHECK_CLIENT_CONFIG.request', () => {
    const { java, ours } = roundTrips(
      'CHECK_CLIENT_CONFIG.request',
      decodeCheckClientConfig,
      encodeCheckClientConfig,
    );
    expect(ours).toEqual(java);
  });
});
