// Room: broker, main thread. Codes 41 and 42: leases on queues for consumers that read in order (protocol 6.7).

import {
  decodeLockBatchRequest,
  encodeLockBatchResponse,
} from '../../protocol/bodies/lock-batch.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../broker-context.js';
import { success } from './answers.js';

export function registerLockBatch(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.LOCK_BATCH_MQ], (request) => lockBatchMq(broker, request));
  dispatcher.register([RequestCode.UNLOCK_BATCH_MQ], (request) => unlockBatchMq(broker, request));
}

function lockBatchMq(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const { consumerGroup, clientId, mqSet } = decodeLockBatchRequest(request.body);
  const owned = broker.locks.tryLockBatch(consumerGroup, mqSet, clientId);
  return success(request, encodeLockBatchResponse(owned));
}

function unlockBatchMq(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const { consumerGroup, clientId, mqSet } = decodeLockBatchRequest(request.body);
  broker.locks.unlockBatch(consumerGroup, mqSet, clientId);
  return success(request);
}
