// Room: broker, main thread. Code 36: a consumer gives a message back to have it again later (protocol 6.3, storage 20). It is
// stored anew under %RETRY%group, through the delay levels, or under %DLQ%group when it has been tried often enough.
// Always holds: success is answered only for a message that is stored, so that no offset runs past a lost one.

import { decodeMessage } from '../../message/message-decoder.js';
import type { MessageExt } from '../../message/message-ext.js';
import { createMessageId } from '../../message/message-id.js';
import { encodeProperties } from '../../message/message-properties.js';
import { dlqTopicOf, retryTopicOf } from '../../message/topic-validator.js';
import type { SubscriptionGroupConfig } from '../../protocol/bodies/subscription-group-config.js';
import {
  optionalBoolean,
  optionalInt,
  requireInt,
  requireLong,
  requireText,
} from '../../protocol/header-fields.js';
import { V3_4_9 } from '../../protocol/mq-version.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import type { MessageToPut } from '../../store/message-store.js';
import { PutMessageStatus, putMessageStatusName } from '../../store/put-message.js';
import type { BrokerContext } from '../broker-context.js';
import { isWriteable, PermName } from '../topic/perm-name.js';
import { TopicSysFlag } from '../topic/topic-sys-flag.js';
import { FAQ_SUFFIX, failure, success } from './answers.js';

/** The level of the first retry when the broker decides. */
const FIRST_RETRY_DELAY_LEVEL = 3;

export function registerSendBack(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.CONSUMER_SEND_MSG_BACK], (request) =>
    consumerSendMsgBack(broker, request),
  );
}

async function consumerSendMsgBack(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const groupName = requireText(request, 'group');
  const physicalOffset = requireLong(request, 'offset');
  const group = broker.groups.findOrCreate(groupName);
  if (group === null) {
    const remark = `subscription group not exist, ${groupName} ${FAQ_SUFFIX}`;
    return failure(request, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark);
  }
  if (!isWriteable(broker.config.brokerPermission)) {
    const remark = `the broker[${broker.config.brokerIP1}] sending message is forbidden`;
    return failure(request, ResponseCode.NO_PERMISSION, remark);
  }
  if (group.retryQueueNums <= 0) return success(request);
  const retry = await retryTopic(broker, request, group);
  if (typeof retry !== 'string') return retry;
  const record = await broker.store.lookMessageByOffset(physicalOffset);
  const message = record === null ? null : decodeMessage(record, 0);
  if (message === null) {
    const remark = `look message by offset failed, ${physicalOffset}`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  return putBack(broker, request, group, retry, message);
}

/** The name of the group's retry topic, made if need be, or the refusal. */
async function retryTopic(
  broker: BrokerContext,
  request: RemotingCommand,
  group: SubscriptionGroupConfig,
): Promise<string | RemotingCommand> {
  const topic = retryTopicOf(group.groupName);
  const unitMode = optionalBoolean(request, 'unitMode') ?? false;
  const row = await broker.topics.createIfAbsent(
    topic,
    group.retryQueueNums,
    PermName.READ | PermName.WRITE,
    unitMode ? TopicSysFlag.UNIT_SUB : 0,
  );
  if (row === null) return failure(request, ResponseCode.SYSTEM_ERROR, `topic[${topic}] not exist`);
  if (isWriteable(row.perm)) return topic;
  const remark = `the topic[${topic}] sending message is forbidden`;
  return failure(request, ResponseCode.NO_PERMISSION, remark);
}

async function putBack(
  broker: BrokerContext,
  request: RemotingCommand,
  group: SubscriptionGroupConfig,
  retry: string,
  message: MessageExt,
): Promise<RemotingCommand> {
  const delayLevel = requireInt(request, 'delayLevel');
  const clientMax = optionalInt(request, 'maxReconsumeTimes');
  const maxTimes =
    request.version >= V3_4_9 && clientMax !== null ? clientMax : group.retryMaxTimes;
  const isDead = message.reconsumeTimes >= maxTimes || delayLevel < 0;
  let topic = retry;
  if (isDead) {
    topic = dlqTopicOf(group.groupName);
    const perm = PermName.READ | PermName.WRITE;
    if ((await broker.topics.createIfAbsent(topic, 1, perm, 0)) === null) {
      return failure(request, ResponseCode.SYSTEM_ERROR, `topic[${topic}] not exist`);
    }
  }
  const level = delayLevel === 0 ? FIRST_RETRY_DELAY_LEVEL + message.reconsumeTimes : delayLevel;
  const queueId = isDead ? 0 : broker.prng.nextInt(group.retryQueueNums);
  const result = await broker.store.put(givenBack(message, topic, queueId, isDead ? 0 : level));
  if (result.status !== PutMessageStatus.PUT_OK) {
    return failure(request, ResponseCode.SYSTEM_ERROR, putMessageStatusName(result.status));
  }
  const originTopic = message.properties.get('RETRY_TOPIC') ?? message.topic;
  broker.stats.addSendBack(group.groupName, originTopic);
  return success(request);
}

function givenBack(
  message: MessageExt,
  topic: string,
  queueId: number,
  delayLevel: number,
): MessageToPut {
  const properties = new Map(message.properties);
  if (!properties.has('RETRY_TOPIC')) properties.set('RETRY_TOPIC', message.topic);
  properties.set('WAIT', 'false');
  properties.set('DELAY', String(delayLevel));
  if (!properties.get('ORIGIN_MESSAGE_ID')) {
    const { address, port } = message.storeHost;
    properties.set('ORIGIN_MESSAGE_ID', createMessageId(address, port, message.physicalOffset));
  }
  return {
    topic,
    queueId,
    flag: message.flag,
    sysFlag: message.sysFlag,
    bornTimestamp: message.bornTimestamp,
    bornHost: message.bornHost.address,
    bornPort: message.bornHost.port,
    storeHost: message.storeHost,
    reconsumeTimes: message.reconsumeTimes + 1,
    preparedTransactionOffset: 0,
    body: message.body,
    properties: encodeProperties(properties),
    waitStoreMsgOk: false,
  };
}
