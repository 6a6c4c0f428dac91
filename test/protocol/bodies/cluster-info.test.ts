import { describe, expect, it } from 'vitest';
import { decodeClusterInfo, encodeClusterInfo } from '../../../src/protocol/bodies/cluster-info.js';
import { roundTrips } from './golden-bodies.js';

describe('the brokers of all clusters', () => {
  it('is read and written as Java does in GET_BROKER_CLUSTER_INFO.response', () => {
    const { java, ours } = roundTrips(
      'GET_BROKER_CLUSTER_INFO.response',
      decodeClusterInfo,
      encodeClusterInfo,
    );
    expect(ours).toEqual(java);
  });
});
