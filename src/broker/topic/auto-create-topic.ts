// Room: broker, main thread. What a topic looks like that is made because somebody sent to it (protocol 6.2). Pure.

import { AUTO_CREATE_TOPIC_KEY_TOPIC } from '../../message/topic-validator.js';
import type { TopicConfig } from '../../protocol/bodies/topic-config.js';
import { PermName } from './perm-name.js';
import { topicConfigOf } from './system-topics.js';

export interface AutoCreateRequest {
  readonly topic: string;
  /** The template, normally TBW102. */
  readonly defaultTopic: string;
  /** How many queues the client wishes for. */
  readonly queueNums: number;
  readonly topicSysFlag: number;
  readonly remoteAddress: string;
}

export type AutoCreateResult =
  | { readonly row: TopicConfig }
  | { readonly row: null; readonly reason: string };

/** The row, or why there is none. TBW102 counts as without INHERIT while autoCreateTopicEnable is off. */
export function autoCreatedTopic(
  request: AutoCreateRequest,
  template: TopicConfig | undefined,
  autoCreateTopicEnable: boolean,
): AutoCreateResult {
  if (template === undefined) return { row: null, reason: 'the default topic does not exist' };
  if (request.defaultTopic === AUTO_CREATE_TOPIC_KEY_TOPIC && !autoCreateTopicEnable) {
    return { row: null, reason: 'autoCreateTopicEnable is off' };
  }
  if ((template.perm & PermName.INHERIT) === 0) {
    return { row: null, reason: 'the default topic may not be inherited from' };
  }
  const queueNums = Math.max(0, Math.min(request.queueNums, template.writeQueueNums));
  const perm = template.perm & ~PermName.INHERIT;
  const row = topicConfigOf(request.topic, queueNums, perm, request.topicSysFlag);
  return { row: { ...row, topicFilterType: template.topicFilterType } };
}
