// Room: broker, main thread. All consumer groups that are online, as Java's ConsumerManager. Heartbeats, unregistering,
// closing connections and the scan write it; processors read it, and the workers hold a replica of the subscriptions.
// Always holds: a group in the table has at least one member, and a closed connection is a member of none.

import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import type { SubscriptionData } from '../../protocol/bodies/heartbeat-data.js';
import type { ReplicaPublisher } from '../control-plane.js';
import type { ClientChannelInfo, ClientConnection } from './client-channel-info.js';
import { ConsumerGroupInfo, type ConsumerGroupProfile } from './consumer-group-info.js';

const log = getLogger('broker.client');

export interface ConsumerGroupListener {
  /** Members or topics changed: the given ones are to rebalance. */
  changed(group: string, members: readonly ClientConnection[]): void;
  /** A heartbeat came, whether it changed something or not. */
  registered?(group: string, subscriptions: readonly SubscriptionData[]): void;
  /** The last member left. */
  unregistered?(group: string): void;
}

export class ConsumerManager {
  readonly #clock: Clock;
  readonly #publisher: Pick<ReplicaPublisher, 'consumersChanged'>;
  readonly #listener: ConsumerGroupListener;
  readonly #groups = new Map<string, ConsumerGroupInfo>();
  readonly #reportedInconsistent = new Set<string>();

  constructor(
    clock: Clock,
    publisher: Pick<ReplicaPublisher, 'consumersChanged'>,
    listener: ConsumerGroupListener,
  ) {
    this.#clock = clock;
    this.#publisher = publisher;
    this.#listener = listener;
  }

  get(group: string): ConsumerGroupInfo | undefined {
    return this.#groups.get(group);
  }

  groups(): IterableIterator<ConsumerGroupInfo> {
    return this.#groups.values();
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  findChannel(group: string, clientId: string): ClientChannelInfo | undefined {
    return this.#groups.get(group)?.findChannel(clientId);
  }

  findSubscription(group: string, topic: string): SubscriptionData | undefined {
    return this.#groups.get(group)?.findSubscription(topic);
  }

  /** True when the group is online but subscribes to other topics: its old offsets of this one mean nothing. */
  isOnlineWithout(group: string, topic: string): boolean {
    const info = this.#groups.get(group);
    if (info === undefined) return false;
    return info.subscriptionCount > 0 && info.findSubscription(topic) === undefined;
  }

  groupsOfTopic(topic: string): string[] {
    const groups: string[] = [];
    for (const info of this.#groups.values()) {
      if (info.findSubscription(topic) !== undefined) groups.push(info.group);
    }
    return groups;
  }

  /** A heartbeat; true when members or topics changed. */
  register(
    group: string,
    channel: ClientChannelInfo,
    profile: ConsumerGroupProfile,
    subscriptions: readonly SubscriptionData[],
    notify: boolean,
  ): boolean {
    let info = this.#groups.get(group);
    const isNew = info === undefined;
    if (info === undefined) {
      info = new ConsumerGroupInfo(group, profile, this.#clock);
      this.#groups.set(group, info);
    }
    const modelChanged = info.profile.messageModel !== profile.messageModel;
    const memberChanged = info.updateChannel(channel, profile);
    const update = info.updateSubscriptions(channel.connection, subscriptions);
    if (isNew || modelChanged || update.tableChanged) this.#publish(info);
    const changed = memberChanged || update.topicsChanged;
    if (changed && notify) this.#listener.changed(group, connectionsOf(info));
    this.#listener.registered?.(group, subscriptions);
    return changed;
  }

  unregister(group: string, connection: ClientConnection, notify: boolean): void {
    const info = this.#groups.get(group);
    if (info?.remove(connection)) this.#afterRemoval(info, notify);
  }

  /** The other members of its groups are told. */
  connectionClosed(connection: ClientConnection): void {
    for (const info of [...this.#groups.values()]) {
      if (info.remove(connection)) this.#afterRemoval(info, true);
    }
  }

  /** Drops and closes members without a heartbeat, and reports groups whose members disagree. */
  scan(): void {
    for (const info of [...this.#groups.values()]) {
      for (const channel of info.expired()) {
        log.warn('consumer without heartbeat removed', {
          group: info.group,
          clientId: channel.clientId,
          address: channel.connection.remoteAddress,
        });
        channel.connection.close('no heartbeat');
        this.connectionClosed(channel.connection);
      }
      this.#reportInconsistency(info);
    }
  }

  inconsistentGroups(): string[] {
    const groups: string[] = [];
    for (const info of this.#groups.values()) if (info.isInconsistent) groups.push(info.group);
    return groups;
  }

  publishAll(): void {
    for (const info of this.#groups.values()) this.#publish(info);
  }

  #afterRemoval(info: ConsumerGroupInfo, notify: boolean): void {
    if (info.memberCount > 0) {
      if (notify) this.#listener.changed(info.group, connectionsOf(info));
      return;
    }
    this.#groups.delete(info.group);
    this.#reportedInconsistent.delete(info.group);
    this.#publisher.consumersChanged(info.group, null);
    this.#listener.unregistered?.(info.group);
    log.info('last consumer of the group left', { group: info.group });
  }

  #publish(info: ConsumerGroupInfo): void {
    this.#publisher.consumersChanged(info.group, {
      messageModel: info.profile.messageModel,
      subscriptions: [...info.subscriptions()],
    });
  }

  #reportInconsistency(info: ConsumerGroupInfo): void {
    if (!info.isInconsistent) {
      this.#reportedInconsistent.delete(info.group);
      return;
    }
    if (this.#reportedInconsistent.has(info.group)) return;
    this.#reportedInconsistent.add(info.group);
    log.warn('members of one group subscribe to different things: messages will be missed', {
      group: info.group,
      members: info.clientIds(),
    });
  }
}

function connectionsOf(info: ConsumerGroupInfo): ClientConnection[] {
  const connections: ClientConnection[] = [];
  for (const channel of info.channels()) connections.push(channel.connection);
  return connections;
}
