// Room: protocol. Any thread. Settings of topics (protocol.md 4.4): body of code 21, part of code 103, and the file topics.json.
//
//   {"dataVersion":{"counter":L,"timestamp":L},"topicConfigTable":{"<topic>":{"order":B,"perm":I,"readQueueNums":I,
//    "topicFilterType":"SINGLE_TAG","topicName":S,"topicSysFlag":I,"writeQueueNums":I}}}

import {
  type BodyText,
  booleanMember,
  encodeJsonBody,
  enumMember,
  intMember,
  type JsonObject,
  mapMember,
  objectOf,
  parseJsonBody,
  safeLongMember,
  textMemberOr,
} from './json-body.js';

/** Two tables are equal when both numbers are; the order of versions means nothing. */
export interface DataVersion {
  readonly counter: number;
  readonly timestamp: number;
}

export type TopicFilterType = 'SINGLE_TAG' | 'MULTI_TAG';
export const TOPIC_FILTER_TYPES: readonly TopicFilterType[] = ['SINGLE_TAG', 'MULTI_TAG'];

export interface TopicConfig {
  readonly order: boolean;
  readonly perm: number;
  readonly readQueueNums: number;
  readonly topicFilterType: TopicFilterType;
  readonly topicName: string;
  readonly topicSysFlag: number;
  readonly writeQueueNums: number;
}

export interface TopicConfigSerializeWrapper {
  readonly dataVersion: DataVersion;
  readonly topicConfigTable: ReadonlyMap<string, TopicConfig>;
}

const DEFAULT_QUEUE_NUMS = 16;
const READ_WRITE = 6;

export function encodeTopicConfigSerializeWrapper(wrapper: TopicConfigSerializeWrapper): Buffer {
  return encodeJsonBody(wrapper);
}

export function decodeTopicConfigSerializeWrapper(body: BodyText): TopicConfigSerializeWrapper {
  return readTopicConfigSerializeWrapper(parseJsonBody(body));
}

export function readTopicConfigSerializeWrapper(object: JsonObject): TopicConfigSerializeWrapper {
  return {
    dataVersion: readDataVersion(object['dataVersion']),
    topicConfigTable: new Map(
      [...mapMember(object, 'topicConfigTable', objectOf)].map(([topic, config]) => [
        topic,
        readTopicConfig(config, topic),
      ]),
    ),
  };
}

export function encodeDataVersion(version: DataVersion): Buffer {
  return encodeJsonBody(version);
}

/** Null for a missing body. */
export function decodeDataVersion(body: BodyText): DataVersion | null {
  return body === null || body.length === 0 ? null : readDataVersion(parseJsonBody(body));
}

/** Version 0 of time 0 when absent. */
export function readDataVersion(value: unknown): DataVersion {
  if (value === undefined || value === null) return { counter: 0, timestamp: 0 };
  const object = objectOf(value, 'dataVersion');
  return {
    counter: safeLongMember(object, 'counter'),
    timestamp: safeLongMember(object, 'timestamp'),
  };
}

/** The name of the row stands in where the object has none. */
function readTopicConfig(object: JsonObject, topic: string): TopicConfig {
  return {
    order: booleanMember(object, 'order'),
    perm: intMember(object, 'perm', READ_WRITE),
    readQueueNums: intMember(object, 'readQueueNums', DEFAULT_QUEUE_NUMS),
    topicFilterType: enumMember(object, 'topicFilterType', TOPIC_FILTER_TYPES, 'SINGLE_TAG'),
    topicName: textMemberOr(object, 'topicName', topic),
    topicSysFlag: intMember(object, 'topicSysFlag'),
    writeQueueNums: intMember(object, 'writeQueueNums', DEFAULT_QUEUE_NUMS),
  };
}
