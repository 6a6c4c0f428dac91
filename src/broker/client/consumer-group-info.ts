// Room: broker, main thread. One consumer group: its members and what they subscribe to, as Java's ConsumerGroupInfo. All
// members must use the same subscriptions, since the last heartbeat decides; the group knows when they do not.
// Always holds: one entry per connection; the subscription table is that of the last heartbeat.

import type { Clock } from '../../base/clock.js';
import { getLogger } from '../../base/logger.js';
import type {
  ConsumeFromWhere,
  ConsumeType,
  MessageModel,
  SubscriptionData,
} from '../../protocol/bodies/heartbeat-data.js';
import type { ClientChannelInfo, ClientConnection } from './client-channel-info.js';

const log = getLogger('broker.client');

export interface ConsumerGroupProfile {
  readonly consumeType: ConsumeType;
  readonly messageModel: MessageModel;
  readonly consumeFromWhere: ConsumeFromWhere;
}

interface Member {
  info: ClientChannelInfo;
  /** What the member's own last heartbeat subscribed to. */
  digest: string;
}

export class ConsumerGroupInfo {
  readonly group: string;
  readonly #clock: Clock;
  readonly #members = new Map<ClientConnection, Member>();
  readonly #subscriptions = new Map<string, SubscriptionData>();
  #profile: ConsumerGroupProfile;

  constructor(group: string, profile: ConsumerGroupProfile, clock: Clock) {
    this.group = group;
    this.#profile = profile;
    this.#clock = clock;
  }

  get profile(): ConsumerGroupProfile {
    return this.#profile;
  }

  get memberCount(): number {
    return this.#members.size;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  *channels(): IterableIterator<ClientChannelInfo> {
    for (const { info } of this.#members.values()) yield info;
  }

  subscriptions(): IterableIterator<SubscriptionData> {
    return this.#subscriptions.values();
  }

  findSubscription(topic: string): SubscriptionData | undefined {
    return this.#subscriptions.get(topic);
  }

  findChannel(clientId: string): ClientChannelInfo | undefined {
    for (const { info } of this.#members.values()) if (info.clientId === clientId) return info;
    return undefined;
  }

  has(connection: ClientConnection): boolean {
    return this.#members.has(connection);
  }

  /** The ids of all members; one id once, even if it shows up on two connections. */
  clientIds(): string[] {
    const ids = new Set<string>();
    for (const { info } of this.#members.values()) ids.add(info.clientId);
    return [...ids];
  }

  /** Takes a heartbeat's sender in; true when it is a new member. */
  updateChannel(fresh: ClientChannelInfo, profile: ConsumerGroupProfile): boolean {
    this.#profile = profile;
    const member = this.#members.get(fresh.connection);
    if (member === undefined) {
      this.#warnOfSharedId(fresh);
      this.#members.set(fresh.connection, { info: fresh, digest: '' });
      return true;
    }
    if (member.info.clientId === fresh.clientId) member.info.touch(this.#clock);
    else member.info = fresh;
    return false;
  }

  /**
   * The last heartbeat decides: new topics come, missing ones go, a newer version of a known one replaces it.
   * `topicsChanged` asks for a rebalance of the group, `tableChanged` for a new copy in the workers.
   */
  updateSubscriptions(
    sender: ClientConnection,
    latest: readonly SubscriptionData[],
  ): { topicsChanged: boolean; tableChanged: boolean } {
    const member = this.#members.get(sender);
    if (member !== undefined) member.digest = digestOf(latest);
    let topicsChanged = false;
    let tableChanged = false;
    const topics = new Set<string>();
    for (const subscription of latest) {
      topics.add(subscription.topic);
      const old = this.#subscriptions.get(subscription.topic);
      if (old !== undefined && old.subVersion >= subscription.subVersion) continue;
      this.#subscriptions.set(subscription.topic, subscription);
      tableChanged = true;
      if (old === undefined) topicsChanged = true;
    }
    for (const topic of [...this.#subscriptions.keys()]) {
      if (topics.has(topic)) continue;
      this.#subscriptions.delete(topic);
      topicsChanged = true;
      tableChanged = true;
    }
    return { topicsChanged, tableChanged };
  }

  /** True when the connection was a member. */
  remove(connection: ClientConnection): boolean {
    return this.#members.delete(connection);
  }

  expired(): ClientChannelInfo[] {
    const infos: ClientChannelInfo[] = [];
    for (const { info } of this.#members.values())
      if (info.isExpired(this.#clock)) infos.push(info);
    return infos;
  }

  /** True when members disagree on topics or expressions: messages then reach nobody, without any sign at the clients. */
  get isInconsistent(): boolean {
    let first: string | null = null;
    for (const { digest } of this.#members.values()) {
      if (digest === '') continue;
      if (first === null) first = digest;
      else if (first !== digest) return true;
    }
    return false;
  }

  #warnOfSharedId(fresh: ClientChannelInfo): void {
    const other = this.findChannel(fresh.clientId);
    if (other === undefined) return;
    log.warn('one client id on two connections: part of the queues will have no owner', {
      group: this.group,
      clientId: fresh.clientId,
      first: other.connection.remoteAddress,
      second: fresh.connection.remoteAddress,
    });
  }
}

function digestOf(subscriptions: readonly SubscriptionData[]): string {
  return subscriptions
    .map((it) => `${it.topic}\u0001${it.expressionType}\u0001${it.subString}`)
    .sort()
    .join('\u0002');
}
