// Room: namesrv. Main thread; the request processor and the expiry timer write, nobody else. The address book: which brokers there
// are and which queues of a topic each has. Java's RouteInfoManager; the rules are in protocol.md 7.
//
//   topic ──► brokerName ──► QueueData            brokerName ──► cluster, brokerId ──► address
//   cluster ──► brokerNames                       address ──► live info (broker-live-table), filter servers
//
// Always holds: a broker without any address has no entry, no queues and no place in its cluster; only the connection over which
// an address registered last, or its silence, can end it (bugreports.md 40); a broker whose write permission was wiped has no
// writable queue until it is added again or the broker takes leave.

import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { ClusterInfo } from '../protocol/bodies/cluster-info.js';
import type { DataVersion, TopicConfig } from '../protocol/bodies/topic-config.js';
import type { TopicRouteData } from '../protocol/bodies/topic-route-data.js';
import { type BrokerChannel, BrokerLiveTable } from './broker-live-table.js';

export const MASTER_ID = 0;
const PERM_WRITE = 2;
const PERM_READ_WRITE = 6;

interface QueueData {
  readonly brokerName: string;
  readonly readQueueNums: number;
  readonly writeQueueNums: number;
  perm: number;
  readonly topicSysFlag: number;
}

interface BrokerData {
  readonly brokerName: string;
  cluster: string;
  /** In the order of the ids, so that whoever takes the first takes the master. */
  brokerAddrs: Map<number, string>;
}

export interface BrokerIdentity {
  readonly clusterName: string;
  readonly brokerAddr: string;
  readonly brokerName: string;
  readonly brokerId: number;
}

export interface Registration extends BrokerIdentity {
  readonly haServerAddr: string;
  readonly dataVersion: DataVersion;
  readonly topics: Iterable<TopicConfig>;
  readonly filterServers: readonly string[];
  readonly channel: BrokerChannel;
}

export interface RegisterResult {
  readonly masterAddr: string | null;
  readonly haServerAddr: string | null;
}

export class RouteInfoManager {
  readonly #topics = new Map<string, Map<string, QueueData>>();
  readonly #brokers = new Map<string, BrokerData>();
  readonly #clusters = new Map<string, Set<string>>();
  readonly #filterServers = new Map<string, readonly string[]>();
  readonly #wiped = new Set<string>();
  readonly #live: BrokerLiveTable;
  readonly #log: Logger;

  constructor(clock: Clock, log: Logger) {
    this.#live = new BrokerLiveTable(clock);
    this.#log = log;
  }

  registerBroker(registration: Registration): RegisterResult {
    const { brokerName, brokerAddr, brokerId, dataVersion, channel } = registration;
    const isFirst = this.#putBroker(registration);
    const isMaster = brokerId === MASTER_ID;
    if (isMaster && (isFirst || this.#live.isChanged(brokerAddr, dataVersion))) {
      for (const topic of registration.topics) this.#putQueueData(brokerName, topic);
    }
    const before = this.#live.put(brokerAddr, dataVersion, channel, registration.haServerAddr);
    if (before === null) {
      this.#log.info('a broker registered', { brokerName, brokerId, brokerAddr });
    }
    if (registration.filterServers.length > 0) {
      this.#filterServers.set(brokerAddr, registration.filterServers);
    } else {
      this.#filterServers.delete(brokerAddr);
    }
    return isMaster ? { masterAddr: null, haServerAddr: null } : this.#masterOf(brokerName);
  }

  /** Takes leave, if the address is registered over this connection (or over one that is gone). */
  unregisterBroker(broker: BrokerIdentity, channel: BrokerChannel): void {
    const { brokerAddr, brokerName } = broker;
    const info = this.#live.get(brokerAddr);
    if (info !== null && info.channel !== channel && !info.channel.isClosed) {
      const remote = channel.remoteAddress;
      this.#log.warn('a late farewell was ignored: the address registered anew since', {
        brokerName,
        brokerAddr,
        remote,
      });
      return;
    }
    this.#removeAddress(brokerAddr, 'it took leave');
    if (!this.#brokers.has(brokerName)) this.#wiped.delete(brokerName);
  }

  /** Whether a registration would change anything; if not, the question counts as a sign of life. */
  queryDataVersion(
    brokerAddr: string,
    version: DataVersion,
  ): { readonly changed: boolean; readonly known: DataVersion | null } {
    const changed = this.#live.isChanged(brokerAddr, version);
    if (!changed) this.#live.touch(brokerAddr);
    return { changed, known: this.#live.get(brokerAddr)?.dataVersion ?? null };
  }

  /** The end of a connection ends the addresses that registered over it. */
  onChannelClosed(channel: BrokerChannel): void {
    for (const { brokerAddr } of this.#live.ofChannel(channel)) {
      this.#removeAddress(brokerAddr, 'its connection closed');
    }
  }

  /** Ends the brokers that were silent too long; called every few seconds. */
  scanNotActiveBrokers(): void {
    for (const info of this.#live.expired()) {
      this.#removeAddress(info.brokerAddr, 'it was silent for too long');
      info.channel.close('the broker was silent for too long');
    }
  }

  /** Null when the topic has no queues on any broker with an address. */
  pickupTopicRoute(topic: string): Omit<TopicRouteData, 'orderTopicConf'> | null {
    const queues = this.#topics.get(topic);
    if (queues === undefined) return null;
    const brokerDatas: BrokerData[] = [];
    const filterServerTable = new Map<string, readonly string[]>();
    for (const brokerName of queues.keys()) {
      const broker = this.#brokers.get(brokerName);
      if (broker === undefined) continue;
      brokerDatas.push(broker);
      for (const addr of broker.brokerAddrs.values()) {
        const servers = this.#filterServers.get(addr);
        if (servers !== undefined) filterServerTable.set(addr, servers);
      }
    }
    if (queues.size === 0 || brokerDatas.length === 0) return null;
    return { queueDatas: [...queues.values()], brokerDatas, filterServerTable };
  }

  /** Clears the write bit on all queues of the broker, now and at later registrations; how many topics were touched. */
  wipeWritePerm(brokerName: string): number {
    if (this.#brokers.has(brokerName)) this.#wiped.add(brokerName);
    return this.#changePerms(brokerName, (perm) => perm & ~PERM_WRITE);
  }

  /** Gives read and write back; Java, too, touches topics that had another permission. */
  addWritePerm(brokerName: string): number {
    this.#wiped.delete(brokerName);
    return this.#changePerms(brokerName, (perm) => perm | PERM_READ_WRITE);
  }

  /** From all brokers, or from those of one cluster. */
  deleteTopic(topic: string, clusterName: string | null): void {
    if (clusterName === null) {
      this.#topics.delete(topic);
      return;
    }
    const queues = this.#topics.get(topic);
    for (const brokerName of this.#clusters.get(clusterName) ?? []) queues?.delete(brokerName);
    if (queues?.size === 0) this.#topics.delete(topic);
  }

  allTopics(): string[] {
    return [...this.#topics.keys()];
  }

  topicsOfCluster(clusterName: string): string[] {
    const names = this.#clusters.get(clusterName) ?? new Set<string>();
    return this.#topicsWhere((queues) => [...queues.keys()].some((name) => names.has(name)));
  }

  /** By the flag of each topic's first broker, as Java does. */
  topicsWithFlag(matches: (topicSysFlag: number) => boolean): string[] {
    return this.#topicsWhere((queues) => {
      const [first] = queues.values();
      return first !== undefined && matches(first.topicSysFlag);
    });
  }

  /** Names of clusters and brokers are topics of their own; with some address to ask for more. */
  systemTopics(): { readonly topics: string[]; readonly brokerAddr: string | null } {
    const topics = new Set<string>();
    for (const [cluster, names] of this.#clusters) {
      topics.add(cluster);
      for (const name of names) topics.add(name);
    }
    const [first] = this.#brokers.values();
    const [brokerAddr] = first?.brokerAddrs.values() ?? [];
    return { topics: [...topics], brokerAddr: brokerAddr ?? null };
  }

  clusterInfo(): ClusterInfo {
    const clusterAddrTable = new Map<string, string[]>();
    for (const [cluster, names] of this.#clusters) clusterAddrTable.set(cluster, [...names]);
    return { brokerAddrTable: this.#brokers, clusterAddrTable };
  }

  /** True for a new name or a new id of a known name. */
  #putBroker({ clusterName, brokerName, brokerAddr, brokerId }: Registration): boolean {
    let broker = this.#brokers.get(brokerName);
    if (broker === undefined) {
      broker = { brokerName, cluster: clusterName, brokerAddrs: new Map() };
      this.#brokers.set(brokerName, broker);
    } else if (broker.cluster !== clusterName) {
      this.#leaveCluster(broker);
      broker.cluster = clusterName;
    }
    this.#joinCluster(clusterName, brokerName);
    // An address has one id: a slave that became master gives up its old one.
    for (const [id, addr] of broker.brokerAddrs) {
      if (addr === brokerAddr && id !== brokerId) broker.brokerAddrs.delete(id);
    }
    const before = broker.brokerAddrs.get(brokerId);
    if (before !== undefined && before !== brokerAddr && this.#live.get(before) !== null) {
      this.#log.warn('two live brokers claim the same name and id; the newer one is in the route', {
        brokerName,
        brokerId,
        newer: brokerAddr,
        older: before,
      });
    }
    broker.brokerAddrs.set(brokerId, brokerAddr);
    broker.brokerAddrs = new Map([...broker.brokerAddrs].sort(([left], [right]) => left - right));
    return before === undefined;
  }

  #joinCluster(clusterName: string, brokerName: string): void {
    const names = this.#clusters.get(clusterName);
    if (names === undefined) this.#clusters.set(clusterName, new Set([brokerName]));
    else names.add(brokerName);
  }

  #leaveCluster({ cluster, brokerName }: BrokerData): void {
    const names = this.#clusters.get(cluster);
    names?.delete(brokerName);
    if (names?.size === 0) this.#clusters.delete(cluster);
  }

  #putQueueData(brokerName: string, topic: TopicConfig): void {
    const { topicName, readQueueNums, writeQueueNums, topicSysFlag } = topic;
    const perm = this.#wiped.has(brokerName) ? topic.perm & ~PERM_WRITE : topic.perm;
    const data = { brokerName, readQueueNums, writeQueueNums, perm, topicSysFlag };
    const queues = this.#topics.get(topicName);
    if (queues === undefined) this.#topics.set(topicName, new Map([[brokerName, data]]));
    else queues.set(brokerName, data);
  }

  #masterOf(brokerName: string): RegisterResult {
    const masterAddr = this.#brokers.get(brokerName)?.brokerAddrs.get(MASTER_ID);
    const info = masterAddr === undefined ? null : this.#live.get(masterAddr);
    if (info === null) return { masterAddr: null, haServerAddr: null };
    return { masterAddr: info.brokerAddr, haServerAddr: info.haServerAddr };
  }

  /** Only where the address itself stands: another one under the same name and id stays. */
  #removeAddress(brokerAddr: string, reason: string): void {
    this.#live.delete(brokerAddr);
    this.#filterServers.delete(brokerAddr);
    for (const broker of [...this.#brokers.values()]) {
      for (const [id, addr] of broker.brokerAddrs) {
        if (addr !== brokerAddr) continue;
        broker.brokerAddrs.delete(id);
        const { brokerName } = broker;
        this.#log.info(`a broker is gone: ${reason}`, { brokerName, brokerId: id, brokerAddr });
      }
      if (broker.brokerAddrs.size === 0) this.#removeBroker(broker);
    }
  }

  #removeBroker(broker: BrokerData): void {
    this.#brokers.delete(broker.brokerName);
    this.#leaveCluster(broker);
    for (const [topic, queues] of this.#topics) {
      if (queues.delete(broker.brokerName) && queues.size === 0) this.#topics.delete(topic);
    }
  }

  #changePerms(brokerName: string, change: (perm: number) => number): number {
    let count = 0;
    for (const queues of this.#topics.values()) {
      const data = queues.get(brokerName);
      if (data === undefined) continue;
      data.perm = change(data.perm);
      count++;
    }
    return count;
  }

  #topicsWhere(matches: (queues: ReadonlyMap<string, QueueData>) => boolean): string[] {
    const names: string[] = [];
    for (const [topic, queues] of this.#topics) if (matches(queues)) names.push(topic);
    return names;
  }
}
