// Room: broker, main thread. Tells the workers' replicas each change of a table, through the same rings as the frames, so that a frame
// that comes later meets the new rows.

import type { TableChange } from '../processor/table-replicas.js';
import type { SubscriptionGroupConfig } from '../protocol/bodies/subscription-group-config.js';
import type { TopicConfig } from '../protocol/bodies/topic-config.js';
import type { HandOver } from '../workers/hand-over.js';
import type { ConsumersView, ReplicaPublisher } from './control-plane.js';

export class RingReplicaPublisher implements ReplicaPublisher {
  readonly #workers: readonly HandOver[];

  constructor(workers: readonly HandOver[]) {
    this.#workers = workers;
  }

  topicChanged(topic: string, config: TopicConfig | null): void {
    this.#publish({ table: 'topic', key: topic, row: config });
  }

  groupChanged(group: string, config: SubscriptionGroupConfig | null): void {
    this.#publish({ table: 'group', key: group, row: config });
  }

  consumersChanged(group: string, consumers: ConsumersView | null): void {
    this.#publish({ table: 'consumers', key: group, row: consumers });
  }

  brokerPermissionChanged(permission: number): void {
    this.#publish({ table: 'broker', row: { brokerPermission: permission } });
  }

  #publish(change: TableChange): void {
    for (const worker of this.#workers) worker.table(change);
  }
}
