// Room: processor; runs in the commitlog worker. The two roads through an internal topic, each a rewrite of the append before it is
// made: a delayed message goes to SCHEDULE_TOPIC_XXXX, queue level - 1; a half message goes to RMQ_SYS_TRANS_HALF_TOPIC, queue 0.
// The real topic and queue travel in the properties. The text is rebuilt from the whole map, so WAIT stays in it, as in Java.

import { delayLevelToQueueId, parseDelayLevels } from '../message/delay-level-table.js';
import {
  NAME_VALUE_SEPARATOR,
  PROPERTY_DELAY_TIME_LEVEL,
  PROPERTY_REAL_QUEUE_ID,
  PROPERTY_REAL_TOPIC,
} from '../message/message-const.js';
import { decodeProperties, encodeProperties } from '../message/message-properties.js';
import {
  TRANSACTION_COMMIT_TYPE,
  TRANSACTION_NOT_TYPE,
  transactionType,
  withTransactionType,
} from '../message/message-sys-flag.js';
import { SCHEDULE_TOPIC, TRANS_HALF_TOPIC } from '../message/topic-validator.js';
import type { AppendRequest } from '../store/commitlog/commit-log.js';

export interface InternalTopics {
  /** Number of entries of messageDelayLevel; higher levels become this one. */
  readonly maxDelayLevel: number;
}

/** @param messageDelayLevel the property of that name, "1s 5s 10s". */
export function internalTopicsOf(messageDelayLevel: string): InternalTopics {
  return { maxDelayLevel: parseDelayLevels(messageDelayLevel).maxLevel };
}

/** Java delays messages outside a transaction and committed ones. */
export function isDelayable(sysFlag: number): boolean {
  const type = transactionType(sysFlag);
  return type === TRANSACTION_NOT_TYPE || type === TRANSACTION_COMMIT_TYPE;
}

/** The delay level of a message by its stored text; 0 when it is delivered at once. */
export function delayLevelOf(sysFlag: number, propertiesText: string): number {
  if (
    !isDelayable(sysFlag) ||
    !propertiesText.includes(`${PROPERTY_DELAY_TIME_LEVEL}${NAME_VALUE_SEPARATOR}`)
  )
    return 0;
  const level = Number.parseInt(
    decodeProperties(propertiesText).get(PROPERTY_DELAY_TIME_LEVEL) ?? '0',
    10,
  );
  return Number.isNaN(level) ? 0 : level;
}

/**
 * The client's text with CLUSTER, for messages whose stored text is made from the whole map. Java takes WAIT out for the plain
 * text and puts it back, so it comes last; that shows where two names share a bucket of the map.
 */
export function wholeProperties(clientText: string, clusterName: string): string {
  const isWait = (pair: string) => pair.startsWith('WAIT\u0001');
  const pairs = clientText.split('\u0002').filter((pair) => pair !== '');
  const others = pairs.filter((pair) => !isWait(pair));
  return [...others, `CLUSTER\u0001${clusterName}`, ...pairs.filter(isWait)].join('\u0002');
}

/** @param propertiesText as of wholeProperties(). */
export function rewriteDelayed(
  request: AppendRequest,
  delayLevel: number,
  propertiesText: string,
  topics: InternalTopics,
): void {
  const level = Math.min(delayLevel, topics.maxDelayLevel);
  const properties = decodeProperties(propertiesText);
  properties.set(PROPERTY_DELAY_TIME_LEVEL, String(level));
  moveTo(request, properties, SCHEDULE_TOPIC, delayLevelToQueueId(level));
}

export function rewriteHalf(request: AppendRequest, propertiesText: string): void {
  request.sysFlag = withTransactionType(request.sysFlag, TRANSACTION_NOT_TYPE);
  moveTo(request, decodeProperties(propertiesText), TRANS_HALF_TOPIC, 0);
}

function moveTo(
  request: AppendRequest,
  properties: Map<string, string>,
  topic: string,
  queueId: number,
): void {
  properties.set(PROPERTY_REAL_TOPIC, request.topic);
  properties.set(PROPERTY_REAL_QUEUE_ID, String(request.queueId));
  const bytes = Buffer.from(encodeProperties(properties), 'utf8');
  request.topic = topic;
  request.queueId = queueId;
  request.properties = bytes;
  request.propertiesStart = 0;
  request.propertiesLength = bytes.length;
}
