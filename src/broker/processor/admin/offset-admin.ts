// Room: broker, main thread. Offsets: codes 29 to 32, 43, 45, 208, 222, 223, 308 and 314 (protocol 2.7). 308 and 314 do what
// their names say; Java's have faults there that nobody can build on.

import { encodeConsumeStats } from '../../../protocol/bodies/consume-stats.js';
import { encodeJsonBody } from '../../../protocol/bodies/json-body.js';
import { encodeDelayOffsetTable } from '../../../protocol/bodies/offset-table.js';
import {
  optionalBoolean,
  optionalString,
  requireBoolean,
  requireClampedLong,
  requireInt,
  requireText,
} from '../../../protocol/header-fields.js';
import { LanguageCode } from '../../../protocol/language-code.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import { compactOffsetPieces } from '../../config-text.js';
import { consumeStatsOfGroup } from '../../offset/consume-stats.js';
import { resetOffset } from '../../offset/reset-offset.js';
import { joinInSlices } from '../../persisted-table.js';
import {
  failure,
  isBlank,
  success,
  successWithHeader,
  successWithStaleRemark,
} from '../answers.js';
import { getConsumerStatus } from './consumer-status.js';

export function registerOffsetAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  registerQueueOffsets(dispatcher, broker);
  dispatcher.register([RequestCode.GET_ALL_CONSUMER_OFFSET], async (request) =>
    success(
      request,
      Buffer.from(await joinInSlices(compactOffsetPieces(broker.offsets.entries()))),
    ),
  );
  dispatcher.register([RequestCode.GET_ALL_DELAY_OFFSET], (request) =>
    success(request, encodeDelayOffsetTable(broker.delayOffsets())),
  );
  dispatcher.register([RequestCode.GET_CONSUME_STATS], (request) =>
    getConsumeStats(broker, request),
  );
  dispatcher.register([RequestCode.INVOKE_BROKER_TO_RESET_OFFSET], (request) =>
    invokeResetOffset(broker, request),
  );
  dispatcher.register([RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS], (request) =>
    getConsumerStatus(broker, request),
  );
  dispatcher.register([RequestCode.QUERY_CORRECTION_OFFSET], (request) =>
    queryCorrectionOffset(broker, request),
  );
  dispatcher.register([RequestCode.CLONE_GROUP_OFFSET], (request) =>
    cloneGroupOffset(broker, request),
  );
}

/** These never fail: a queue that was never seen is an empty one. */
function registerQueueOffsets(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  const { store } = broker;
  dispatcher.register([RequestCode.GET_MAX_OFFSET], async (request) => {
    const { topic, queueId } = queueOf(request);
    const offset = await store.maxOffsetInQueue(topic, queueId);
    return successWithHeader(request, { offset: String(offset) });
  });
  dispatcher.register([RequestCode.GET_MIN_OFFSET], async (request) => {
    const { topic, queueId } = queueOf(request);
    const offset = await store.minOffsetInQueue(topic, queueId);
    return successWithHeader(request, { offset: String(offset) });
  });
  dispatcher.register([RequestCode.SEARCH_OFFSET_BY_TIMESTAMP], async (request) => {
    const { topic, queueId } = queueOf(request);
    const timestamp = requireClampedLong(request, 'timestamp');
    const offset = await store.offsetByTime(topic, queueId, timestamp);
    return successWithHeader(request, { offset: String(offset) });
  });
  dispatcher.register([RequestCode.GET_EARLIEST_MSG_STORETIME], async (request) => {
    const { topic, queueId } = queueOf(request);
    const minOffset = await store.minOffsetInQueue(topic, queueId);
    const timestamp = await store.storeTimestamp(topic, queueId, minOffset);
    return successWithHeader(request, { timestamp: String(timestamp) });
  });
}

function queueOf(request: RemotingCommand): { topic: string; queueId: number } {
  return { topic: requireText(request, 'topic'), queueId: requireInt(request, 'queueId') };
}

async function getConsumeStats(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const group = requireText(request, 'consumerGroup');
  const topic = optionalString(request, 'topic');
  const topics = topic === null || isBlank(topic) ? broker.offsets.topicsOf(group) : [topic];
  const stats = await consumeStatsOfGroup(broker, group, topics);
  return success(request, encodeConsumeStats(stats));
}

async function invokeResetOffset(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const outcome = await resetOffset(broker, {
    topic: requireText(request, 'topic'),
    group: requireText(request, 'group'),
    timestamp: requireClampedLong(request, 'timestamp'),
    isForce: requireBoolean(request, 'isForce'),
    forC: request.language === LanguageCode.CPP,
  });
  if (!outcome.ok) return failure(request, outcome.code, outcome.remark);
  return successWithStaleRemark(request, outcome.body);
}

/** By queue, the lowest offset over all groups that are not filtered out; no bound where the compared group is behind it. */
function queryCorrectionOffset(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const topic = requireText(request, 'topic');
  const compareGroup = requireText(request, 'compareGroup');
  const filterGroups = (optionalString(request, 'filterGroups') ?? '').split(',');
  const correctionOffsets = new Map<number, number | bigint>(
    broker.offsets.minOffsets(topic, new Set(filterGroups)),
  );
  for (const [queueId, offset] of broker.offsets.queues(compareGroup, topic) ?? []) {
    const lowest = correctionOffsets.get(queueId);
    if (lowest !== undefined && lowest > offset) correctionOffsets.set(queueId, LONG_MAX);
  }
  return success(request, encodeJsonBody({ correctionOffsets }));
}

const LONG_MAX = 0x7fff_ffff_ffff_ffffn;

function cloneGroupOffset(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const srcGroup = requireText(request, 'srcGroup');
  const destGroup = requireText(request, 'destGroup');
  const topic = optionalString(request, 'topic');
  const offline = optionalBoolean(request, 'offline') ?? false;
  const topics = topic === null || isBlank(topic) ? broker.offsets.topicsOf(srcGroup) : [topic];
  for (const name of topics) {
    if (broker.topics.get(name) === undefined) continue;
    if (!offline && broker.consumers.isOnlineWithout(srcGroup, name)) continue;
    broker.offsets.clone(srcGroup, destGroup, name);
  }
  return success(request);
}
