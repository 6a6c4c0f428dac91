// Room: protocol. Any thread. The order in which Java writes header fields, so that our frames are the same bytes. A JSON header
// and most ROCKETMQ headers follow the HashMap that the fields were put in; four "fast" headers are written field by field in
// ROCKETMQ, and what else is in the map follows them. Readers must not care.

import { javaHashMapOrder } from '../message/java-hash-map-order.js';
import { type RemotingCommand, SerializeType } from './remoting-command.js';

const SEND_MESSAGE_V2 = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n'];
const SEND_MESSAGE_RESPONSE = ['msgId', 'queueId', 'queueOffset', 'transactionId'];
const PULL_MESSAGE_REQUEST = [
  'consumerGroup',
  'topic',
  'queueId',
  'queueOffset',
  'maxMsgNums',
  'sysFlag',
  'commitOffset',
  'suspendTimeoutMillis',
  'subscription',
  'subVersion',
  'expressionType',
];
const PULL_MESSAGE_RESPONSE = ['suggestWhichBrokerId', 'nextBeginOffset', 'minOffset', 'maxOffset'];

/** The names of the fields to write, in Java's order; fields without a value are left out. */
export function orderedExtFields(command: RemotingCommand): readonly string[] {
  const fields = command.extFields;
  if (fields === null) return [];
  const names = namesWithValue(fields);
  if (command.serializeType === SerializeType.JSON) return javaHashMapOrder(names);
  const first = fastHeader(fields);
  if (first === null) return javaHashMapOrder(names);
  const rest = names.filter((name) => !first.includes(name));
  return [...first.filter((name) => names.includes(name)), ...javaHashMapOrder(rest)];
}

function namesWithValue(fields: Record<string, unknown>): string[] {
  const names = Object.keys(fields);
  for (const name of names) {
    if (typeof fields[name] !== 'string') {
      return names.filter((it) => typeof fields[it] === 'string');
    }
  }
  return names;
}

/** A fast header is told by its fields, because a response does not say what it answers. */
function fastHeader(fields: Record<string, string>): readonly string[] | null {
  if (typeof fields['a'] === 'string' && typeof fields['b'] === 'string') return SEND_MESSAGE_V2;
  if (typeof fields['suggestWhichBrokerId'] === 'string') return PULL_MESSAGE_RESPONSE;
  if (typeof fields['msgId'] === 'string' && typeof fields['queueOffset'] === 'string') {
    return SEND_MESSAGE_RESPONSE;
  }
  if (typeof fields['maxMsgNums'] === 'string' && typeof fields['subVersion'] === 'string') {
    return PULL_MESSAGE_REQUEST;
  }
  return null;
}
