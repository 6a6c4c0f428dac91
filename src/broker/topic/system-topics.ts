// Room: broker, main thread. The topics that every broker has from its first start on, and the names that nobody may create
// or delete (protocol 6.2, storage 10). Pure functions of the configuration.

import type { BrokerConfig } from '../../base/config.js';
import {
  AUTO_CREATE_TOPIC_KEY_TOPIC,
  BENCHMARK_TOPIC,
  isSystemTopic as isNamedSystemTopic,
  OFFSET_MOVED_EVENT,
  replyTopicOf,
  SCHEDULE_TOPIC,
  SELF_TEST_TOPIC,
  SYSTEM_TOPICS,
} from '../../message/topic-validator.js';
import type { TopicConfig } from '../../protocol/bodies/topic-config.js';
import { PermName } from './perm-name.js';

const SCHEDULE_LEVELS = 18;

export type SystemTopicRules = Pick<
  BrokerConfig,
  | 'autoCreateTopicEnable'
  | 'defaultTopicQueueNums'
  | 'brokerClusterName'
  | 'brokerName'
  | 'clusterTopicEnable'
  | 'brokerTopicEnable'
  | 'traceTopicEnable'
  | 'msgTraceTopicName'
>;

export function topicConfigOf(
  topicName: string,
  queueNums: number,
  perm: number,
  topicSysFlag = 0,
): TopicConfig {
  return {
    order: false,
    perm,
    readQueueNums: queueNums,
    topicFilterType: 'SINGLE_TAG',
    topicName,
    topicSysFlag,
    writeQueueNums: queueNums,
  };
}

/** The rows of a first start. */
export function systemTopicConfigs(config: SystemTopicRules): TopicConfig[] {
  const readWrite = PermName.READ | PermName.WRITE;
  const rows = [topicConfigOf(SELF_TEST_TOPIC, 1, readWrite)];
  if (config.autoCreateTopicEnable) {
    const queueNums = config.defaultTopicQueueNums;
    rows.push(topicConfigOf(AUTO_CREATE_TOPIC_KEY_TOPIC, queueNums, readWrite | PermName.INHERIT));
  }
  rows.push(topicConfigOf(BENCHMARK_TOPIC, 1024, readWrite));
  const clusterPerm = config.clusterTopicEnable ? readWrite : 0;
  rows.push(topicConfigOf(config.brokerClusterName, 16, PermName.INHERIT | clusterPerm));
  const brokerPerm = config.brokerTopicEnable ? readWrite : 0;
  rows.push(topicConfigOf(config.brokerName, 1, PermName.INHERIT | brokerPerm));
  rows.push(topicConfigOf(OFFSET_MOVED_EVENT, 1, readWrite));
  rows.push(topicConfigOf(SCHEDULE_TOPIC, SCHEDULE_LEVELS, readWrite));
  if (config.traceTopicEnable) rows.push(topicConfigOf(config.msgTraceTopicName, 1, readWrite));
  rows.push(topicConfigOf(replyTopicOf(config.brokerClusterName), 1, readWrite));
  return rows;
}

/** The names that code 305 lists. */
export function systemTopicNames(config: SystemTopicRules): ReadonlySet<string> {
  const names = new Set([
    ...SYSTEM_TOPICS,
    config.brokerClusterName,
    config.brokerName,
    replyTopicOf(config.brokerClusterName),
  ]);
  if (config.traceTopicEnable) names.add(config.msgTraceTopicName);
  return names;
}

export function isSystemTopic(names: ReadonlySet<string>, topic: string): boolean {
  return names.has(topic) || isNamedSystemTopic(topic);
}
