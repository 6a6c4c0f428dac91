// Room: broker, main thread. What the processors work with: the tables, the store and the doors outside. Made once by
// BrokerController; the fields never change, what they hold does.

import type { Clock } from '../base/clock.js';
import type { BrokerConfig } from '../base/config.js';
import type { Configuration } from '../base/config-update.js';
import type { Prng } from '../base/prng.js';
import type { MessageStore } from '../store/message-store.js';
import type { PlainPermissionManager } from './acl/plain-permission-manager.js';
import type { BrokerToClient } from './client/broker-to-client.js';
import type { ConsumerManager } from './client/consumer-manager.js';
import type { ProducerManager } from './client/producer-manager.js';
import type { RebalanceLockManager } from './client/rebalance-lock-manager.js';
import type { ConsumerFilterManager } from './filter/consumer-filter-manager.js';
import type { ConsumerOffsetManager } from './offset/consumer-offset-manager.js';
import type { BrokerRegistration } from './out/broker-registration.js';
import type { BrokerStatsManager } from './stats/broker-stats-manager.js';
import type { StoreStats } from './stats/store-stats.js';
import type { SubscriptionGroupManager } from './subscription/subscription-group-manager.js';
import type { TopicConfigManager } from './topic/topic-config-manager.js';

export interface BrokerContext {
  readonly config: BrokerConfig;
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly store: MessageStore;
  readonly topics: TopicConfigManager;
  readonly groups: SubscriptionGroupManager;
  readonly offsets: ConsumerOffsetManager;
  readonly consumers: ConsumerManager;
  readonly filters: ConsumerFilterManager;
  readonly producers: ProducerManager;
  readonly locks: RebalanceLockManager;
  readonly brokerToClient: BrokerToClient;
  readonly registration: BrokerRegistration;
  readonly stats: BrokerStatsManager;
  readonly storeStats: StoreStats;
  /** Null without access control. */
  readonly acl: PlainPermissionManager | null;
  /** brokerIP1:listenPort */
  readonly brokerAddr: string;
  /** Progress of the delay levels, for codes 28 and 45. */
  readonly delayOffsets: () => ReadonlyMap<number, number>;
}
