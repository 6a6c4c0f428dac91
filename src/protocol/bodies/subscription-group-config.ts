// Room: protocol. Any thread. Settings of consumer groups (protocol.md 4.4): codes 200 and 201, and the file subscriptionGroup.json.
//
//   {"dataVersion":DV,"subscriptionGroupTable":{"<group>":{"brokerId":L,"consumeBroadcastEnable":B,"consumeEnable":B,
//    "consumeFromMinEnable":B,"groupName":S,"notifyConsumerIdsChangedEnable":B,"retryMaxTimes":I,"retryQueueNums":I,
//    "whichBrokerWhenConsumeSlowly":L}}}

import {
  type BodyText,
  booleanMember,
  encodeJsonBody,
  intMember,
  type JsonObject,
  mapMember,
  objectOf,
  parseJsonBody,
  safeLongMember,
  textMemberOr,
} from './json-body.js';
import { type DataVersion, readDataVersion } from './topic-config.js';

export interface SubscriptionGroupConfig {
  readonly brokerId: number;
  readonly consumeBroadcastEnable: boolean;
  readonly consumeEnable: boolean;
  readonly consumeFromMinEnable: boolean;
  readonly groupName: string;
  readonly notifyConsumerIdsChangedEnable: boolean;
  readonly retryMaxTimes: number;
  readonly retryQueueNums: number;
  readonly whichBrokerWhenConsumeSlowly: number;
}

export interface SubscriptionGroupWrapper {
  readonly dataVersion: DataVersion;
  readonly subscriptionGroupTable: ReadonlyMap<string, SubscriptionGroupConfig>;
}

/** The settings that a group has when nobody made any. */
export function defaultSubscriptionGroupConfig(groupName: string): SubscriptionGroupConfig {
  return readConfig({}, groupName);
}

export function encodeSubscriptionGroupConfig(config: SubscriptionGroupConfig): Buffer {
  return encodeJsonBody(config);
}

export function decodeSubscriptionGroupConfig(body: BodyText): SubscriptionGroupConfig {
  return readConfig(parseJsonBody(body), '');
}

export function encodeSubscriptionGroupWrapper(wrapper: SubscriptionGroupWrapper): Buffer {
  return encodeJsonBody(wrapper);
}

export function decodeSubscriptionGroupWrapper(body: BodyText): SubscriptionGroupWrapper {
  const object = parseJsonBody(body);
  return {
    dataVersion: readDataVersion(object['dataVersion']),
    subscriptionGroupTable: new Map(
      [...mapMember(object, 'subscriptionGroupTable', objectOf)].map(([group, config]) => [
        group,
        readConfig(config, group),
      ]),
    ),
  };
}

function readConfig(object: JsonObject, groupName: string): SubscriptionGroupConfig {
  return {
    brokerId: safeLongMember(object, 'brokerId', 0),
    consumeBroadcastEnable: booleanMember(object, 'consumeBroadcastEnable', true),
    consumeEnable: booleanMember(object, 'consumeEnable', true),
    consumeFromMinEnable: booleanMember(object, 'consumeFromMinEnable', true),
    groupName: textMemberOr(object, 'groupName', groupName),
    notifyConsumerIdsChangedEnable: booleanMember(object, 'notifyConsumerIdsChangedEnable', true),
    retryMaxTimes: intMember(object, 'retryMaxTimes', 16),
    retryQueueNums: intMember(object, 'retryQueueNums', 1),
    whichBrokerWhenConsumeSlowly: safeLongMember(object, 'whichBrokerWhenConsumeSlowly', 1),
  };
}
