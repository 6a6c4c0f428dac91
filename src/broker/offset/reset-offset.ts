// Room: broker, main thread. Code 222: where a group is to read on, by time, told to its members, who store the offsets
// themselves (protocol 6.14). The broker's own offsets do not change here.

import type { MessageQueue } from '../../protocol/bodies/consume-stats.js';
import {
  encodeResetOffsetBody,
  encodeResetOffsetBodyForC,
} from '../../protocol/bodies/reset-offset.js';
import { V3_0_7_SNAPSHOT, versionName } from '../../protocol/mq-version.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { BrokerContext } from '../broker-context.js';

export interface ResetRequest {
  readonly topic: string;
  readonly group: string;
  /** Milliseconds since the epoch; -1 means the end of each queue. */
  readonly timestamp: number;
  /** Also forward; otherwise a group only ever goes back. */
  readonly isForce: boolean;
  /** The requester is a C++ tool: its clients read a list in place of a map with objects as keys. */
  readonly forC: boolean;
}

export type ResetOutcome =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly code: number; readonly remark: string };

const TO_THE_END = -1;

export async function resetOffset(
  broker: BrokerContext,
  request: ResetRequest,
): Promise<ResetOutcome> {
  const { topic, group, timestamp } = request;
  const targets = await targetOffsets(broker, request);
  if (typeof targets === 'string') return refused(ResponseCode.SYSTEM_ERROR, targets);
  const members = [...(broker.consumers.get(group)?.channels() ?? [])];
  if (members.length === 0) {
    return refused(
      ResponseCode.CONSUMER_NOT_ONLINE,
      `Consumer not online, so can not reset offset, Group: ${group} Topic: ${topic} ` +
        `Timestamp: ${timestamp}`,
    );
  }
  const old = members.find((member) => member.version < V3_0_7_SNAPSHOT);
  if (old !== undefined) {
    const version = versionName(old.version);
    const remark = `the client does not support this feature. version=${version}`;
    return refused(ResponseCode.SYSTEM_ERROR, remark);
  }
  const body = encodeResetOffsetBody({ offsetTable: targets });
  const notice = request.forC ? encodeResetOffsetBodyForC({ offsetTable: targets }) : body;
  for (const { connection } of members) {
    broker.brokerToClient.resetOffset(connection, topic, group, timestamp, notice);
  }
  return { ok: true, body };
}

async function targetOffsets(
  broker: BrokerContext,
  request: ResetRequest,
): Promise<Map<MessageQueue, number> | string> {
  const { topic, group, timestamp, isForce } = request;
  const row = broker.topics.get(topic);
  if (row === undefined) {
    return `[reset-offset] reset offset failed, no topic in this broker. topic=${topic}`;
  }
  const targets = new Map<MessageQueue, number>();
  for (let queueId = 0; queueId < row.writeQueueNums; queueId++) {
    const committed = broker.offsets.query(group, topic, queueId);
    if (committed === -1) return `THe consumer group <${group}> not exist`;
    const found =
      timestamp === TO_THE_END
        ? await broker.store.maxOffsetInQueue(topic, queueId)
        : await broker.store.offsetByTime(topic, queueId, timestamp);
    const target = Math.max(0, found);
    const queue = { brokerName: broker.config.brokerName, queueId, topic };
    targets.set(queue, isForce || target < committed ? target : committed);
  }
  return targets;
}

function refused(code: number, remark: string): ResetOutcome {
  return { ok: false, code, remark };
}
