// Room: protocol. Any thread. Where the queues of a topic are (protocol.md 4.4): answer of GET_ROUTEINFO_BY_TOPIC (105), in two forms:
//
//   {"brokerDatas":[{"brokerAddrs":{0:"ip:port"},"brokerName":S,"cluster":S}],"filterServerTable":{"ip:port":[S]},
//    "orderTopicConf":S?,"queueDatas":[{"brokerName":S,"perm":I,"readQueueNums":I,"topicSysFlag":I,"writeQueueNums":I}]}
//
// and the same as standard JSON with quoted ids, for requesters from V4_9_4 on or with acceptStandardJsonOnly. Both are read.

import { stringifyFastJson, stringifyStandardJson } from '../fast-json.js';
import {
  type BodyText,
  entriesMember,
  intMember,
  type JsonObject,
  listMember,
  mapMember,
  objectOf,
  parseJsonBody,
  safeLongOf,
  textMember,
  textMemberOr,
  textOf,
} from './json-body.js';

export interface BrokerData {
  /** By broker id; 0 is the master. In the order of the ids. */
  readonly brokerAddrs: ReadonlyMap<number, string>;
  readonly brokerName: string;
  readonly cluster: string;
}

export interface QueueData {
  readonly brokerName: string;
  readonly perm: number;
  readonly readQueueNums: number;
  readonly topicSysFlag: number;
  readonly writeQueueNums: number;
}

export interface TopicRouteData {
  readonly brokerDatas: readonly BrokerData[];
  /** Empty in practice. */
  readonly filterServerTable: ReadonlyMap<string, readonly string[]>;
  /** "broker:queues;…" of ordered topics. */
  readonly orderTopicConf: string | null;
  readonly queueDatas: readonly QueueData[];
}

export function encodeTopicRouteData(route: TopicRouteData, form: 'native' | 'standard'): Buffer {
  const text = form === 'native' ? stringifyFastJson(route) : stringifyStandardJson(route);
  return Buffer.from(text, 'utf8');
}

export function decodeTopicRouteData(body: BodyText): TopicRouteData {
  const object = parseJsonBody(body);
  return {
    brokerDatas: listMember(object, 'brokerDatas', readBrokerData),
    filterServerTable: mapMember(object, 'filterServerTable', (list, what) =>
      listMember({ [what]: list }, what, textOf),
    ),
    orderTopicConf: textMember(object, 'orderTopicConf'),
    queueDatas: listMember(object, 'queueDatas', readQueueData),
  };
}

export function readBrokerData(value: unknown, what: string): BrokerData {
  const object = objectOf(value, what);
  return {
    brokerAddrs: readBrokerAddrs(object),
    brokerName: textMemberOr(object, 'brokerName', ''),
    cluster: textMemberOr(object, 'cluster', ''),
  };
}

/** In the order of the ids, so that whoever takes the first takes the master (bugreports.md #17). */
function readBrokerAddrs(object: JsonObject): Map<number, string> {
  const addresses = entriesMember(object, 'brokerAddrs').map(([id, address]): [number, string] => [
    safeLongOf(id, 'a broker id'),
    textOf(address, 'brokerAddrs'),
  ]);
  return new Map(addresses.sort(([left], [right]) => left - right));
}

function readQueueData(value: unknown, what: string): QueueData {
  const object = objectOf(value, what);
  return {
    brokerName: textMemberOr(object, 'brokerName', ''),
    perm: intMember(object, 'perm'),
    readQueueNums: intMember(object, 'readQueueNums'),
    topicSysFlag: intMember(object, 'topicSysFlag'),
    writeQueueNums: intMember(object, 'writeQueueNums'),
  };
}
