// Room: processor. Response codes and remarks of an append's outcomes, as Java's SendMessageProcessor gives them.

import { PutMessageStatus } from '../store/put-message.js';

export interface PutOutcome {
  readonly code: number;
  readonly remark: string | null;
}

/** @param diskText the three disk ratios, `CL: 0.51 CQ: 0.51 INDEX: 0.51`, asked for only when they are told. */
export function putOutcome(
  status: PutMessageStatus,
  maxMessageSize: number,
  diskText: () => string,
): PutOutcome {
  switch (status) {
    case PutMessageStatus.PUT_OK:
      return { code: 0, remark: null };
    case PutMessageStatus.FLUSH_DISK_TIMEOUT:
      return { code: 10, remark: null };
    case PutMessageStatus.SLAVE_NOT_AVAILABLE:
      return { code: 11, remark: null };
    case PutMessageStatus.FLUSH_SLAVE_TIMEOUT:
      return { code: 12, remark: null };
    case PutMessageStatus.CREATE_MAPEDFILE_FAILED:
      return { code: 1, remark: 'create mapped file failed, server is busy or broken.' };
    case PutMessageStatus.MESSAGE_ILLEGAL:
    case PutMessageStatus.PROPERTIES_SIZE_EXCEEDED:
      return {
        code: 13,
        remark:
          'the message is illegal, maybe msg body or properties length not matched. ' +
          `msg body length limit ${maxMessageSize}B, msg properties length limit 32KB.`,
      };
    case PutMessageStatus.SERVICE_NOT_AVAILABLE:
      return {
        code: 14,
        remark:
          'service not available now. It may be caused by one of the following reasons: ' +
          `the broker's disk is full [${diskText()}], messages are put to the slave, message store has been shut down, etc.`,
      };
    case PutMessageStatus.OS_PAGECACHE_BUSY:
      return { code: 1, remark: '[PC_SYNCHRONIZED]broker busy, start flow control for a while' };
    case PutMessageStatus.LMQ_CONSUME_QUEUE_NUM_EXCEEDED:
      return {
        code: 1,
        remark:
          '[LMQ_CONSUME_QUEUE_NUM_EXCEEDED]broker config enableLmq and enableMultiDispatch, lmq consumeQueue num exceed maxLmqConsumeQueueNum config num, default limit 2w.',
      };
    case PutMessageStatus.UNKNOWN_ERROR:
      return { code: 1, remark: 'UNKNOWN_ERROR' };
    default:
      return { code: 1, remark: 'UNKNOWN_ERROR DEFAULT' };
  }
}
