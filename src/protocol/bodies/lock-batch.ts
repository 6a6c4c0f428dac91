// Room: protocol. Any thread. Queues to lock for reading in order (protocol.md 2.7): bodies of codes 41 and 42.
//
//   {"clientId":S,"consumerGroup":S,"mqSet":[MQ]}      {"lockOKMQSet":[MQ]}

import {
  type BodyText,
  encodeJsonBody,
  listMember,
  parseJsonBody,
  textMemberOr,
} from './json-body.js';
import { type MessageQueue, readMessageQueue } from './message-queue.js';

/** Of both codes. */
export interface LockBatchRequest {
  readonly clientId: string;
  readonly consumerGroup: string;
  readonly mqSet: readonly MessageQueue[];
}

export function encodeLockBatchRequest(request: LockBatchRequest): Buffer {
  return encodeJsonBody(request);
}

export function decodeLockBatchRequest(body: BodyText): LockBatchRequest {
  const object = parseJsonBody(body);
  return {
    clientId: textMemberOr(object, 'clientId', ''),
    consumerGroup: textMemberOr(object, 'consumerGroup', ''),
    mqSet: listMember(object, 'mqSet', readMessageQueue),
  };
}

export function encodeLockBatchResponse(lockOKMQSet: readonly MessageQueue[]): Buffer {
  return encodeJsonBody({ lockOKMQSet });
}

export function decodeLockBatchResponse(body: BodyText): MessageQueue[] {
  return listMember(parseJsonBody(body), 'lockOKMQSet', readMessageQueue);
}
