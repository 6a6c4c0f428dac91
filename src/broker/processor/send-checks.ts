// Room: broker, main thread. What a send must fulfil before main stores it itself (protocol 6.1, 1 to 5), in Java's order and
// words, and the topics that a first send makes. Cold: the commitlog worker checks the sends that it stores on its own.

import { isForbiddenToSend, isRetryTopic, validateTopic } from '../../message/topic-validator.js';
import { topicConfigText } from '../../processor/table-replicas.js';
import type { TopicConfig } from '../../protocol/bodies/topic-config.js';
import { createResponse, type RemotingCommand } from '../../protocol/remoting-command.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { BrokerContext } from '../broker-context.js';
import type { ClientConnection } from '../client/client-channel-info.js';
import { isWriteable, PermName } from '../topic/perm-name.js';
import { TopicSysFlag } from '../topic/topic-sys-flag.js';
import { FAQ_SUFFIX } from './answers.js';
import type { SendHeader } from './send-header.js';

/** The topic of a send, made now if it may be; otherwise the refusal. */
export type TopicForSend =
  | { readonly row: TopicConfig; readonly refusal: null }
  | { readonly row: null; readonly refusal: RemotingCommand };

export async function topicForSend(
  broker: BrokerContext,
  request: RemotingCommand,
  header: SendHeader,
  connection: ClientConnection,
): Promise<TopicForSend> {
  const { topics } = broker;
  const { topic } = header;
  const known = topics.get(topic);
  if (known !== undefined) return { row: known, refusal: null };
  const forbidden = refuseTopic(broker, request, topic);
  if (forbidden !== null) return { row: null, refusal: forbidden };
  const validity = validateTopic(topic);
  if (!validity.ok) {
    const code = ResponseCode.SYSTEM_ERROR;
    return { row: null, refusal: refused(broker, request, code, validity.remark) };
  }
  const isRetry = isRetryTopic(topic);
  const unitFlag = isRetry ? TopicSysFlag.UNIT_SUB : TopicSysFlag.UNIT;
  const topicSysFlag = header.unitMode ? unitFlag : 0;
  let row = await topics.createByTemplate({
    topic,
    defaultTopic: header.defaultTopic,
    queueNums: header.defaultTopicQueueNums,
    topicSysFlag,
    remoteAddress: connection.remoteAddress,
  });
  if (row === null && isRetry) {
    row = await topics.createIfAbsent(topic, 1, PermName.READ | PermName.WRITE, topicSysFlag);
  }
  if (row !== null) return { row, refusal: null };
  return { row: null, refusal: topicNotExist(broker, request, topic) };
}

/** Null when the broker takes sends, and this one to this topic. */
export function refuseSend(
  broker: BrokerContext,
  request: RemotingCommand,
  header: SendHeader,
  row: TopicConfig,
  connection: ClientConnection,
): RemotingCommand | null {
  const forbidden = refuseTopic(broker, request, header.topic);
  if (forbidden !== null) return forbidden;
  if (header.queueId >= Math.max(row.writeQueueNums, row.readQueueNums)) {
    const remark =
      `request queueId[${header.queueId}] is illegal, ${topicConfigText(row)} ` +
      `Producer: ${connection.remoteAddress}`;
    return refused(broker, request, ResponseCode.SYSTEM_ERROR, remark);
  }
  return null;
}

/** What needs no row to be refused, and must be before one is made. */
function refuseTopic(
  broker: BrokerContext,
  request: RemotingCommand,
  topic: string,
): RemotingCommand | null {
  const { config } = broker;
  let remark: string | null = null;
  if (!isWriteable(config.brokerPermission)) {
    remark = `the broker[${config.brokerIP1}] sending message is forbidden`;
  } else if (isForbiddenToSend(topic)) {
    remark = `Sending message to topic[${topic}] is forbidden.`;
  }
  return remark === null ? null : refused(broker, request, ResponseCode.NO_PERMISSION, remark);
}

/** The answer of a send to a topic that is not there and may not be made. */
export function topicNotExist(
  broker: BrokerContext,
  request: RemotingCommand,
  topic: string,
): RemotingCommand {
  const remark = `topic[${topic}] not exist, apply first please!${FAQ_SUFFIX}`;
  return refused(broker, request, ResponseCode.TOPIC_NOT_EXIST, remark);
}

/** Answers to sends tell region and trace switch, refusals too: Java's clients read them. */
export function refused(
  broker: BrokerContext,
  request: RemotingCommand,
  code: number,
  remark: string | null,
): RemotingCommand {
  const response = createResponse(request, code, remark);
  const { traceOn, regionId } = broker.config;
  response.extFields = { TRACE_ON: String(traceOn), MSG_REGION: regionId };
  return response;
}
