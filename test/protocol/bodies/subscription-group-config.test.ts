import { describe, expect, it } from 'vitest';
import {
  decodeSubscriptionGroupConfig,
  decodeSubscriptionGroupWrapper,
  defaultSubscriptionGroupConfig,
  encodeSubscriptionGroupConfig,
  encodeSubscriptionGroupWrapper,
} from '../../../src/protocol/bodies/subscription-group-config.js';
import { roundTrips } from './golden-bodies.js';

describe('the settings of groups', () => {
  it('are read and written as Java does in UPDATE_AND_CREATE_SUBSCRIPTIONGROUP.request', () => {
    const { java, ours } = roundTrips(
      'UPDATE_AND_CREATE_SUBSCRIPTIONGROUP.request',
      decodeSubscriptionGroupConfig,
      encodeSubscriptionGroupConfig,
    );
    expect(ours).toEqual(java);
  });

  it('are read and written as Java does in GET_ALL_SUBSCRIPTIONGROUP_CONFIG.response', () => {
    const { java, ours } = roundTrips(
      'GET_ALL_SUBSCRIPTIONGROUP_CONFIG.response',
      decodeSubscriptionGroupWrapper,
      encodeSubscriptionGroupWrapper,
    );
    expect(ours).toEqual(java);
  });

  it('are those of protocol.md 4.4 when nobody made any', () => {
    expect(encodeSubscriptionGroupConfig(defaultSubscriptionGroupConfig('g')).toString()).toBe(
      '{"brokerId":0,"consumeBroadcastEnable":true,"consumeEnable":true,"consumeFromMinEnable":true,' +
        '"groupName":"g","notifyConsumerIdsChangedEnable":true,"retryMaxTimes":16,"retryQueueNums":1,' +
        '"whichBrokerWhenConsumeSlowly":1}',
    );
  });
});
