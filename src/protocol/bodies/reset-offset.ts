// Room: protocol. Any thread. Offsets by queue (protocol.md 4.7): bodies of codes 220, 222, 221 and 223. Clients in C++ read a list.
//
//   {"offsetTable":{<MQ>:L}}      {"offsetTable":[{"brokerName":S,"offset":L,"queueId":I,"topic":S}]}
//   {"consumerTable":{"<clientId>":{<MQ>:L}},"messageQueueTable":{<MQ>:L}}

import {
  type BodyText,
  encodeJsonBody,
  type Long,
  longMember,
  longOf,
  mapMember,
  objectOf,
  parseJsonBody,
} from './json-body.js';
import {
  type MessageQueue,
  queueTableMember,
  readMessageQueue,
  readQueueTable,
} from './message-queue.js';

export interface ResetOffsetBody {
  readonly offsetTable: ReadonlyMap<MessageQueue, Long>;
}

export interface ConsumerStatus {
  /** By client id; what a broker answers. */
  readonly consumerTable: ReadonlyMap<string, ReadonlyMap<MessageQueue, Long>>;
  /** What one client answers. */
  readonly messageQueueTable: ReadonlyMap<MessageQueue, Long>;
}

export function encodeResetOffsetBody(body: ResetOffsetBody): Buffer {
  return encodeJsonBody(body);
}

/** For clients whose language is CPP. */
export function encodeResetOffsetBodyForC(body: ResetOffsetBody): Buffer {
  const offsetTable = [...body.offsetTable].map(([queue, offset]) => ({ ...queue, offset }));
  return encodeJsonBody({ offsetTable });
}

/** Reads both forms. */
export function decodeResetOffsetBody(body: BodyText): ResetOffsetBody {
  const object = parseJsonBody(body);
  const table = object['offsetTable'];
  if (!Array.isArray(table))
    return { offsetTable: queueTableMember(object, 'offsetTable', longOf) };
  return {
    offsetTable: new Map(
      table.map((row) => [
        readMessageQueue(row, 'offsetTable'),
        longMember(objectOf(row, 'offsetTable'), 'offset'),
      ]),
    ),
  };
}

export function encodeConsumerStatus(status: ConsumerStatus): Buffer {
  return encodeJsonBody(status);
}

export function decodeConsumerStatus(body: BodyText): ConsumerStatus {
  const object = parseJsonBody(body);
  return {
    consumerTable: mapMember(object, 'consumerTable', (table, what) =>
      readQueueTable(table, what, longOf),
    ),
    messageQueueTable: queueTableMember(object, 'messageQueueTable', longOf),
  };
}
