// Room: message. Any thread. Which names a topic may have, with Java's texts, and the topics of the system itself (protocol.md 6.2).
// A valid name can not leave the store's folder: no dot and no slash is in it (bugreports.md #25).

import { MAX_GROUP_CHARS, MAX_TOPIC_CHARS } from '../base/limits.js';

export const AUTO_CREATE_TOPIC_KEY_TOPIC = 'TBW102';
export const SCHEDULE_TOPIC = 'SCHEDULE_TOPIC_XXXX';
export const BENCHMARK_TOPIC = 'BenchmarkTest';
export const TRANS_HALF_TOPIC = 'RMQ_SYS_TRANS_HALF_TOPIC';
export const TRANS_OP_HALF_TOPIC = 'RMQ_SYS_TRANS_OP_HALF_TOPIC';
export const TRANS_CHECK_MAX_TIME_TOPIC = 'TRANS_CHECK_MAX_TIME_TOPIC';
export const TRACE_TOPIC = 'RMQ_SYS_TRACE_TOPIC';
export const SELF_TEST_TOPIC = 'SELF_TEST_TOPIC';
export const OFFSET_MOVED_EVENT = 'OFFSET_MOVED_EVENT';
export const SYSTEM_TOPIC_PREFIX = 'rmq_sys_';
export const RETRY_GROUP_TOPIC_PREFIX = '%RETRY%';
export const DLQ_GROUP_TOPIC_PREFIX = '%DLQ%';
export const LMQ_PREFIX = '%LMQ%';
export const REPLY_TOPIC_POSTFIX = 'REPLY_TOPIC';

/** Not to be created or deleted by anyone; a broker adds names of its own (cluster, broker, reply topic). */
export const SYSTEM_TOPICS: ReadonlySet<string> = new Set([
  AUTO_CREATE_TOPIC_KEY_TOPIC,
  SCHEDULE_TOPIC,
  BENCHMARK_TOPIC,
  TRANS_HALF_TOPIC,
  TRACE_TOPIC,
  TRANS_OP_HALF_TOPIC,
  TRANS_CHECK_MAX_TIME_TOPIC,
  SELF_TEST_TOPIC,
  OFFSET_MOVED_EVENT,
]);

/** Not to be sent to by clients. */
export const FORBIDDEN_TO_SEND_TOPICS: ReadonlySet<string> = new Set([
  SCHEDULE_TOPIC,
  TRANS_HALF_TOPIC,
  TRANS_OP_HALF_TOPIC,
  TRANS_CHECK_MAX_TIME_TOPIC,
  SELF_TEST_TOPIC,
  OFFSET_MOVED_EVENT,
]);

const ALLOWED = /^[%|a-zA-Z0-9_-]+$/;
const ALLOWED_TEXT = '^[%|a-zA-Z0-9_-]+$';

export type NameCheck = { readonly ok: true } | { readonly ok: false; readonly remark: string };

const VALID: NameCheck = { ok: true };

export function validateTopic(topic: string): NameCheck {
  if (isBlank(topic)) return refuse('The specified topic is blank.');
  if (!ALLOWED.test(topic)) {
    return refuse(`The specified topic contains illegal characters, allowing only ${ALLOWED_TEXT}`);
  }
  if (topic.length > MAX_TOPIC_CHARS) {
    return refuse('The specified topic is longer than topic max length.');
  }
  return VALID;
}

/** Names of consumer and producer groups follow the same rules with another bound. */
export function validateGroup(group: string): NameCheck {
  if (isBlank(group)) return refuse('the specified group is blank');
  if (group.length > MAX_GROUP_CHARS) {
    return refuse('the specified group is longer than group max length 255.');
  }
  if (!ALLOWED.test(group)) {
    return refuse(
      `the specified group[${group}] contains illegal characters, allowing only ${ALLOWED_TEXT}`,
    );
  }
  return VALID;
}

/**
 * Whether a path made of the name stays in its folder. For names that no validator has seen: in records that come from a log or a
 * master, and of further queues.
 */
export function isFolderName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

export function isSystemTopic(topic: string): boolean {
  return SYSTEM_TOPICS.has(topic) || topic.startsWith(SYSTEM_TOPIC_PREFIX);
}

export function isForbiddenToSend(topic: string): boolean {
  return FORBIDDEN_TO_SEND_TOPICS.has(topic);
}

export function isRetryTopic(topic: string): boolean {
  return topic.startsWith(RETRY_GROUP_TOPIC_PREFIX);
}

export function isDlqTopic(topic: string): boolean {
  return topic.startsWith(DLQ_GROUP_TOPIC_PREFIX);
}

export function isLmqTopic(topic: string): boolean {
  return topic.startsWith(LMQ_PREFIX);
}

export function retryTopicOf(group: string): string {
  return RETRY_GROUP_TOPIC_PREFIX + group;
}

export function dlqTopicOf(group: string): string {
  return DLQ_GROUP_TOPIC_PREFIX + group;
}

export function replyTopicOf(cluster: string): string {
  return `${cluster}_${REPLY_TOPIC_POSTFIX}`;
}

function isBlank(name: string): boolean {
  return name.trim() === '';
}

function refuse(remark: string): NameCheck {
  return { ok: false, remark };
}
