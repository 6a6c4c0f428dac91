// Room: broker, main thread. Consumer groups' settings: codes 200, 201 and 207 (protocol 2.7). A change is in the table, in the
// workers' replicas and on disk before it is answered.

import {
  decodeSubscriptionGroupConfig,
  encodeSubscriptionGroupWrapper,
} from '../../../protocol/bodies/subscription-group-config.js';
import { optionalString, requireText } from '../../../protocol/header-fields.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import { illegalGroupRemark, isLegalGroup } from '../../subscription/group-name.js';
import { failure, slaveGuard, success } from '../answers.js';

export function registerGroupAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP], (request) =>
    updateAndCreateGroup(broker, request),
  );
  dispatcher.register([RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG], (request) =>
    success(request, encodeSubscriptionGroupWrapper(broker.groups.wrapper())),
  );
  dispatcher.register([RequestCode.DELETE_SUBSCRIPTIONGROUP], (request) =>
    deleteGroup(broker, request),
  );
}

async function updateAndCreateGroup(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const guard = slaveGuard(request, broker.config);
  if (guard !== null) return guard;
  if (request.body === null) return success(request);
  const row = decodeSubscriptionGroupConfig(request.body);
  if (!isLegalGroup(row.groupName)) {
    return failure(request, ResponseCode.SYSTEM_ERROR, illegalGroupRemark(row.groupName));
  }
  await broker.groups.update(row);
  return success(request);
}

async function deleteGroup(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const guard = slaveGuard(request, broker.config);
  if (guard !== null) return guard;
  const group = requireText(request, 'groupName');
  await broker.groups.delete(group);
  if (optionalString(request, 'removeOffset') === 'true') {
    broker.offsets.removeGroup(group);
    await broker.offsets.persistIfDirty();
  }
  if (broker.config.autoDeleteUnusedStats) broker.stats.groupDeleted(group);
  return success(request);
}
