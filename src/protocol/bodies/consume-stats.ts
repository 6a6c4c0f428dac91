// Room: protocol. Any thread. How far groups have read (protocol.md 4.7): answers of codes 208 and 317.
//
//   {"consumeTps":D,"offsetTable":{<MQ>:{"brokerOffset":L,"consumerOffset":L,"lastTimestamp":L}}}
//   {"brokerAddr":S,"consumeStatsList":[{"<group>":[ConsumeStats]}],"totalDiff":L}

import { JavaDouble } from '../fast-json.js';
import {
  type BodyText,
  doubleMember,
  encodeJsonBody,
  entriesOf,
  type JsonObject,
  type Long,
  listMember,
  longMember,
  objectOf,
  parseJsonBody,
  safeLongMember,
  textMemberOr,
} from './json-body.js';
import { type MessageQueue, queueTableMember } from './message-queue.js';

export type { MessageQueue } from './message-queue.js';

export interface OffsetWrapper {
  readonly brokerOffset: Long;
  readonly consumerOffset: Long;
  readonly lastTimestamp: number;
}

export interface ConsumeStats {
  readonly consumeTps: number;
  readonly offsetTable: ReadonlyMap<MessageQueue, OffsetWrapper>;
}

export interface ConsumeStatsList {
  readonly brokerAddr: string;
  /** One map a group, with one entry each in what brokers send. */
  readonly consumeStatsList: readonly ReadonlyMap<string, readonly ConsumeStats[]>[];
  readonly totalDiff: Long;
}

export function encodeConsumeStats(stats: ConsumeStats): Buffer {
  return encodeJsonBody(toJson(stats));
}

export function decodeConsumeStats(body: BodyText): ConsumeStats {
  return readConsumeStats(parseJsonBody(body));
}

export function encodeConsumeStatsList(list: ConsumeStatsList): Buffer {
  return encodeJsonBody({
    ...list,
    consumeStatsList: list.consumeStatsList.map(
      (groups) => new Map([...groups].map(([group, stats]) => [group, stats.map(toJson)])),
    ),
  });
}

export function decodeConsumeStatsList(body: BodyText): ConsumeStatsList {
  const object = parseJsonBody(body);
  return {
    brokerAddr: textMemberOr(object, 'brokerAddr', ''),
    consumeStatsList: listMember(object, 'consumeStatsList', (groups, what) => {
      const entries = entriesOf(groups, what).map(([group, list]): [string, ConsumeStats[]] => [
        String(group),
        listMember({ list }, 'list', (stats) => readConsumeStats(objectOf(stats, what))),
      ]);
      return new Map(entries);
    }),
    totalDiff: longMember(object, 'totalDiff'),
  };
}

function toJson(stats: ConsumeStats): object {
  return { ...stats, consumeTps: new JavaDouble(stats.consumeTps) };
}

function readConsumeStats(object: JsonObject): ConsumeStats {
  return {
    consumeTps: doubleMember(object, 'consumeTps'),
    offsetTable: queueTableMember(object, 'offsetTable', readOffsetWrapper),
  };
}

function readOffsetWrapper(value: unknown, what: string): OffsetWrapper {
  const object = objectOf(value, what);
  return {
    brokerOffset: longMember(object, 'brokerOffset'),
    consumerOffset: longMember(object, 'consumerOffset'),
    lastTimestamp: safeLongMember(object, 'lastTimestamp'),
  };
}
