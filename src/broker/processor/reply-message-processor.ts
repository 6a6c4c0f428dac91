// Room: broker, main thread. Codes 324 and 325: the answer to an RPC message, from whoever consumed it (protocol 6.12). It is
// pushed (326) to the client that asked, over the connection of its heartbeats, and stored in <cluster>_REPLY_TOPIC all the
// same, as Java does; the answer to the sender tells how the push went, and a store that failed is only logged.

import { getLogger } from '../../base/logger.js';
import { formatAddress } from '../../base/net-address.js';
import {
  PROPERTY_MESSAGE_REPLY_TO_CLIENT,
  PROPERTY_PUSH_REPLY_TIME,
} from '../../message/message-const.js';
import { decodeProperties, encodeProperties } from '../../message/message-properties.js';
import { LanguageCode } from '../../protocol/language-code.js';
import { createRequest, type RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import { putMessageStatusName } from '../../store/put-message.js';
import type { BrokerContext } from '../broker-context.js';
import type { ClientConnection } from '../client/client-channel-info.js';
import { isStored } from './put-answer.js';
import { refused, refuseSend, topicForSend } from './send-checks.js';
import { decodeSendHeader, type SendHeader } from './send-header.js';

const log = getLogger('broker.reply');

export function registerReplyMessage(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register(
    [RequestCode.SEND_REPLY_MESSAGE, RequestCode.SEND_REPLY_MESSAGE_V2],
    (request, connection) => sendReplyMessage(broker, request, connection),
  );
}

async function sendReplyMessage(
  broker: BrokerContext,
  request: RemotingCommand,
  connection: ClientConnection,
): Promise<RemotingCommand> {
  const startMs = broker.config.startAcceptSendRequestTimeStamp;
  if (broker.clock.nowMs() < startMs) {
    const remark = `broker unable to service, until ${new Date(startMs).toISOString()}`;
    return refused(broker, request, ResponseCode.SYSTEM_ERROR, remark);
  }
  const header = decodeSendHeader(request);
  const { row, refusal } = await topicForSend(broker, request, header, connection);
  if (row === null) return refusal;
  const refusedSend = refuseSend(broker, request, header, row, connection);
  if (refusedSend !== null) return refusedSend;
  const queueId = header.queueId < 0 ? broker.prng.nextInt(row.writeQueueNums) : header.queueId;
  const failure = await pushReply(broker, request, header, connection);
  const code = failure === null ? ResponseCode.SUCCESS : ResponseCode.SYSTEM_ERROR;
  const response = refused(broker, request, code, failure);
  const pushed = failure === null ? { msgId: '0', queueOffset: '0' } : null;
  const stored = broker.config.storeReplyMessageEnable
    ? await storeReply(broker, request, header, queueId, connection)
    : null;
  const place = stored ?? pushed;
  if (place !== null) {
    response.extFields = { ...response.extFields, queueId: String(queueId), ...place };
  }
  return response;
}

/** Null when the client has taken the reply; otherwise why it has not. */
async function pushReply(
  broker: BrokerContext,
  request: RemotingCommand,
  header: SendHeader,
  connection: ClientConnection,
): Promise<string | null> {
  const properties = decodeProperties(header.properties);
  const clientId = properties.get(PROPERTY_MESSAGE_REPLY_TO_CLIENT);
  if (clientId === undefined) {
    return `reply message properties[${PROPERTY_MESSAGE_REPLY_TO_CLIENT}] is null`;
  }
  const requester = broker.producers.findByClientId(clientId);
  if (requester === undefined) {
    return `push reply message fail, channel of <${clientId}> not found.`;
  }
  const nowMs = broker.clock.nowMs();
  properties.set(PROPERTY_PUSH_REPLY_TIME, String(nowMs));
  const fields = pushFields(broker, header, encodeProperties(properties), connection, nowMs);
  const push = createRequest(
    RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT,
    fields,
    request.body,
    LanguageCode.JAVA,
  );
  try {
    const answer = await broker.brokerToClient.forward(requester.connection, push);
    if (answer.code === ResponseCode.SUCCESS) return null;
    log.warn('a reply was not taken', { clientId, code: answer.code, remark: answer.remark });
  } catch (error) {
    log.warn('a reply was not pushed', { clientId, err: error });
  }
  return `push reply message to ${clientId}fail.`;
}

/** In the order of Java's header class, which decides where they stand in the frame. */
function pushFields(
  broker: BrokerContext,
  header: SendHeader,
  properties: string,
  connection: ClientConnection,
  nowMs: number,
): Record<string, string> {
  return {
    producerGroup: header.producerGroup,
    topic: header.topic,
    defaultTopic: header.defaultTopic,
    defaultTopicQueueNums: String(header.defaultTopicQueueNums),
    queueId: String(header.queueId),
    sysFlag: String(header.sysFlag),
    bornTimestamp: String(header.bornTimestamp),
    flag: String(header.flag),
    properties,
    reconsumeTimes: String(header.reconsumeTimes),
    unitMode: String(header.unitMode),
    bornHost: formatAddress(connection.remoteHost, connection.remotePort),
    storeHost: broker.brokerAddr,
    storeTimestamp: String(nowMs),
  };
}

/** With the sender's properties as they came; null when it was not stored. The sysFlag is not kept, as in Java. */
async function storeReply(
  broker: BrokerContext,
  request: RemotingCommand,
  header: SendHeader,
  queueId: number,
  connection: ClientConnection,
): Promise<{ msgId: string; queueOffset: string } | null> {
  const wait = decodeProperties(header.properties).get('WAIT');
  const result = await broker.store.put({
    topic: header.topic,
    queueId,
    flag: header.flag,
    sysFlag: 0,
    bornTimestamp: header.bornTimestamp,
    bornHost: connection.remoteHost,
    bornPort: connection.remotePort,
    reconsumeTimes: header.reconsumeTimes,
    preparedTransactionOffset: 0,
    body: request.body ?? Buffer.alloc(0),
    properties: header.properties,
    waitStoreMsgOk: wait === undefined || wait.toLowerCase() === 'true',
  });
  if (isStored(result.status)) {
    return { msgId: result.msgId, queueOffset: String(result.queueOffset) };
  }
  const status = putMessageStatusName(result.status);
  log.warn('a reply was not stored', { topic: header.topic, status });
  return null;
}
