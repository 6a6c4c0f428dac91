// Room: broker, main thread. What a request needs to be allowed to do (protocol.md 10.3): resources with a permission each, groups under
// their retry topic. Pure. Follows Java's PlainAccessValidator.parse.
// Always holds: whatever field names the topic that the send will be stored under, that topic is among the resources. The worker reads
// long and short names alike, and a retry topic is not the group's of the header only because it says so.

import { isRetryTopic, retryTopicOf } from '../../message/topic-validator.js';
import { decodeHeartbeatData } from '../../protocol/bodies/heartbeat-data.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { Permission } from './permission.js';

/** Throws what the decoder of a body throws. */
export function neededResources(request: RemotingCommand): ReadonlyMap<string, number> {
  const needed = new Map<string, number>();
  const fields = request.extFields ?? {};
  const topic = (name: string | null | undefined) => subscribe(needed, name);
  const group = (name: string | null | undefined) => {
    if (name != null) subscribe(needed, retryTopicOf(name));
  };
  switch (request.code) {
    case RequestCode.SEND_MESSAGE:
      addSend(needed, fields, fields['group']);
      break;
    case RequestCode.SEND_MESSAGE_V2:
      addSend(needed, fields, fields['a']);
      break;
    case RequestCode.CONSUMER_SEND_MSG_BACK:
      group(fields['group']);
      break;
    case RequestCode.PULL_MESSAGE:
    case RequestCode.UPDATE_CONSUMER_OFFSET:
      topic(fields['topic']);
      group(fields['consumerGroup']);
      break;
    case RequestCode.QUERY_MESSAGE:
      topic(fields['topic']);
      break;
    case RequestCode.UNREGISTER_CLIENT:
    case RequestCode.GET_CONSUMER_LIST_BY_GROUP:
      group(fields['consumerGroup']);
      break;
    case RequestCode.HEART_BEAT:
      for (const consumer of decodeHeartbeatData(request.body).consumerDataSet) {
        group(consumer.groupName);
        for (const subscription of consumer.subscriptionDataSet) topic(subscription.topic);
      }
      break;
    default:
      break;
  }
  return needed;
}

function addSend(
  needed: Map<string, number>,
  fields: Readonly<Record<string, string>>,
  group: string | undefined,
): void {
  for (const topic of [fields['topic'], fields['b']]) {
    if (topic === undefined) continue;
    if (!isRetryTopic(topic)) {
      needed.set(topic, Permission.PUB);
      continue;
    }
    subscribe(needed, topic);
    if (group !== undefined) subscribe(needed, retryTopicOf(group));
  }
}

function subscribe(needed: Map<string, number>, resource: string | null | undefined): void {
  if (resource != null) needed.set(resource, Permission.SUB);
}
