// Room: protocol. Any thread. One statistic over minute, hour and day (protocol.md 4.7): answer of VIEW_BROKER_STATS_DATA (315).
//
//   {"statsDay":X,"statsHour":X,"statsMinute":X}      X = {"avgpt":D,"sum":L,"tps":D}

import { JavaDouble } from '../fast-json.js';
import {
  type BodyText,
  doubleMember,
  encodeJsonBody,
  type Long,
  longMember,
  objectOf,
  parseJsonBody,
} from './json-body.js';

export interface BrokerStatsItem {
  readonly avgpt: number;
  readonly sum: Long;
  readonly tps: number;
}

export interface BrokerStatsData {
  readonly statsDay: BrokerStatsItem;
  readonly statsHour: BrokerStatsItem;
  readonly statsMinute: BrokerStatsItem;
}

export function encodeBrokerStatsData(data: BrokerStatsData): Buffer {
  return encodeJsonBody({
    statsDay: toJson(data.statsDay),
    statsHour: toJson(data.statsHour),
    statsMinute: toJson(data.statsMinute),
  });
}

export function decodeBrokerStatsData(body: BodyText): BrokerStatsData {
  const object = parseJsonBody(body);
  return {
    statsDay: readItem(object['statsDay']),
    statsHour: readItem(object['statsHour']),
    statsMinute: readItem(object['statsMinute']),
  };
}

function toJson(item: BrokerStatsItem): object {
  return { avgpt: new JavaDouble(item.avgpt), sum: item.sum, tps: new JavaDouble(item.tps) };
}

function readItem(value: unknown): BrokerStatsItem {
  const object = objectOf(value ?? {}, 'a statistic');
  return {
    avgpt: doubleMember(object, 'avgpt'),
    sum: longMember(object, 'sum'),
    tps: doubleMember(object, 'tps'),
  };
}
