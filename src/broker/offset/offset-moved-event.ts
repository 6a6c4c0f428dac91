// Room: broker, main thread. The record that a master leaves in OFFSET_MOVED_EVENT when it moves a reader's offset; Java's
// monitoring tool consumes it (protocol 4.7, storage 20). Pure.

import type { HostPort } from '../../base/net-address.js';
import { encodeProperties } from '../../message/message-properties.js';
import { OFFSET_MOVED_EVENT } from '../../message/topic-validator.js';
import type { MessageQueue } from '../../protocol/bodies/message-queue.js';
import { encodeOffsetMovedEvent } from '../../protocol/bodies/offset-moved-event.js';
import type { MessageToPut } from '../../store/message-store.js';

export interface OffsetMoved {
  readonly group: string;
  readonly queue: MessageQueue;
  readonly requestedOffset: number;
  readonly newOffset: number;
  readonly atMs: number;
}

/** @param brokerHost who sends it: the broker itself. */
export function offsetMovedMessage(event: OffsetMoved, brokerHost: HostPort): MessageToPut {
  const body = encodeOffsetMovedEvent({
    consumerGroup: event.group,
    messageQueue: event.queue,
    offsetNew: event.newOffset,
    offsetRequest: event.requestedOffset,
  });
  const properties = new Map([
    ['TAGS', event.group],
    ['KEYS', event.group],
    ['DELAY', '0'],
  ]);
  return {
    topic: OFFSET_MOVED_EVENT,
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: event.atMs,
    bornHost: brokerHost.address,
    bornPort: brokerHost.port,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body,
    properties: encodeProperties(properties),
    waitStoreMsgOk: false,
  };
}
