// Room: broker, main thread. Who is connected (codes 203, 204, 328), and requests that go on to one consumer (307, 309)
// (protocol 2.7).

import { isCometError } from '../../../base/errors.js';
import { decodeMessageId } from '../../../message/message-id.js';
import {
  type ClientConnection,
  encodeConsumerConnection,
  encodeProducerConnection,
  encodeProducerTable,
  type ProducerInfo,
} from '../../../protocol/bodies/consumer-connection.js';
import { optionalString, requireText } from '../../../protocol/header-fields.js';
import { languageName } from '../../../protocol/language-code.js';
import { V3_1_8_SNAPSHOT, versionName } from '../../../protocol/mq-version.js';
import { createResponse, type RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import type { ClientChannelInfo } from '../../client/client-channel-info.js';
import { failure, success } from '../answers.js';

export function registerConnectionAdmin(
  dispatcher: RequestDispatcher,
  broker: BrokerContext,
): void {
  dispatcher.register([RequestCode.GET_CONSUMER_CONNECTION_LIST], (request) =>
    getConsumerConnectionList(broker, request),
  );
  dispatcher.register([RequestCode.GET_PRODUCER_CONNECTION_LIST], (request) =>
    getProducerConnectionList(broker, request),
  );
  dispatcher.register([RequestCode.GET_ALL_PRODUCER_INFO], (request) =>
    getAllProducerInfo(broker, request),
  );
  dispatcher.register([RequestCode.GET_CONSUMER_RUNNING_INFO], (request) =>
    callConsumer(broker, request, request.extFields, request.body),
  );
  dispatcher.register([RequestCode.CONSUME_MESSAGE_DIRECTLY], (request) =>
    consumeMessageDirectly(broker, request),
  );
}

function getConsumerConnectionList(
  broker: BrokerContext,
  request: RemotingCommand,
): RemotingCommand {
  const group = requireText(request, 'consumerGroup');
  const info = broker.consumers.get(group);
  if (info === undefined) {
    const remark = `the consumer group[${group}] not online`;
    return failure(request, ResponseCode.CONSUMER_NOT_ONLINE, remark);
  }
  const subscriptionTable = new Map(
    [...info.subscriptions()].map((subscription) => [subscription.topic, subscription]),
  );
  const body = {
    connectionSet: [...info.channels()].map(connectionBody),
    ...info.profile,
    subscriptionTable,
    // Readers that do not know the member pass over it (bug report 28).
    ...(info.isInconsistent ? { inconsistentSubscriptions: true } : {}),
  };
  return success(request, encodeConsumerConnection(body));
}

function getProducerConnectionList(
  broker: BrokerContext,
  request: RemotingCommand,
): RemotingCommand {
  const group = requireText(request, 'producerGroup');
  const members = broker.producers.members(group);
  if (members === null) {
    const remark = `the producer group[${group}] not exist`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  const body = { connectionSet: members.map(connectionBody) };
  return success(request, encodeProducerConnection(body));
}

function connectionBody(channel: ClientChannelInfo): ClientConnection {
  return {
    clientAddr: channel.connection.remoteAddress,
    clientId: channel.clientId,
    language: languageName(channel.language),
    version: channel.version,
  };
}

function getAllProducerInfo(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const data = new Map<string, ProducerInfo[]>();
  for (const group of broker.producers.groups()) {
    const members = broker.producers.members(group) ?? [];
    data.set(
      group,
      members.map((channel) => ({
        clientId: channel.clientId,
        language: languageName(channel.language),
        lastUpdateTimestamp: channel.lastUpdateTimestamp,
        remoteIP: `/${channel.connection.remoteAddress}`,
        version: channel.version,
      })),
    );
  }
  return success(request, encodeProducerTable(data));
}

/** The consumer gets the record as body and is to consume it now. */
async function consumeMessageDirectly(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const msgId = requireText(request, 'msgId');
  const { physicalOffset } = decodeMessageId(msgId);
  const record = await broker.store.lookMessageByOffset(physicalOffset);
  if (record === null) {
    const remark = `no message at the offset of msgId ${msgId}`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  const fields = { ...request.extFields, brokerName: broker.config.brokerName };
  return callConsumer(broker, request, fields, record);
}

async function callConsumer(
  broker: BrokerContext,
  request: RemotingCommand,
  extFields: Record<string, string> | null,
  body: Buffer | null,
): Promise<RemotingCommand> {
  const group = requireText(request, 'consumerGroup');
  const clientId = optionalString(request, 'clientId') ?? '';
  const channel = broker.consumers.findChannel(group, clientId);
  if (channel === undefined) {
    const remark = `The Consumer <${group}> <${clientId}> not online`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  if (channel.version < V3_1_8_SNAPSHOT) {
    const version = versionName(channel.version);
    const remark = `The Consumer <${clientId}> Version <${version}> too low to finish, please upgrade it to V3_1_8_SNAPSHOT`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  try {
    const onward = { ...request, extFields, body };
    const answer = await broker.brokerToClient.forward(channel.connection, onward);
    const response = createResponse(request, answer.code, answer.remark);
    response.extFields = answer.extFields;
    response.body = answer.body;
    return response;
  } catch (error) {
    return callFailed(request, group, clientId, error);
  }
}

function callFailed(
  request: RemotingCommand,
  group: string,
  clientId: string,
  error: unknown,
): RemotingCommand {
  if (isCometError(error, 'REQUEST_TIMEOUT')) {
    const remark = `consumer <${group}> <${clientId}> Timeout: ${error.message}`;
    return failure(request, ResponseCode.CONSUME_MSG_TIMEOUT, remark);
  }
  if (!isCometError(error)) throw error;
  const remark = `invoke consumer <${group}> <${clientId}> Exception: ${error.message}`;
  return failure(request, ResponseCode.SYSTEM_ERROR, remark);
}
