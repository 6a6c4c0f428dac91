// Room: broker, main thread. The doors between the control plane and whoever runs the workers: what the tables tell them
// (ReplicaPublisher), and what they hand back (EscalationReason, ControlPlaneHooks).

import type { ConsumerFilterRow } from '../filter/consumer-filter-data.js';
import type { SubscriptionData } from '../protocol/bodies/heartbeat-data.js';
import type { SubscriptionGroupConfig } from '../protocol/bodies/subscription-group-config.js';
import type { TopicConfig } from '../protocol/bodies/topic-config.js';
import type { ClientConnection } from './client/client-channel-info.js';

export interface ConsumersView {
  readonly messageModel: string;
  readonly subscriptions: readonly SubscriptionData[];
}

/** Called on every change, before anything that may rely on it; null removes the row. */
export interface ReplicaPublisher {
  topicChanged(topic: string, config: TopicConfig | null): void;
  groupChanged(group: string, config: SubscriptionGroupConfig | null): void;
  consumersChanged(group: string, consumers: ConsumersView | null): void;
  brokerPermissionChanged(permission: number): void;
  filterChanged(topic: string, group: string, filter: ConsumerFilterRow | null): void;
  filterSupportRetryChanged(isSupported: boolean): void;
}

/**
 * Why a worker hands a frame back.
 *   TOPIC_NOT_FOUND  a send or pull of a topic that its replica does not know
 *   GROUP_NOT_FOUND  a pull, or a send to %RETRY%, of a group that its replica does not know
 *   RETRY_TOPIC      a send to %RETRY% whose reconsumeTimes may have reached the group's limit
 *   OTHER            a header that it could not use
 */
export type EscalationReason = 'TOPIC_NOT_FOUND' | 'GROUP_NOT_FOUND' | 'RETRY_TOPIC' | 'OTHER';

/** A connection whose frames go to the workers. */
export interface DataPlaneConnection extends ClientConnection {
  send(frame: Buffer): void;
}

export interface ControlPlaneHooks {
  /** Hands a frame in again after the tables changed; what is still unknown then comes back as OTHER. */
  resubmit(frame: Buffer, connection: DataPlaneConnection): void;
}
