// Room: broker, main thread. Codes 12, 33 and 321: messages by key, by offset id, and a look into a consume queue (protocol 2.3,
// 2.7). The answers of 12 and 33 are always in JSON, as Java's.

import {
  optionalString,
  requireClampedLong,
  requireInt,
  requireLong,
  requireText,
} from '../../protocol/header-fields.js';
import { type RemotingCommand, SerializeType } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../broker-context.js';
import { failure, failureWithHeader, success } from './answers.js';
import { queryConsumeQueue } from './query-consume-queue.js';

const MAX_QUERY_COUNT = 64;

export function registerQuery(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.QUERY_MESSAGE], async (request) =>
    inJson(await queryMessage(broker, request)),
  );
  dispatcher.register([RequestCode.VIEW_MESSAGE_BY_ID], async (request) =>
    inJson(await viewMessageById(broker, request)),
  );
  dispatcher.register([RequestCode.QUERY_CONSUME_QUEUE], (request) =>
    queryConsumeQueue(broker, request),
  );
}

function inJson(response: RemotingCommand): RemotingCommand {
  response.serializeType = SerializeType.JSON;
  return response;
}

async function queryMessage(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const topic = requireText(request, 'topic');
  const key = requireText(request, 'key');
  const isUnique = optionalString(request, '_UNIQUE_KEY_QUERY') === 'true';
  const wished = requireInt(request, 'maxNum');
  const maxCount = isUnique ? broker.config.defaultQueryMaxNum : Math.min(wished, MAX_QUERY_COUNT);
  const beginMs = requireClampedLong(request, 'beginTimestamp');
  const endMs = requireClampedLong(request, 'endTimestamp');
  if (maxCount <= 0) {
    return failureWithHeader(request, ResponseCode.SYSTEM_ERROR, '"maxNum" must be above 0');
  }
  const found = await broker.store.queryMessage(topic, key, maxCount, beginMs, endMs);
  const response =
    found.records.length > 0
      ? success(request, Buffer.concat(found.records))
      : failure(
          request,
          ResponseCode.QUERY_NOT_FOUND,
          'can not find message, maybe time range not correct',
        );
  response.extFields = {
    indexLastUpdatePhyoffset: String(found.indexLastUpdatePhyOffset),
    indexLastUpdateTimestamp: String(found.indexLastUpdateTimestamp),
  };
  return response;
}

async function viewMessageById(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const physicalOffset = requireLong(request, 'offset');
  const record = await broker.store.lookMessageByOffset(physicalOffset);
  if (record !== null) return success(request, record);
  const remark = `can not find message by the offset, ${physicalOffset}`;
  return failure(request, ResponseCode.SYSTEM_ERROR, remark);
}
