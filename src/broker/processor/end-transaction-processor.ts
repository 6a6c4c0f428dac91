// Room: broker, main thread. Hot. Code 37: a producer commits or rolls back a half message (protocol 6.11). One look-up in the
// log, then the appends: a commit stores the message under its real topic, and both leave an op record that settles the half.
// Always holds: a half is settled by a commit only after the committed record is stored; it lies before the op record in the log,
// so that no crash keeps the second without the first.

import { MAX_ENDING_TRANSACTIONS } from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import { type HostPort, parseHostPort } from '../../base/net-address.js';
import { PROPERTY_PRODUCER_GROUP } from '../../message/message-const.js';
import { decodeMessage } from '../../message/message-decoder.js';
import type { MessageExt } from '../../message/message-ext.js';
import {
  TRANSACTION_COMMIT_TYPE,
  TRANSACTION_ROLLBACK_TYPE,
} from '../../message/message-sys-flag.js';
import { TRANS_HALF_TOPIC } from '../../message/topic-validator.js';
import {
  optionalBoolean,
  requireInt,
  requireLong,
  requireString,
} from '../../protocol/header-fields.js';
import { createResponse, type RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import { PutMessageStatus, putMessageStatusName } from '../../store/put-message.js';
import type { BrokerContext } from '../broker-context.js';
import type { ClientConnection } from '../client/client-channel-info.js';
import { committedMessage, opMessage, realQueueOf } from '../transaction/half-message.js';
import { failure, REMARK_NEVER_SET, success, successWithStaleRemark } from './answers.js';
import { isStored } from './put-answer.js';

const log = getLogger('broker.transaction');

const OVERLOAD = '[OVERLOAD]system busy, start flow control for a while';

export function registerEndTransaction(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  const brokerHost = parseHostPort(broker.brokerAddr);
  let underWay = 0;
  dispatcher.register([RequestCode.END_TRANSACTION], async (request, connection) => {
    if (underWay >= MAX_ENDING_TRANSACTIONS) {
      return createResponse(request, ResponseCode.SYSTEM_BUSY, OVERLOAD);
    }
    underWay++;
    try {
      return await endTransaction(broker, brokerHost, request, connection);
    } finally {
      underWay--;
    }
  });
}

interface EndTransactionHeader {
  readonly producerGroup: string;
  readonly tranStateTableOffset: number;
  readonly commitLogOffset: number;
  readonly commitOrRollback: number;
}

async function endTransaction(
  broker: BrokerContext,
  brokerHost: HostPort,
  request: RemotingCommand,
  connection: ClientConnection,
): Promise<RemotingCommand | null> {
  const header = decodeHeader(request);
  if (broker.config.brokerRole === 'SLAVE') {
    return createResponse(request, ResponseCode.SLAVE_NOT_AVAILABLE, REMARK_NEVER_SET);
  }
  noteEnd(header, request, connection);
  const isCommit = header.commitOrRollback === TRANSACTION_COMMIT_TYPE;
  if (!isCommit && header.commitOrRollback !== TRANSACTION_ROLLBACK_TYPE) return null;
  const half = await preparedMessage(broker, header.commitLogOffset);
  const refusal = half === null ? 'Find prepared transaction message failed' : wrong(half, header);
  if (half === null || refusal !== null) {
    return failure(request, ResponseCode.SYSTEM_ERROR, refusal ?? '');
  }
  if (isCommit) return commit(broker, brokerHost, request, half);
  settle(broker, brokerHost, half);
  return successWithStaleRemark(request);
}

function decodeHeader(request: RemotingCommand): EndTransactionHeader {
  requireString(request, 'msgId');
  return {
    producerGroup: requireString(request, 'producerGroup'),
    tranStateTableOffset: requireLong(request, 'tranStateTableOffset'),
    commitLogOffset: requireLong(request, 'commitLogOffset'),
    commitOrRollback: requireInt(request, 'commitOrRollback'),
  };
}

/** Commits by the producer's own accord are the rule; of all else Java leaves a line. The client's error is in the remark. */
function noteEnd(
  header: EndTransactionHeader,
  request: RemotingCommand,
  connection: ClientConnection,
): void {
  if (!log.isLevelEnabled('debug')) return;
  const isCheck = optionalBoolean(request, 'fromTransactionCheck') ?? false;
  if (!isCheck && header.commitOrRollback === TRANSACTION_COMMIT_TYPE) return;
  const from = connection.remoteAddress;
  log.debug('a transaction ends', { ...header, isCheck, from, remark: request.remark });
}

/** The half message at the offset; what lies there may be any other record, or nothing. */
async function preparedMessage(
  broker: BrokerContext,
  physicalOffset: number,
): Promise<MessageExt | null> {
  const record = await broker.store.lookMessageByOffset(physicalOffset);
  const message = record === null ? null : decodeMessage(record, 0);
  return message?.topic === TRANS_HALF_TOPIC ? message : null;
}

function wrong(half: MessageExt, header: EndTransactionHeader): string | null {
  if (half.properties.get(PROPERTY_PRODUCER_GROUP) !== header.producerGroup) {
    return 'The producer group wrong';
  }
  if (half.queueOffset !== header.tranStateTableOffset) {
    return 'The transaction state table offset wrong';
  }
  return half.physicalOffset === header.commitLogOffset ? null : 'The commit log offset wrong';
}

async function commit(
  broker: BrokerContext,
  brokerHost: HostPort,
  request: RemotingCommand,
  half: MessageExt,
): Promise<RemotingCommand> {
  const real = realQueueOf(half);
  if (real === null) {
    return failure(request, ResponseCode.SYSTEM_ERROR, 'The real topic or queue is missing');
  }
  const { status } = await broker.store.put(committedMessage(half, real));
  if (!isStored(status)) return putFailure(broker, request, status);
  settle(broker, brokerHost, half);
  return success(request);
}

/** The answer does not wait for the op record: without it the half is asked after, and the producer says the same again. */
function settle(broker: BrokerContext, brokerHost: HostPort, half: MessageExt): void {
  const failed = (reason: object) =>
    log.error('an op record was not stored', { offsetMsgId: half.offsetMsgId, ...reason });
  broker.store.put(opMessage(half, brokerHost, broker.clock.nowMs())).then(
    ({ status }) => {
      if (!isStored(status)) failed({ status: putMessageStatusName(status) });
    },
    (error: unknown) => failed({ err: error }),
  );
}

/** Not the texts of a send: Java has others here. */
function putFailure(
  broker: BrokerContext,
  request: RemotingCommand,
  status: PutMessageStatus,
): RemotingCommand {
  switch (status) {
    case PutMessageStatus.CREATE_MAPEDFILE_FAILED:
      return failure(request, ResponseCode.SYSTEM_ERROR, 'Create mapped file failed.');
    case PutMessageStatus.MESSAGE_ILLEGAL:
    case PutMessageStatus.PROPERTIES_SIZE_EXCEEDED:
      return failure(
        request,
        ResponseCode.MESSAGE_ILLEGAL,
        'The message is illegal, maybe msg body or properties length not matched. ' +
          `msg body length limit ${broker.config.maxMessageSize}B, ` +
          'msg properties length limit 32KB.',
      );
    case PutMessageStatus.SERVICE_NOT_AVAILABLE:
      return failure(request, ResponseCode.SERVICE_NOT_AVAILABLE, 'Service not available now.');
    case PutMessageStatus.OS_PAGECACHE_BUSY: {
      const remark = 'OS page cache busy, please try another machine';
      return failure(request, ResponseCode.SYSTEM_ERROR, remark);
    }
    case PutMessageStatus.UNKNOWN_ERROR:
      return failure(request, ResponseCode.SYSTEM_ERROR, 'UNKNOWN_ERROR');
    default:
      return failure(request, ResponseCode.SYSTEM_ERROR, 'UNKNOWN_ERROR DEFAULT');
  }
}
