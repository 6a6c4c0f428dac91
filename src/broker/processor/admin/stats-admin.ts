// Room: broker, main thread. Codes 28, 315 and 317: what the broker has done and how far its groups are behind (protocol 2.7 to
// 2.9). Reads only.

import { encodeBrokerStatsData } from '../../../protocol/bodies/broker-stats-data.js';
import {
  type ConsumeStats,
  encodeConsumeStatsList,
} from '../../../protocol/bodies/consume-stats.js';
import { encodeKvTable } from '../../../protocol/bodies/kv-table.js';
import { requireBoolean, requireText } from '../../../protocol/header-fields.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import { consumeStatsOfTopic } from '../../offset/consume-stats.js';
import { failure, success } from '../answers.js';
import { runtimeInfo } from './runtime-info.js';

export function registerStatsAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.GET_BROKER_RUNTIME_INFO], async (request) => {
    const table = await runtimeInfo(broker);
    return success(request, encodeKvTable(table));
  });
  dispatcher.register([RequestCode.VIEW_BROKER_STATS_DATA], (request) =>
    viewBrokerStatsData(broker, request),
  );
  dispatcher.register([RequestCode.GET_BROKER_CONSUME_STATS], (request) =>
    getBrokerConsumeStats(broker, request),
  );
}

function viewBrokerStatsData(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const name = requireText(request, 'statsName');
  const key = requireText(request, 'statsKey');
  const item = broker.stats.find(name, key);
  if (item === undefined) {
    const remark = `The stats <${name}> <${key}> not exist`;
    return failure(request, ResponseCode.SYSTEM_ERROR, remark);
  }
  const body = encodeBrokerStatsData({
    statsDay: item.day.snapshot(),
    statsHour: item.hour.snapshot(),
    statsMinute: item.minute.snapshot(),
  });
  return success(request, body);
}

/** All groups that have settings, each with all the topics that it has read. */
async function getBrokerConsumeStats(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const onlyOrder = requireBoolean(request, 'isOrder');
  const consumeStatsList: Map<string, ConsumeStats[]>[] = [];
  let totalDiff = 0;
  for (const { groupName } of [...broker.groups.groups()]) {
    const stats: ConsumeStats[] = [];
    for (const topic of broker.offsets.topicsOf(groupName)) {
      if (onlyOrder && broker.topics.get(topic)?.order !== true) continue;
      const found = await consumeStatsOfTopic(broker, groupName, topic, 'write');
      if (found === null) continue;
      totalDiff += found.totalDiff;
      stats.push({ consumeTps: found.consumeTps, offsetTable: new Map(found.offsets) });
    }
    consumeStatsList.push(new Map([[groupName, stats]]));
  }
  const body = encodeConsumeStatsList({
    brokerAddr: broker.brokerAddr,
    consumeStatsList,
    totalDiff,
  });
  return success(request, body);
}
