// Room: protocol. Any thread. The body of the messages in OFFSET_MOVED_EVENT (protocol.md 4.7): a group asked for an offset that a
// queue does not have.
//
//   {"consumerGroup":S,"messageQueue":MQ,"offsetNew":L,"offsetRequest":L}

import {
  type BodyText,
  encodeJsonBody,
  type Long,
  longMember,
  parseJsonBody,
  textMemberOr,
} from './json-body.js';
import { type MessageQueue, readMessageQueue } from './message-queue.js';

export interface OffsetMovedEvent {
  readonly consumerGroup: string;
  readonly messageQueue: MessageQueue;
  readonly offsetNew: Long;
  readonly offsetRequest: Long;
}

export function encodeOffsetMovedEvent(event: OffsetMovedEvent): Buffer {
  return encodeJsonBody(event);
}

export function decodeOffsetMovedEvent(body: BodyText): OffsetMovedEvent {
  const object = parseJsonBody(body);
  return {
    consumerGroup: textMemberOr(object, 'consumerGroup', ''),
    messageQueue: readMessageQueue(object['messageQueue'] ?? {}, 'messageQueue'),
    offsetNew: longMember(object, 'offsetNew'),
    offsetRequest: longMember(object, 'offsetRequest'),
  };
}
