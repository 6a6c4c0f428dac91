// Room: broker, main thread. A consumer's own send into %RETRY%group, its way when code 36 failed (protocol 6.1, step 7). The
// commitlog worker leaves all of them to main, since group settings and dead letters are decided here.
// Always holds: a message that has been retried as often as its group allows goes to %DLQ%group, queue 0, whatever else it says.

import { decodeProperties, encodePropertiesInOrder } from '../../message/message-properties.js';
import { MULTI_TAGS_FLAG } from '../../message/message-sys-flag.js';
import { dlqTopicOf, RETRY_GROUP_TOPIC_PREFIX } from '../../message/topic-validator.js';
import type { TopicConfig } from '../../protocol/bodies/topic-config.js';
import { V3_4_9 } from '../../protocol/mq-version.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { BrokerContext } from '../broker-context.js';
import type { ClientConnection } from '../client/client-channel-info.js';
import { PermName } from '../topic/perm-name.js';
import { FAQ_SUFFIX } from './answers.js';
import { isStored, putAnswer } from './put-answer.js';
import { refused, refuseSend, topicNotExist } from './send-checks.js';
import { decodeSendHeader, type SendHeader } from './send-header.js';

export async function sendRetryMessage(
  broker: BrokerContext,
  request: RemotingCommand,
  connection: ClientConnection,
): Promise<RemotingCommand> {
  const header = decodeSendHeader(request);
  const row = broker.topics.get(header.topic);
  if (row === undefined) return topicNotExist(broker, request, header.topic);
  const refusal = refuseSend(broker, request, header, row, connection);
  if (refusal !== null) return refusal;
  const group = broker.groups.findOrCreate(header.topic.slice(RETRY_GROUP_TOPIC_PREFIX.length));
  if (group === null) {
    const name = header.topic.slice(RETRY_GROUP_TOPIC_PREFIX.length);
    const remark = `subscription group not exist, ${name} ${FAQ_SUFFIX}`;
    return refused(broker, request, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark);
  }
  const queueId = header.queueId < 0 ? broker.prng.nextInt(row.writeQueueNums) : header.queueId;
  const isClientLimit = request.version >= V3_4_9 && header.maxReconsumeTimes !== null;
  const maxTimes = isClientLimit ? (header.maxReconsumeTimes ?? 0) : group.retryMaxTimes;
  if (header.reconsumeTimes < maxTimes) {
    return put(broker, request, header, row, queueId, queueId, connection);
  }
  const deadLetters = await broker.topics.createIfAbsent(
    dlqTopicOf(group.groupName),
    1,
    PermName.READ | PermName.WRITE,
    0,
  );
  if (deadLetters === null) return topicNotExist(broker, request, dlqTopicOf(group.groupName));
  return put(broker, request, header, deadLetters, 0, queueId, connection);
}

/** Stores under the given topic and queue; the answer names the queue that was asked for. */
async function put(
  broker: BrokerContext,
  request: RemotingCommand,
  header: SendHeader,
  row: TopicConfig,
  queueId: number,
  answeredQueueId: number,
  connection: ClientConnection,
): Promise<RemotingCommand> {
  const properties = decodeProperties(header.properties);
  properties.set('CLUSTER', broker.config.brokerClusterName);
  const wait = properties.get('WAIT');
  // A delayed message's text is rebuilt from all of its properties: there WAIT stays, as in Java.
  if (!(Number(properties.get('DELAY') ?? '0') > 0)) properties.delete('WAIT');
  const isMultiTag = row.topicFilterType === 'MULTI_TAG';
  const result = await broker.store.put({
    topic: row.topicName,
    queueId,
    flag: header.flag,
    sysFlag: isMultiTag ? header.sysFlag | MULTI_TAGS_FLAG : header.sysFlag,
    bornTimestamp: header.bornTimestamp,
    bornHost: connection.remoteHost,
    bornPort: connection.remotePort,
    reconsumeTimes: header.reconsumeTimes,
    preparedTransactionOffset: 0,
    body: request.body ?? Buffer.alloc(0),
    properties: encodePropertiesInOrder(properties),
    waitStoreMsgOk: wait === undefined || wait.toLowerCase() === 'true',
  });
  const answer = await putAnswer(broker, result.status);
  const response = refused(broker, request, answer.code, answer.remark);
  if (isStored(result.status)) {
    response.extFields = {
      ...response.extFields,
      msgId: result.msgId,
      queueId: String(answeredQueueId),
      queueOffset: String(result.queueOffset),
    };
  }
  return response;
}
