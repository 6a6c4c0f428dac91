// Room: protocol. Any thread. All brokers of all clusters: answer of GET_BROKER_CLUSTER_INFO (106), always with bare ids.
//
//   {"brokerAddrTable":{"<brokerName>":BrokerData},"clusterAddrTable":{"<cluster>":["<brokerName>"]}}

import {
  type BodyText,
  encodeJsonBody,
  listMember,
  mapMember,
  parseJsonBody,
  textOf,
} from './json-body.js';
import { type BrokerData, readBrokerData } from './topic-route-data.js';

export interface ClusterInfo {
  readonly brokerAddrTable: ReadonlyMap<string, BrokerData>;
  readonly clusterAddrTable: ReadonlyMap<string, readonly string[]>;
}

export function encodeClusterInfo(info: ClusterInfo): Buffer {
  return encodeJsonBody(info);
}

export function decodeClusterInfo(body: BodyText): ClusterInfo {
  const object = parseJsonBody(body);
  return {
    brokerAddrTable: mapMember(object, 'brokerAddrTable', readBrokerData),
    clusterAddrTable: mapMember(object, 'clusterAddrTable', (list, what) =>
      listMember({ [what]: list }, what, textOf),
    ),
  };
}
