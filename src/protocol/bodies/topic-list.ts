// Room: protocol. Any thread. Lists of names (protocol.md 4.4): answers of codes 206, 224, 304, 305, 311 to 313 and 300.
//
//   {"brokerAddr":S?,"topicList":[S]}      {"groupList":[S]}

import {
  type BodyText,
  encodeJsonBody,
  listMember,
  parseJsonBody,
  textMember,
  textOf,
} from './json-body.js';

export interface TopicList {
  readonly brokerAddr?: string | null;
  readonly topicList: readonly string[];
}

export function encodeTopicList(list: TopicList): Buffer {
  return encodeJsonBody(list);
}

export function decodeTopicList(body: BodyText): TopicList {
  const object = parseJsonBody(body);
  return {
    brokerAddr: textMember(object, 'brokerAddr'),
    topicList: listMember(object, 'topicList', textOf),
  };
}

export function encodeGroupList(groupList: readonly string[]): Buffer {
  return encodeJsonBody({ groupList });
}

export function decodeGroupList(body: BodyText): string[] {
  return listMember(parseJsonBody(body), 'groupList', textOf);
}
