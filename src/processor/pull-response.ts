// Room: processor. Which code a read's status becomes, and where the client goes on: the table of Java's PullMessageProcessor, the
// slave's part of it included.

import type { GetMessageStatus } from '../store/message-store.js';
import type { GroupConfigRow } from './table-replicas.js';

export interface PullResponse {
  code: number;
  remark: GetMessageStatus;
  nextBeginOffset: number;
  suggestWhichBrokerId: number;
}

const CODES: Readonly<Record<GetMessageStatus, number>> = {
  FOUND: 0,
  NO_MATCHED_MESSAGE: 20,
  MESSAGE_WAS_REMOVING: 20,
  OFFSET_FOUND_NULL: 19,
  OFFSET_OVERFLOW_ONE: 19,
  OFFSET_OVERFLOW_BADLY: 21,
  OFFSET_TOO_SMALL: 21,
  NO_MESSAGE_IN_QUEUE: 19,
};

/** Reused: read it before the next call. */
const response: PullResponse = {
  code: 0,
  remark: 'FOUND',
  nextBeginOffset: 0,
  suggestWhichBrokerId: 0,
};

export function pullResponse(
  get: {
    readonly status: GetMessageStatus;
    readonly nextBeginOffset: number;
    readonly suggestPullingFromSlave: boolean;
  },
  queueOffset: number,
  broker: {
    readonly isSlave: boolean;
    readonly offsetCheckInSlave: boolean;
    readonly slaveReadEnable: boolean;
  },
  group: GroupConfigRow,
): PullResponse {
  const { status } = get;
  response.remark = status;
  response.code = status === 'NO_MESSAGE_IN_QUEUE' && queueOffset !== 0 ? 21 : CODES[status];
  response.nextBeginOffset = get.nextBeginOffset;
  response.suggestWhichBrokerId = 0;
  if (broker.slaveReadEnable) {
    response.suggestWhichBrokerId = get.suggestPullingFromSlave
      ? group.whichBrokerWhenConsumeSlowly
      : group.brokerId;
  }
  if (response.code === 21 && broker.isSlave && !broker.offsetCheckInSlave) {
    response.code = 20;
    response.suggestWhichBrokerId = group.brokerId;
    response.nextBeginOffset = queueOffset;
  }
  return response;
}
