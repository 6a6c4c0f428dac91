// Room: broker, main thread. Code 303: between which times the messages of each queue of a topic lie, and how far behind a group
// is in time (protocol 2.7, 4.7).

import { encodeConsumeTimeSpan, type QueueTimeSpan } from '../../../protocol/bodies/topic-stats.js';
import { requireText } from '../../../protocol/header-fields.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { BrokerContext } from '../../broker-context.js';
import { failure, success } from '../answers.js';

export async function queryConsumeTimeSpan(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const topic = requireText(request, 'topic');
  const group = requireText(request, 'group');
  const row = broker.topics.get(topic);
  if (row === undefined) {
    return failure(request, ResponseCode.TOPIC_NOT_EXIST, `topic[${topic}] not exist`);
  }
  const queueIds = Array.from({ length: row.writeQueueNums }, (_, queueId) => queueId);
  const spans = await Promise.all(
    queueIds.map((queueId) => timeSpanOf(broker, topic, group, queueId)),
  );
  return success(request, encodeConsumeTimeSpan(spans));
}

async function timeSpanOf(
  broker: BrokerContext,
  topic: string,
  group: string,
  queueId: number,
): Promise<QueueTimeSpan> {
  const { store } = broker;
  const minOffset = await store.minOffsetInQueue(topic, queueId);
  const maxOffset = await store.maxOffsetInQueue(topic, queueId);
  const minTimeStamp = await store.storeTimestamp(topic, queueId, minOffset);
  const maxTimeStamp = await store.storeTimestamp(topic, queueId, maxOffset - 1);
  const committed = broker.offsets.query(group, topic, queueId);
  const consumeTimeStamp =
    committed > 0 ? await store.storeTimestamp(topic, queueId, committed - 1) : minTimeStamp;
  let delayTime = 0;
  if (committed < maxOffset) {
    const nextTime = await store.storeTimestamp(topic, queueId, Math.max(committed, minOffset));
    delayTime = nextTime > 0 ? broker.clock.nowMs() - nextTime : 0;
  }
  return {
    consumeTimeStamp,
    consumeTimeStampStr: timeText(consumeTimeStamp),
    delayTime,
    maxTimeStamp,
    maxTimeStampStr: timeText(maxTimeStamp),
    messageQueue: { brokerName: broker.config.brokerName, queueId, topic },
    minTimeStamp,
    minTimeStampStr: timeText(minTimeStamp),
  };
}

/** `yyyy-MM-dd#HH:mm:ss:SSS` in local time. */
export function timeText(timestampMs: number): string {
  const date = new Date(timestampMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day}#${time}:${String(date.getMilliseconds()).padStart(3, '0')}`;
}
