// Room: broker, main thread. Topics: codes 17, 215, 21, 202, 300, 303, 305 (protocol 2.7). A change is in the table, in the
// workers' replicas and on disk before it is answered; 17 is with the name servers too.

import { MAX_QUEUES_OF_TOPIC } from '../../../base/limits.js';
import { validateTopic } from '../../../message/topic-validator.js';
import {
  encodeTopicConfigSerializeWrapper,
  type TopicConfig,
} from '../../../protocol/bodies/topic-config.js';
import { encodeGroupList, encodeTopicList } from '../../../protocol/bodies/topic-list.js';
import { encodeTopicStatsTable } from '../../../protocol/bodies/topic-stats.js';
import {
  optionalInt,
  optionalString,
  requireInt,
  requireText,
} from '../../../protocol/header-fields.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import {
  failure,
  slaveGuard,
  success,
  successWithHeader,
  successWithStaleRemark,
} from '../answers.js';
import { queryConsumeTimeSpan } from './consume-time-span.js';

export function registerTopicAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.UPDATE_AND_CREATE_TOPIC], (request) =>
    updateAndCreateTopic(broker, request),
  );
  dispatcher.register([RequestCode.DELETE_TOPIC_IN_BROKER], (request) =>
    deleteTopic(broker, request),
  );
  dispatcher.register([RequestCode.GET_ALL_TOPIC_CONFIG], (request) =>
    successWithHeader(request, {}, encodeTopicConfigSerializeWrapper(broker.topics.wrapper())),
  );
  dispatcher.register([RequestCode.GET_TOPIC_STATS_INFO], (request) =>
    getTopicStatsInfo(broker, request),
  );
  dispatcher.register([RequestCode.QUERY_TOPIC_CONSUME_BY_WHO], (request) =>
    queryTopicConsumeByWho(broker, request),
  );
  dispatcher.register([RequestCode.QUERY_CONSUME_TIME_SPAN], (request) =>
    queryConsumeTimeSpan(broker, request),
  );
  dispatcher.register([RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER], (request) =>
    success(request, encodeTopicList({ topicList: broker.topics.systemNames() })),
  );
}

async function updateAndCreateTopic(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const guard = slaveGuard(request, broker.config);
  if (guard !== null) return guard;
  const topic = requireText(request, 'topic');
  const refusal = refuseName(broker, request, topic);
  if (refusal !== null) return refusal;
  const row = topicOfRequest(request, topic);
  if (typeof row === 'string') return failure(request, ResponseCode.SYSTEM_ERROR, row);
  if (broker.topics.get(topic) === undefined && !broker.topics.hasRoom()) {
    return failure(request, ResponseCode.SYSTEM_ERROR, 'the broker has no room for more topics');
  }
  await broker.topics.update(row);
  await broker.registration.registerTopic(row);
  return successWithStaleRemark(request);
}

/** The row, or what is wrong with a field. Java ignores `order`: the name servers' list decides it. */
function topicOfRequest(request: RemotingCommand, topicName: string): TopicConfig | string {
  const readQueueNums = requireInt(request, 'readQueueNums');
  const writeQueueNums = requireInt(request, 'writeQueueNums');
  const perm = requireInt(request, 'perm');
  const topicFilterType = requireText(request, 'topicFilterType');
  const topicSysFlag = optionalInt(request, 'topicSysFlag') ?? 0;
  for (const [name, count] of [
    ['readQueueNums', readQueueNums],
    ['writeQueueNums', writeQueueNums],
  ] as const) {
    if (count < 0 || count > MAX_QUEUES_OF_TOPIC) {
      return `${name} must be 0 to ${MAX_QUEUES_OF_TOPIC}, not ${count}`;
    }
  }
  if (topicFilterType !== 'SINGLE_TAG' && topicFilterType !== 'MULTI_TAG') {
    return `topicFilterType must be SINGLE_TAG or MULTI_TAG, not ${topicFilterType}`;
  }
  return {
    order: false,
    perm,
    readQueueNums,
    topicFilterType,
    topicName,
    topicSysFlag,
    writeQueueNums,
  };
}

/**
 * Committed offsets stay, as 4.9.7's do, unless the broker's switch or the request's `removeOffset` asks for their removal
 * (bug report 16). An absent topic is fine: what is left of it on disk goes.
 */
async function deleteTopic(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const guard = slaveGuard(request, broker.config);
  if (guard !== null) return guard;
  const topic = requireText(request, 'topic');
  const refusal = refuseName(broker, request, topic);
  if (refusal !== null) return refusal;
  await broker.topics.delete(topic);
  await broker.store.deleteTopics([topic]);
  const removeOffset = optionalString(request, 'removeOffset') === 'true';
  if (removeOffset || broker.config.deleteOffsetsWithTopic) {
    broker.offsets.removeTopic(topic);
    await broker.offsets.persistIfDirty();
  }
  if (broker.config.autoDeleteUnusedStats) broker.stats.topicDeleted(topic);
  return success(request);
}

function refuseName(
  broker: BrokerContext,
  request: RemotingCommand,
  topic: string,
): RemotingCommand | null {
  const validity = validateTopic(topic);
  if (!validity.ok) return failure(request, ResponseCode.SYSTEM_ERROR, validity.remark);
  if (!broker.topics.isSystemTopic(topic)) return null;
  const remark = `The topic[${topic}] is conflict with system topic.`;
  return failure(request, ResponseCode.SYSTEM_ERROR, remark);
}

async function getTopicStatsInfo(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const topic = requireText(request, 'topic');
  const row = broker.topics.get(topic);
  if (row === undefined) return topicNotExist(request, topic);
  const queueIds = Array.from({ length: row.writeQueueNums }, (_, queueId) => queueId);
  const { store, config } = broker;
  const entries = await Promise.all(
    queueIds.map(async (queueId) => {
      const minOffset = Math.max(0, await store.minOffsetInQueue(topic, queueId));
      const maxOffset = Math.max(0, await store.maxOffsetInQueue(topic, queueId));
      const lastUpdateTimestamp =
        maxOffset > 0 ? await store.storeTimestamp(topic, queueId, maxOffset - 1) : 0;
      const queue = { brokerName: config.brokerName, queueId, topic };
      return [queue, { lastUpdateTimestamp, maxOffset, minOffset }] as const;
    }),
  );
  return success(request, encodeTopicStatsTable({ offsetTable: new Map(entries) }));
}

function topicNotExist(request: RemotingCommand, topic: string): RemotingCommand {
  return failure(request, ResponseCode.TOPIC_NOT_EXIST, `topic[${topic}] not exist`);
}

/** Groups that subscribe to it now, and groups that have read it. */
function queryTopicConsumeByWho(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const topic = requireText(request, 'topic');
  const groups = new Set(broker.consumers.groupsOfTopic(topic));
  for (const group of broker.offsets.groupsOf(topic)) groups.add(group);
  return success(request, encodeGroupList([...groups]));
}
