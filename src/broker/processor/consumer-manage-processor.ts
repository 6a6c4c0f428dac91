// Room: broker, main thread. Codes 38, 14 and 15: who is in a group, and how far it has read (protocol 2.5, 6.6).

import { encodeConsumerIdList } from '../../protocol/bodies/consumer-connection.js';
import { requireInt, requireLong, requireText } from '../../protocol/header-fields.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../broker-context.js';
import type { ClientConnection } from '../client/client-channel-info.js';
import { illegalGroupRemark, isLegalGroup } from '../subscription/group-name.js';
import { failureWithHeader, successWithHeader } from './answers.js';

const OFFSET_NOT_FOUND = 'Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first';

export function registerConsumerManage(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.GET_CONSUMER_LIST_BY_GROUP], (request) =>
    getConsumerListByGroup(broker, request),
  );
  dispatcher.register([RequestCode.QUERY_CONSUMER_OFFSET], (request) =>
    queryConsumerOffset(broker, request),
  );
  dispatcher.register([RequestCode.UPDATE_CONSUMER_OFFSET], (request, connection) =>
    updateConsumerOffset(broker, request, connection),
  );
}

function getConsumerListByGroup(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const group = requireText(request, 'consumerGroup');
  const ids = broker.consumers.get(group)?.clientIds() ?? [];
  if (ids.length > 0) return successWithHeader(request, {}, encodeConsumerIdList(ids));
  const remark = `no consumer for this group, ${group}`;
  return failureWithHeader(request, ResponseCode.SYSTEM_ERROR, remark);
}

/** A group without an offset starts at 0 on a queue whose beginning is still there and still in memory. */
async function queryConsumerOffset(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const group = requireText(request, 'consumerGroup');
  const topic = requireText(request, 'topic');
  const queueId = requireInt(request, 'queueId');
  const offset = broker.offsets.query(group, topic, queueId);
  if (offset >= 0) return successWithHeader(request, { offset: String(offset) });
  const minOffset = await broker.store.minOffsetInQueue(topic, queueId);
  if (minOffset <= 0 && (await broker.store.isInMemory(topic, queueId, 0))) {
    return successWithHeader(request, { offset: '0' });
  }
  return failureWithHeader(request, ResponseCode.QUERY_NOT_FOUND, OFFSET_NOT_FOUND);
}

/** Neither the group nor the topic need exist; but a name that none could have takes no memory. */
function updateConsumerOffset(
  broker: BrokerContext,
  request: RemotingCommand,
  connection: ClientConnection,
): RemotingCommand {
  const group = requireText(request, 'consumerGroup');
  const topic = requireText(request, 'topic');
  const queueId = requireInt(request, 'queueId');
  const offset = requireLong(request, 'commitOffset');
  if (!isLegalGroup(group)) {
    return failureWithHeader(request, ResponseCode.SYSTEM_ERROR, illegalGroupRemark(group));
  }
  broker.offsets.commit(connection.remoteAddress, group, topic, queueId, offset);
  return successWithHeader(request);
}
