// Room: broker, main thread. Code 321: a look into a consume queue (protocol 2.7): what its entries hold, with their ext units, and
// whether a group's subscription would pass them by what the queue alone tells.

import { encodeConsumerFilter } from '../../filter/consumer-filter-data.js';
import { isTagExpression, SubscriptionFilters } from '../../processor/pull-filter.js';
import {
  type ConsumeQueueData,
  encodeQueryConsumeQueueBody,
} from '../../protocol/bodies/query-consume-queue.js';
import type { SubscriptionData } from '../../protocol/bodies/subscription-data.js';
import {
  optionalString,
  requireInt,
  requireLong,
  requireText,
} from '../../protocol/header-fields.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { ResponseCode } from '../../protocol/response-code.js';
import { CqExtUnit } from '../../store/consumequeue/consume-queue-ext.js';
import type { MessageFilter } from '../../store/get/message-filter.js';
import type { ConsumeQueueExtView, ConsumeQueueUnitView } from '../../store/message-store.js';
import type { BrokerContext } from '../broker-context.js';
import { failure, success, successWithStaleRemark } from './answers.js';

type Filter = MessageFilter | null | undefined;

export async function queryConsumeQueue(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const topic = requireText(request, 'topic');
  const queueId = requireInt(request, 'queueId');
  const index = requireLong(request, 'index');
  const count = requireInt(request, 'count');
  const group = optionalString(request, 'consumerGroup');
  const view = await broker.store.consumeQueue(topic, queueId, index, count);
  if (view === null) {
    const remark = `${queueId}@${topic} is not exist!`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  if (view.units.length === 0) {
    const response = success(request);
    response.remark = `Index ${index} of ${queueId}@${topic} is not exist!`;
    return response;
  }
  const subscriptionData =
    group === null ? null : (broker.consumers.findSubscription(group, topic) ?? null);
  const filter = subscriptionData === null ? undefined : filterOf(broker, group, subscriptionData);
  const body = encodeQueryConsumeQueueBody({
    filterData: group === null ? null : filterText(broker, group, topic, subscriptionData),
    maxQueueIndex: view.maxOffset,
    minQueueIndex: view.minOffset,
    queueData: view.units.map((unit) => unitBody(unit, filter)),
    subscriptionData,
  });
  return successWithStaleRemark(request, body);
}

/** The compiled filter as Java prints it: none for tags. */
function filterText(
  { filters }: BrokerContext,
  group: string,
  topic: string,
  subscription: SubscriptionData | null,
): string {
  if (subscription === null) return `${group}@${topic} is not online!`;
  const data = filters.get(topic, group);
  return data === null ? 'null' : encodeConsumerFilter(data);
}

/** Null lets everything pass. */
function filterOf(
  { filters }: BrokerContext,
  group: string | null,
  subscription: SubscriptionData,
): MessageFilter | null {
  const made = new SubscriptionFilters(filters.bloomFilter);
  if (isTagExpression(subscription.expressionType)) return made.byTags(subscription);
  const data = group === null ? null : filters.get(subscription.topic, group);
  return data === null ? null : made.registered(data);
}

/** Only entries with an ext unit are judged, as Java's. */
function unitBody(unit: ConsumeQueueUnitView, filter: Filter): ConsumeQueueData {
  const { ext } = unit;
  const entry = {
    eval: false,
    physicOffset: unit.physicalOffset,
    physicSize: unit.sizeBytes,
    tagsCode: unit.tagsCode,
  };
  if (ext === undefined) return entry;
  if (ext === null) return { ...entry, msg: `Cq extend not exist!addr: ${unit.tagsCode}` };
  return {
    ...entry,
    eval: filter !== undefined && isMatched(filter, ext),
    extendDataJson: extText(ext),
    bitMap: ext.bitMap === null ? null : bitText(ext.bitMap),
  };
}

function isMatched(filter: MessageFilter | null, ext: ConsumeQueueExtView): boolean {
  if (filter === null) return true;
  const unit = new CqExtUnit();
  unit.tagsHigh = Number(BigInt.asIntN(32, ext.tagsCode >> 32n));
  unit.tagsLow = Number(BigInt.asIntN(32, ext.tagsCode));
  unit.msgStoreTime = ext.msgStoreTime;
  unit.bitMap = ext.bitMap === null ? null : Buffer.from(ext.bitMap);
  return filter.matchConsumeQueue(true, unit.tagsHigh, unit.tagsLow, unit);
}

function extText({ bitMap, msgStoreTime, sizeBytes, tagsCode }: ConsumeQueueExtView): string {
  const bits = bitMap === null ? '' : `"filterBitMap":"${Buffer.from(bitMap).toString('base64')}",`;
  return `{${bits}"msgStoreTime":${msgStoreTime},"size":${sizeBytes},"tagsCode":${tagsCode}}`;
}

/** Bit 0 is the last; every eighth byte, and so the first, ends a line (Java's BitsArray.toString). */
function bitText(bitMap: Uint8Array): string {
  let text = '';
  for (let i = bitMap.length - 1; i >= 0; i--) {
    text += (bitMap[i] ?? 0).toString(2).padStart(8, '0');
    if (i % 8 === 0) text += '\n';
  }
  return text;
}
