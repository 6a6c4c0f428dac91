import { describe, expect, it } from 'vitest';
import {
  decodeBrokerStatsData,
  encodeBrokerStatsData,
} from '../../../src/protocol/bodies/broker-stats-data.js';
import { roundTrips } from './golden-bodies.js';

describe('a statistic over minute, hour and day', () => {
  it('is read and written as Java does in VIEW_BROKER_STATS_DATA.response', () => {
    const { java, ours } = roundTrips(
      'VIEW_BROKER_STATS_DATA.response',
      decodeBrokerStatsData,
      encodeBrokerStatsData,
    );
    expect(ours).toEqual(java);
  });
});
