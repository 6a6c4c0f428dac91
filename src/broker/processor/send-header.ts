// Room: broker, main thread. The header of a send as main reads it, in its long (10, 324) and its short (310, 320, 325) spelling
// (protocol 2.1). Cold: only for frames that the commitlog worker handed back. Pure.

import {
  optionalBoolean,
  optionalInt,
  optionalString,
  requireInt,
  requireLong,
  requireText,
} from '../../protocol/header-fields.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';

export interface SendHeader {
  readonly producerGroup: string;
  readonly topic: string;
  readonly defaultTopic: string;
  readonly defaultTopicQueueNums: number;
  readonly queueId: number;
  readonly sysFlag: number;
  readonly bornTimestamp: number;
  readonly flag: number;
  readonly properties: string;
  readonly reconsumeTimes: number;
  readonly unitMode: boolean;
  readonly maxReconsumeTimes: number | null;
  readonly batch: boolean;
}

const LONG_NAMES = {
  producerGroup: 'producerGroup',
  topic: 'topic',
  defaultTopic: 'defaultTopic',
  defaultTopicQueueNums: 'defaultTopicQueueNums',
  queueId: 'queueId',
  sysFlag: 'sysFlag',
  bornTimestamp: 'bornTimestamp',
  flag: 'flag',
  properties: 'properties',
  reconsumeTimes: 'reconsumeTimes',
  unitMode: 'unitMode',
  maxReconsumeTimes: 'maxReconsumeTimes',
  batch: 'batch',
} as const;

const SHORT_NAMES: Record<keyof typeof LONG_NAMES, string> = {
  producerGroup: 'a',
  topic: 'b',
  defaultTopic: 'c',
  defaultTopicQueueNums: 'd',
  queueId: 'e',
  sysFlag: 'f',
  bornTimestamp: 'g',
  flag: 'h',
  properties: 'i',
  reconsumeTimes: 'j',
  unitMode: 'k',
  maxReconsumeTimes: 'l',
  batch: 'm',
};

/** Throws an error that names the field when one is missing or wrong. */
export function decodeSendHeader(request: RemotingCommand): SendHeader {
  const isLong =
    request.code === RequestCode.SEND_MESSAGE || request.code === RequestCode.SEND_REPLY_MESSAGE;
  const names = isLong ? LONG_NAMES : SHORT_NAMES;
  return {
    producerGroup: optionalString(request, names.producerGroup) ?? '',
    topic: requireText(request, names.topic),
    defaultTopic: optionalString(request, names.defaultTopic) ?? '',
    defaultTopicQueueNums: requireInt(request, names.defaultTopicQueueNums),
    queueId: requireInt(request, names.queueId),
    sysFlag: requireInt(request, names.sysFlag),
    bornTimestamp: requireLong(request, names.bornTimestamp),
    flag: requireInt(request, names.flag),
    properties: optionalString(request, names.properties) ?? '',
    reconsumeTimes: optionalInt(request, names.reconsumeTimes) ?? 0,
    unitMode: optionalBoolean(request, names.unitMode) ?? false,
    maxReconsumeTimes: optionalInt(request, names.maxReconsumeTimes),
    batch: optionalBoolean(request, names.batch) ?? false,
  };
}
