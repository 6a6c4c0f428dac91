// Room: protocol. Any thread. Who is connected (protocol.md 4.6): answers of codes 38, 203, 204 and 328.
//
//   {"consumerIdList":[S]}
//   {"connectionSet":[{"clientAddr":"ip:port","clientId":S,"language":"JAVA","version":I}],"consumeFromWhere":E,"consumeType":E,
//    "messageModel":E,"subscriptionTable":{"<topic>":SubscriptionData}}
//   {"data":{"<group>":[{"clientId":S,"language":E,"lastUpdateTimestamp":L,"remoteIP":"/ip:port","version":I}]}}

import {
  type BodyText,
  encodeJsonBody,
  intMember,
  listMember,
  mapMember,
  objectOf,
  parseJsonBody,
  safeLongMember,
  textMember,
  textMemberOr,
  textOf,
} from './json-body.js';
import { readSubscriptionData, type SubscriptionData } from './subscription-data.js';

export interface ClientConnection {
  readonly clientAddr: string;
  readonly clientId: string;
  readonly language: string;
  readonly version: number;
}

export interface ConsumerConnection {
  readonly connectionSet: readonly ClientConnection[];
  readonly consumeFromWhere: string | null;
  readonly consumeType: string | null;
  readonly messageModel: string | null;
  readonly subscriptionTable: ReadonlyMap<string, SubscriptionData>;
}

export interface ProducerConnection {
  readonly connectionSet: readonly ClientConnection[];
}

export interface ProducerInfo {
  readonly clientId: string;
  readonly language: string;
  readonly lastUpdateTimestamp: number;
  /** With a slash before it. */
  readonly remoteIP: string;
  readonly version: number;
}

export function encodeConsumerIdList(consumerIdList: readonly string[]): Buffer {
  return encodeJsonBody({ consumerIdList });
}

export function decodeConsumerIdList(body: BodyText): string[] {
  return listMember(parseJsonBody(body), 'consumerIdList', textOf);
}

export function encodeConsumerConnection(connection: ConsumerConnection): Buffer {
  return encodeJsonBody(connection);
}

export function decodeConsumerConnection(body: BodyText): ConsumerConnection {
  const object = parseJsonBody(body);
  return {
    connectionSet: listMember(object, 'connectionSet', readConnection),
    consumeFromWhere: textMember(object, 'consumeFromWhere'),
    consumeType: textMember(object, 'consumeType'),
    messageModel: textMember(object, 'messageModel'),
    subscriptionTable: mapMember(object, 'subscriptionTable', readSubscriptionData),
  };
}

export function encodeProducerConnection(connection: ProducerConnection): Buffer {
  return encodeJsonBody(connection);
}

export function decodeProducerConnection(body: BodyText): ProducerConnection {
  return { connectionSet: listMember(parseJsonBody(body), 'connectionSet', readConnection) };
}

export function encodeProducerTable(data: ReadonlyMap<string, readonly ProducerInfo[]>): Buffer {
  return encodeJsonBody({ data });
}

export function decodeProducerTable(body: BodyText): Map<string, ProducerInfo[]> {
  return mapMember(parseJsonBody(body), 'data', (list, what) =>
    listMember({ [what]: list }, what, readProducerInfo),
  );
}

function readConnection(value: unknown, what: string): ClientConnection {
  const object = objectOf(value, what);
  return {
    clientAddr: textMemberOr(object, 'clientAddr', ''),
    clientId: textMemberOr(object, 'clientId', ''),
    language: textMemberOr(object, 'language', 'OTHER'),
    version: intMember(object, 'version'),
  };
}

function readProducerInfo(value: unknown, what: string): ProducerInfo {
  const object = objectOf(value, what);
  return {
    clientId: textMemberOr(object, 'clientId', ''),
    language: textMemberOr(object, 'language', 'OTHER'),
    lastUpdateTimestamp: safeLongMember(object, 'lastUpdateTimestamp'),
    remoteIP: textMemberOr(object, 'remoteIP', ''),
    version: intMember(object, 'version'),
  };
}
