// Room: broker, main thread. The records of a transaction and what one makes of another (storage 19). Pure.
//
//   half        RMQ_SYS_TRANS_HALF_TOPIC/0, transaction bits 0; the real topic and queue are in REAL_TOPIC and REAL_QID
//   committed   the real topic and queue, bits 8, preparedTransactionOffset = where the half lies; the half's text unchanged
//   op          RMQ_SYS_TRANS_OP_HALF_TOPIC, tag d, body = the half's queue offset as decimal text: that half is settled
//   renewed     a half stored anew because nobody settled it, with TRANSACTION_CHECK_TIMES counted up; with an immunity of its
//               own it also names the first half's queue offset
//   discarded   TRANS_CHECK_MAX_TIME_TOPIC/0: a half that was asked after too often, or is too old

import type { HostPort } from '../../base/net-address.js';
import {
  PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS,
  PROPERTY_DELAY_TIME_LEVEL,
  PROPERTY_REAL_QUEUE_ID,
  PROPERTY_REAL_TOPIC,
  PROPERTY_TAGS,
  PROPERTY_TRANSACTION_CHECK_TIMES,
  PROPERTY_TRANSACTION_PREPARED,
  PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET,
  PROPERTY_WAIT_STORE_MSG_OK,
} from '../../message/message-const.js';
import { encodeMessage } from '../../message/message-encoder.js';
import type { MessageExt } from '../../message/message-ext.js';
import { encodeProperties, encodePropertiesInOrder } from '../../message/message-properties.js';
import { TRANSACTION_COMMIT_TYPE, withTransactionType } from '../../message/message-sys-flag.js';
import {
  TRANS_CHECK_MAX_TIME_TOPIC,
  TRANS_HALF_TOPIC,
  TRANS_OP_HALF_TOPIC,
} from '../../message/topic-validator.js';
import type { MessageToPut, PutMessageResult } from '../../store/message-store.js';

/** Keeps how far the check has read the half and the op queues. */
export const TRANS_CONSUMER_GROUP = 'CID_RMQ_SYS_TRANS';

/** The tag of op records. */
export const REMOVE_TAG = 'd';

const WHOLE_NUMBER = /^[-+]?\d{1,15}$/;
const OP_PROPERTIES = encodePropertiesInOrder(
  new Map([
    [PROPERTY_WAIT_STORE_MSG_OK, 'true'],
    [PROPERTY_TAGS, REMOVE_TAG],
  ]),
);

export interface RealQueue {
  readonly topic: string;
  readonly queueId: number;
}

/** Where the producer sent the message; null when the half does not say so. */
export function realQueueOf(half: MessageExt): RealQueue | null {
  const topic = half.properties.get(PROPERTY_REAL_TOPIC);
  const queueId = wholeNumber(half.properties.get(PROPERTY_REAL_QUEUE_ID));
  if (topic === undefined || queueId === null || queueId < 0) return null;
  return { topic, queueId };
}

export function committedMessage(half: MessageExt, real: RealQueue): MessageToPut {
  const wait = half.properties.get(PROPERTY_WAIT_STORE_MSG_OK);
  return {
    ...copyOf(half),
    ...real,
    sysFlag: withTransactionType(half.sysFlag, TRANSACTION_COMMIT_TYPE),
    preparedTransactionOffset: half.physicalOffset,
    properties: committedText(half),
    waitStoreMsgOk: wait === undefined || wait.toLowerCase() === 'true',
  };
}

/** Only a delayed one gets a new text, of which Java has taken TRAN_MSG by then. */
function committedText(half: MessageExt): string {
  const level = wholeNumber(half.properties.get(PROPERTY_DELAY_TIME_LEVEL));
  if (level === null || level <= 0) return half.propertiesText;
  const properties = new Map(half.properties);
  properties.delete(PROPERTY_TRANSACTION_PREPARED);
  return encodeProperties(properties);
}

/** @param brokerHost who sends it: the broker itself. */
export function opMessage(half: MessageExt, brokerHost: HostPort, nowMs: number): MessageToPut {
  return {
    topic: TRANS_OP_HALF_TOPIC,
    queueId: half.queueId,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: nowMs,
    bornHost: brokerHost.address,
    bornPort: brokerHost.port,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(String(half.queueOffset), 'latin1'),
    properties: OP_PROPERTIES,
    waitStoreMsgOk: false,
  };
}

/** How often the half has been asked after, this time included; it counts from 1. */
export function nextCheckTimes(half: MessageExt): number {
  const times = half.properties.get(PROPERTY_TRANSACTION_CHECK_TIMES);
  return times === undefined ? 1 : (wholeNumber(times) ?? -1) + 1;
}

export function renewedHalf(half: MessageExt): MessageToPut {
  return { ...copyOf(half), properties: encodeProperties(countedProperties(half)) };
}

/** The form of a half with an immunity of its own, which is still in it. */
export function immuneHalf(half: MessageExt, halfQueueOffset: number): MessageToPut {
  const properties = countedProperties(half).set(PROPERTY_WAIT_STORE_MSG_OK, 'false');
  properties.set(
    PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET,
    half.properties.get(PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET) ?? String(halfQueueOffset),
  );
  return { ...copyOf(half), properties: encodeProperties(properties) };
}

export function discardedHalf(half: MessageExt): MessageToPut {
  const properties = encodeProperties(half.properties);
  return { ...copyOf(half), topic: TRANS_CHECK_MAX_TIME_TOPIC, queueId: 0, properties };
}

/** The half with the counter at 0: it is asked after as often as a new one (code 323). */
export function resumedHalf(half: MessageExt): MessageToPut {
  const properties = new Map(half.properties).set(PROPERTY_TRANSACTION_CHECK_TIMES, '0');
  const text = encodeProperties(properties);
  return { ...copyOf(half), topic: TRANS_HALF_TOPIC, queueId: 0, properties: text };
}

/** The body of CHECK_TRANSACTION_STATE: the half where it lies now, as the producer knows it. */
export function checkedRecord(half: MessageExt, real: RealQueue, stored: PutMessageResult): Buffer {
  const properties = countedProperties(half).set(PROPERTY_WAIT_STORE_MSG_OK, 'false');
  return encodeMessage({
    ...half,
    ...real,
    queueOffset: stored.queueOffset,
    physicalOffset: stored.physicalOffset,
    propertiesText: encodeProperties(properties),
  });
}

/** The half's own immunity from checks, or undefined; nonsense counts as the broker's. */
export function ownImmunityMs(half: MessageExt, transactionTimeOut: number): number | undefined {
  const text = half.properties.get(PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS);
  if (text === undefined) return undefined;
  const seconds = wholeNumber(text);
  return seconds === null || seconds === -1 ? transactionTimeOut : seconds * 1000;
}

/** The queue offset of the first half, in the immune form; null in all others. */
export function preparedQueueOffset(half: MessageExt): number | null {
  return wholeNumber(half.properties.get(PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET));
}

/** Null for everything but a whole number that a number holds exactly. */
export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && WHOLE_NUMBER.test(text) ? Number(text) : null;
}

function countedProperties(half: MessageExt): Map<string, string> {
  const properties = new Map(half.properties);
  return properties.set(PROPERTY_TRANSACTION_CHECK_TIMES, String(nextCheckTimes(half)));
}

/** Nobody waits for the records that the check writes. Java forgets the client's flag in them; it is kept here. */
function copyOf(half: MessageExt): MessageToPut {
  return {
    topic: half.topic,
    queueId: half.queueId,
    flag: half.flag,
    sysFlag: half.sysFlag,
    bornTimestamp: half.bornTimestamp,
    bornHost: half.bornHost.address,
    bornPort: half.bornHost.port,
    storeHost: half.storeHost,
    reconsumeTimes: half.reconsumeTimes,
    preparedTransactionOffset: 0,
    body: half.body,
    properties: half.propertiesText,
    waitStoreMsgOk: false,
  };
}
