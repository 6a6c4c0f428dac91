// Room: broker, main thread. How far behind a group is in a topic, for codes 208 and 317 (protocol 2.7). Reads only.

import type {
  ConsumeStats,
  MessageQueue,
  OffsetWrapper,
} from '../../protocol/bodies/consume-stats.js';
import type { BrokerContext } from '../broker-context.js';

export interface TopicConsumeStats {
  readonly offsets: readonly (readonly [MessageQueue, OffsetWrapper])[];
  readonly consumeTps: number;
  /** Messages that the group has before it. */
  readonly totalDiff: number;
}

/** Null when the topic does not count: it has no settings, or the group is online and reads other topics. */
export async function consumeStatsOfTopic(
  broker: BrokerContext,
  group: string,
  topic: string,
  queues: 'read' | 'write',
): Promise<TopicConsumeStats | null> {
  const row = broker.topics.get(topic);
  if (row === undefined || broker.consumers.isOnlineWithout(group, topic)) return null;
  const queueNums = queues === 'read' ? row.readQueueNums : row.writeQueueNums;
  const queueStats = await Promise.all(
    Array.from({ length: queueNums }, (_, queueId) => statsOfQueue(broker, group, topic, queueId)),
  );
  const offsets = queueStats.map(({ queue, wrapper }) => [queue, wrapper] as const);
  const totalDiff = queueStats.reduce((sum, { diff }) => sum + diff, 0);
  return { offsets, consumeTps: broker.stats.groupGetTps(group, topic), totalDiff };
}

/** All topics of a group in one table. */
export async function consumeStatsOfGroup(
  broker: BrokerContext,
  group: string,
  topics: readonly string[],
): Promise<ConsumeStats> {
  const offsetTable = new Map<MessageQueue, OffsetWrapper>();
  let consumeTps = 0;
  for (const topic of topics) {
    const stats = await consumeStatsOfTopic(broker, group, topic, 'read');
    if (stats === null) continue;
    for (const [queue, wrapper] of stats.offsets) offsetTable.set(queue, wrapper);
    consumeTps += stats.consumeTps;
  }
  return { consumeTps, offsetTable };
}

async function statsOfQueue(
  broker: BrokerContext,
  group: string,
  topic: string,
  queueId: number,
): Promise<{ queue: MessageQueue; wrapper: OffsetWrapper; diff: number }> {
  const brokerOffset = Math.max(0, await broker.store.maxOffsetInQueue(topic, queueId));
  const consumerOffset = Math.max(0, broker.offsets.query(group, topic, queueId));
  let lastTimestamp = 0;
  if (consumerOffset > 0) {
    lastTimestamp = Math.max(
      0,
      await broker.store.storeTimestamp(topic, queueId, consumerOffset - 1),
    );
  }
  const queue = { brokerName: broker.config.brokerName, queueId, topic };
  const wrapper = { brokerOffset, consumerOffset, lastTimestamp };
  return { queue, wrapper, diff: brokerOffset - consumerOffset };
}
