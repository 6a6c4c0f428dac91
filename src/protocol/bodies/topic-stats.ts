// Room: protocol. Any thread. How far the queues of a topic reach (protocol.md 4.7): answers of codes 202 and 303.
//
//   {"offsetTable":{<MQ>:{"lastUpdateTimestamp":L,"maxOffset":L,"minOffset":L}}}
//   {"consumeTimeSpanSet":[{"consumeTimeStamp":L,"consumeTimeStampStr":S,"delayTime":L,"maxTimeStamp":L,"maxTimeStampStr":S,
//    "messageQueue":MQ,"minTimeStamp":L,"minTimeStampStr":S}]}

import {
  type BodyText,
  encodeJsonBody,
  type Long,
  listMember,
  longMember,
  objectOf,
  parseJsonBody,
  safeLongMember,
  textMember,
} from './json-body.js';
import { type MessageQueue, queueTableMember, readMessageQueue } from './message-queue.js';

export interface TopicOffset {
  readonly lastUpdateTimestamp: number;
  readonly maxOffset: Long;
  readonly minOffset: Long;
}

export interface TopicStatsTable {
  readonly offsetTable: ReadonlyMap<MessageQueue, TopicOffset>;
}

export interface QueueTimeSpan {
  readonly consumeTimeStamp: number;
  /** `yyyy-MM-dd#HH:mm:ss:SSS`; the three texts repeat their numbers and may be absent. */
  readonly consumeTimeStampStr?: string | null;
  readonly delayTime: number;
  readonly maxTimeStamp: number;
  readonly maxTimeStampStr?: string | null;
  readonly messageQueue: MessageQueue;
  readonly minTimeStamp: number;
  readonly minTimeStampStr?: string | null;
}

export function encodeTopicStatsTable(table: TopicStatsTable): Buffer {
  return encodeJsonBody(table);
}

export function decodeTopicStatsTable(body: BodyText): TopicStatsTable {
  return { offsetTable: queueTableMember(parseJsonBody(body), 'offsetTable', readTopicOffset) };
}

export function encodeConsumeTimeSpan(consumeTimeSpanSet: readonly QueueTimeSpan[]): Buffer {
  return encodeJsonBody({ consumeTimeSpanSet });
}

export function decodeConsumeTimeSpan(body: BodyText): QueueTimeSpan[] {
  return listMember(parseJsonBody(body), 'consumeTimeSpanSet', readTimeSpan);
}

function readTopicOffset(value: unknown, what: string): TopicOffset {
  const object = objectOf(value, what);
  return {
    lastUpdateTimestamp: safeLongMember(object, 'lastUpdateTimestamp'),
    maxOffset: longMember(object, 'maxOffset'),
    minOffset: longMember(object, 'minOffset'),
  };
}

function readTimeSpan(value: unknown, what: string): QueueTimeSpan {
  const object = objectOf(value, what);
  return {
    consumeTimeStamp: safeLongMember(object, 'consumeTimeStamp'),
    consumeTimeStampStr: textMember(object, 'consumeTimeStampStr'),
    delayTime: safeLongMember(object, 'delayTime'),
    maxTimeStamp: safeLongMember(object, 'maxTimeStamp'),
    maxTimeStampStr: textMember(object, 'maxTimeStampStr'),
    messageQueue: readMessageQueue(object['messageQueue'] ?? {}, 'messageQueue'),
    minTimeStamp: safeLongMember(object, 'minTimeStamp'),
    minTimeStampStr: textMember(object, 'minTimeStampStr'),
  };
}
