// Room: broker, main thread. Code 223: where the members of a group stand, asked of each of them (protocol 2.7). A member that
// does not answer in 5 s is left out.

import { getLogger } from '../../../base/logger.js';
import {
  type ConsumerStatus,
  decodeConsumerStatus,
  encodeConsumerStatus,
} from '../../../protocol/bodies/reset-offset.js';
import { optionalString, requireText } from '../../../protocol/header-fields.js';
import { V3_0_7_SNAPSHOT, versionName } from '../../../protocol/mq-version.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { BrokerContext } from '../../broker-context.js';
import type { ClientChannelInfo } from '../../client/client-channel-info.js';
import { failure, isBlank, successWithStaleRemark } from '../answers.js';

const log = getLogger('broker.admin');

export async function getConsumerStatus(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const topic = requireText(request, 'topic');
  const group = requireText(request, 'group');
  const clientId = optionalString(request, 'clientAddr');
  const members = [...(broker.consumers.get(group)?.channels() ?? [])];
  if (members.length === 0) {
    const remark = `No Any Consumer online in the consumer group: [${group}]`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  const old = members.find((member) => member.version < V3_0_7_SNAPSHOT);
  if (old !== undefined) {
    const version = versionName(old.version);
    const remark = `the client does not support this feature. version=${version}`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  const asked = isBlank(clientId) ? members : members.filter((it) => it.clientId === clientId);
  const tables = await Promise.all(asked.map((it) => offsetsOf(broker, it, topic, group)));
  const consumerTable = new Map<string, ConsumerStatus['messageQueueTable']>();
  tables.forEach((table, i) => {
    const member = asked[i];
    if (table !== null && member !== undefined) consumerTable.set(member.clientId, table);
  });
  const body = encodeConsumerStatus({ consumerTable, messageQueueTable: new Map() });
  return successWithStaleRemark(request, body);
}

/** The member's offsets by queue, or null. */
async function offsetsOf(
  broker: BrokerContext,
  member: ClientChannelInfo,
  topic: string,
  group: string,
): Promise<ConsumerStatus['messageQueueTable'] | null> {
  try {
    const answer = await broker.brokerToClient.getConsumerStatus(member.connection, topic, group);
    if (answer.code !== ResponseCode.SUCCESS || answer.body === null) return null;
    return decodeConsumerStatus(answer.body).messageQueueTable;
  } catch (error) {
    log.warn('a consumer did not tell its offsets', { clientId: member.clientId, err: error });
    return null;
  }
}
