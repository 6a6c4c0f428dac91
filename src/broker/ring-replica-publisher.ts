// Room: broker, main thread. Tells the workers' replicas each change of a table, through the same rings as the frames, so that a frame
// that comes later meets the new rows.

import type { ConsumerFilterRow } from '../filter/consumer-filter-data.js';
import type { TableChange } from '../processor/table-replicas.js';
import type { SubscriptionGroupConfig } from '../protocol/bodies/subscription-group-config.js';
import type { TopicConfig } from '../protocol/bodies/topic-config.js';
import type { HandOver } from '../workers/hand-over.js';
import type { ConsumersView, ReplicaPublisher } from './control-plane.js';

export class RingReplicaPublisher implements ReplicaPublisher {
  readonly #workers: readonly HandOver[];
  /** The one that serves pulls. */
  readonly #dispatch: HandOver;

  constructor(commitlog: HandOver, dispatch: HandOver) {
    this.#workers = [commitlog, dispatch];
    this.#dispatch = dispatch;
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

  filterChanged(topic: string, group: string, filter: ConsumerFilterRow | null): void {
    this.#publishToDispatch({ table: 'filter', topic, group, row: filter });
  }

  filterSupportRetryChanged(isSupported: boolean): void {
    this.#publishToDispatch({ table: 'filterSupportRetry', row: isSupported });
  }

  #publishToDispatch(change: TableChange): void {
    this.#dispatch.table(change);
  }

  #publish(change: TableChange): void {
    for (const worker of this.#workers) worker.table(change);
  }
}
