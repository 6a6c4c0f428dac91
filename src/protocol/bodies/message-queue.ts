// Room: protocol. Any thread. One queue of a topic on one broker, as bodies name it; also as the key of maps, which fastjson writes
// as an object in the place of a key (protocol.md 4.3). Some peers send that key as a string that holds the object's JSON.

import {
  entriesOf,
  intMember,
  type JsonObject,
  objectOf,
  parseJsonBody,
  textMemberOr,
} from './json-body.js';

export interface MessageQueue {
  readonly brokerName: string;
  readonly queueId: number;
  readonly topic: string;
}

/** Equal for equal queues; for maps in memory. */
export function messageQueueKey(queue: MessageQueue): string {
  return `${queue.topic}\n${queue.brokerName}\n${queue.queueId}`;
}

export function readMessageQueue(value: unknown, what: string): MessageQueue {
  const object = objectOf(value, what);
  return {
    brokerName: textMemberOr(object, 'brokerName', ''),
    queueId: intMember(object, 'queueId'),
    topic: textMemberOr(object, 'topic', ''),
  };
}

/** A map whose keys are queues; keys are objects in memory too, in the order of the text. */
export function readQueueTable<Value>(
  value: unknown,
  what: string,
  read: (value: unknown, what: string) => Value,
): Map<MessageQueue, Value> {
  return new Map(
    entriesOf(value, what).map(([key, member]) => [
      readMessageQueue(typeof key === 'string' ? parseJsonBody(key) : key, what),
      read(member, what),
    ]),
  );
}

export function queueTableMember<Value>(
  object: JsonObject,
  name: string,
  read: (value: unknown, what: string) => Value,
): Map<MessageQueue, Value> {
  return readQueueTable(object[name], name, read);
}
