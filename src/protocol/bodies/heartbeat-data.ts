// Room: protocol. Any thread. What a client says of itself (protocol.md 4.6): body of HEART_BEAT (34) and CHECK_CLIENT_CONFIG (46).
//
//   {"clientID":S,"consumerDataSet":[{"consumeFromWhere":E,"consumeType":E,"groupName":S,"messageModel":E,
//    "subscriptionDataSet":[SubscriptionData],"unitMode":B}],"producerDataSet":[{"groupName":S}]}
//   {"clientId":S,"group":S,"subscriptionData":SubscriptionData}
//
// Enum names that are not known become Java's usual ones, where Java would have null and fail later.

import {
  type BodyText,
  booleanMember,
  encodeJsonBody,
  enumMember,
  listMember,
  objectOf,
  parseJsonBody,
  textMemberOr,
} from './json-body.js';
import { readSubscriptionData, type SubscriptionData } from './subscription-data.js';

export type { SubscriptionData } from './subscription-data.js';

export type ConsumeFromWhere = (typeof CONSUME_FROM_WHERE)[number];
export type ConsumeType = (typeof CONSUME_TYPES)[number];
export type MessageModel = (typeof MESSAGE_MODELS)[number];

export const CONSUME_FROM_WHERE = [
  'CONSUME_FROM_LAST_OFFSET',
  'CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST',
  'CONSUME_FROM_MIN_OFFSET',
  'CONSUME_FROM_MAX_OFFSET',
  'CONSUME_FROM_FIRST_OFFSET',
  'CONSUME_FROM_TIMESTAMP',
] as const;
/** Pull and push. */
export const CONSUME_TYPES = ['CONSUME_ACTIVELY', 'CONSUME_PASSIVELY'] as const;
export const MESSAGE_MODELS = ['BROADCASTING', 'CLUSTERING'] as const;

export interface ConsumerData {
  readonly consumeFromWhere: ConsumeFromWhere;
  readonly consumeType: ConsumeType;
  readonly groupName: string;
  readonly messageModel: MessageModel;
  readonly subscriptionDataSet: readonly SubscriptionData[];
  readonly unitMode: boolean;
}

export interface ProducerData {
  readonly groupName: string;
}

export interface HeartbeatData {
  readonly clientID: string;
  readonly consumerDataSet: readonly ConsumerData[];
  readonly producerDataSet: readonly ProducerData[];
}

export interface CheckClientConfig {
  readonly clientId: string;
  readonly group: string;
  readonly subscriptionData: SubscriptionData;
}

export function encodeHeartbeatData(data: HeartbeatData): Buffer {
  return encodeJsonBody(data);
}

export function decodeHeartbeatData(body: BodyText): HeartbeatData {
  const object = parseJsonBody(body);
  return {
    clientID: textMemberOr(object, 'clientID', ''),
    consumerDataSet: listMember(object, 'consumerDataSet', readConsumerData),
    producerDataSet: listMember(object, 'producerDataSet', readProducerData),
  };
}

export function encodeCheckClientConfig(config: CheckClientConfig): Buffer {
  return encodeJsonBody(config);
}

export function decodeCheckClientConfig(body: BodyText): CheckClientConfig {
  const object = parseJsonBody(body);
  return {
    clientId: textMemberOr(object, 'clientId', ''),
    group: textMemberOr(object, 'group', ''),
    subscriptionData: readSubscriptionData(object['subscriptionData'] ?? {}, 'subscriptionData'),
  };
}

function readConsumerData(value: unknown, what: string): ConsumerData {
  const object = objectOf(value, what);
  return {
    consumeFromWhere: enumMember(
      object,
      'consumeFromWhere',
      CONSUME_FROM_WHERE,
      'CONSUME_FROM_LAST_OFFSET',
    ),
    consumeType: enumMember(object, 'consumeType', CONSUME_TYPES, 'CONSUME_PASSIVELY'),
    groupName: textMemberOr(object, 'groupName', ''),
    messageModel: enumMember(object, 'messageModel', MESSAGE_MODELS, 'CLUSTERING'),
    subscriptionDataSet: listMember(object, 'subscriptionDataSet', readSubscriptionData),
    unitMode: booleanMember(object, 'unitMode'),
  };
}

function readProducerData(value: unknown, what: string): ProducerData {
  return { groupName: textMemberOr(objectOf(value, what), 'groupName', '') };
}
