// Room: protocol. Any thread. What a consumer says of its inner state (protocol.md 4.6): answer of GET_CONSUMER_RUNNING_INFO (307).
//
//   {"jstack":S?,"mqTable":{<MQ>:ProcessQueueInfo},"properties":{S:S},"statusTable":{"<topic>":ConsumeStatus},
//    "subscriptionSet":[SubscriptionData]}
//
// Offsets keep every digit, -1 stays -1 (bugreports.md #35). The Go client writes `dropped` for Java's `droped`; both are read.

import { JavaDouble } from '../fast-json.js';
import {
  type BodyText,
  booleanMember,
  doubleMember,
  encodeJsonBody,
  intMember,
  type Long,
  listMember,
  longMember,
  mapMember,
  objectOf,
  parseJsonBody,
  safeLongMember,
  textMember,
  textOf,
} from './json-body.js';
import { type MessageQueue, queueTableMember } from './message-queue.js';
import { readSubscriptionData, type SubscriptionData } from './subscription-data.js';

export interface ProcessQueueInfo {
  readonly cachedMsgCount: number;
  readonly cachedMsgMaxOffset: Long;
  readonly cachedMsgMinOffset: Long;
  readonly cachedMsgSizeInMiB: number;
  readonly commitOffset: Long;
  readonly droped: boolean;
  readonly lastConsumeTimestamp: number;
  readonly lastLockTimestamp: number;
  readonly lastPullTimestamp: number;
  readonly locked: boolean;
  readonly transactionMsgCount: number;
  readonly transactionMsgMaxOffset: Long;
  readonly transactionMsgMinOffset: Long;
  readonly tryUnlockTimes: Long;
}

export interface ConsumeStatus {
  readonly consumeFailedMsgs: number;
  readonly consumeFailedTPS: number;
  readonly consumeOKTPS: number;
  readonly consumeRT: number;
  readonly pullRT: number;
  readonly pullTPS: number;
}

export interface ConsumerRunningInfo {
  readonly jstack: string | null;
  readonly mqTable: ReadonlyMap<MessageQueue, ProcessQueueInfo>;
  readonly properties: ReadonlyMap<string, string>;
  readonly statusTable: ReadonlyMap<string, ConsumeStatus>;
  readonly subscriptionSet: readonly SubscriptionData[];
}

export const PROP_NAMESERVER_ADDR = 'PROP_NAMESERVER_ADDR';
export const PROP_THREADPOOL_CORE_SIZE = 'PROP_THREADPOOL_CORE_SIZE';
export const PROP_CONSUME_ORDERLY = 'PROP_CONSUMEORDERLY';
export const PROP_CONSUME_TYPE = 'PROP_CONSUME_TYPE';
export const PROP_CLIENT_VERSION = 'PROP_CLIENT_VERSION';
export const PROP_CONSUMER_START_TIMESTAMP = 'PROP_CONSUMER_START_TIMESTAMP';

export function encodeConsumerRunningInfo(info: ConsumerRunningInfo): Buffer {
  const statuses = [...info.statusTable].map(([topic, status]): [string, object] => [
    topic,
    {
      consumeFailedMsgs: status.consumeFailedMsgs,
      consumeFailedTPS: new JavaDouble(status.consumeFailedTPS),
      consumeOKTPS: new JavaDouble(status.consumeOKTPS),
      consumeRT: new JavaDouble(status.consumeRT),
      pullRT: new JavaDouble(status.pullRT),
      pullTPS: new JavaDouble(status.pullTPS),
    },
  ]);
  return encodeJsonBody({ ...info, statusTable: new Map(statuses) });
}

export function decodeConsumerRunningInfo(body: BodyText): ConsumerRunningInfo {
  const object = parseJsonBody(body);
  return {
    jstack: textMember(object, 'jstack'),
    mqTable: queueTableMember(object, 'mqTable', readProcessQueueInfo),
    properties: mapMember(object, 'properties', textOf),
    statusTable: mapMember(object, 'statusTable', readConsumeStatus),
    subscriptionSet: listMember(object, 'subscriptionSet', readSubscriptionData),
  };
}

function readProcessQueueInfo(value: unknown, what: string): ProcessQueueInfo {
  const object = objectOf(value, what);
  return {
    cachedMsgCount: intMember(object, 'cachedMsgCount'),
    cachedMsgMaxOffset: longMember(object, 'cachedMsgMaxOffset'),
    cachedMsgMinOffset: longMember(object, 'cachedMsgMinOffset'),
    cachedMsgSizeInMiB: intMember(object, 'cachedMsgSizeInMiB'),
    commitOffset: longMember(object, 'commitOffset'),
    droped: booleanMember(object, 'droped', booleanMember(object, 'dropped')),
    lastConsumeTimestamp: safeLongMember(object, 'lastConsumeTimestamp'),
    lastLockTimestamp: safeLongMember(object, 'lastLockTimestamp'),
    lastPullTimestamp: safeLongMember(object, 'lastPullTimestamp'),
    locked: booleanMember(object, 'locked'),
    transactionMsgCount: intMember(object, 'transactionMsgCount'),
    transactionMsgMaxOffset: longMember(object, 'transactionMsgMaxOffset'),
    transactionMsgMinOffset: longMember(object, 'transactionMsgMinOffset'),
    tryUnlockTimes: longMember(object, 'tryUnlockTimes'),
  };
}

function readConsumeStatus(value: unknown, what: string): ConsumeStatus {
  const object = objectOf(value, what);
  return {
    consumeFailedMsgs: safeLongMember(object, 'consumeFailedMsgs'),
    consumeFailedTPS: doubleMember(object, 'consumeFailedTPS'),
    consumeOKTPS: doubleMember(object, 'consumeOKTPS'),
    consumeRT: doubleMember(object, 'consumeRT'),
    pullRT: doubleMember(object, 'pullRT'),
    pullTPS: doubleMember(object, 'pullTPS'),
  };
}
