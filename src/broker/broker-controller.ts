// Room: broker, main thread. The control plane as one thing: makes the tables in the order in which they need each other, registers
// the processors, runs what goes by the clock, and stops it all (architecture 2). Whoever owns the threads gives it a store, a
// publisher of replicas and a way to hand frames in again.
// Always holds: nothing is saved before it was loaded, and the workers have all rows before the first frame.

import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import type { BrokerConfig } from '../base/config.js';
import { brokerSchema } from '../base/config-schema.js';
import { Configuration } from '../base/config-update.js';
import { getLogger } from '../base/logger.js';
import { parseHostPort } from '../base/net-address.js';
import { type Prng, systemPrng } from '../base/prng.js';
import { RequestDispatcher } from '../remoting/request-dispatcher.js';
import type { MessageStore } from '../store/message-store.js';
import { AclHook } from './acl/acl-hook.js';
import {
  ACL_RELOAD_PERIOD_MS,
  type PlainPermissionManager,
} from './acl/plain-permission-manager.js';
import type { BrokerContext } from './broker-context.js';
import { BrokerToClient } from './client/broker-to-client.js';
import { ConsumerManager } from './client/consumer-manager.js';
import { ProducerManager } from './client/producer-manager.js';
import { RebalanceLockManager } from './client/rebalance-lock-manager.js';
import type {
  ControlPlaneHooks,
  DataPlaneConnection,
  EscalationReason,
  ReplicaPublisher,
} from './control-plane.js';
import { Escalation } from './escalation.js';
import { ConsumerFilterManager } from './filter/consumer-filter-manager.js';
import { ConsumerOffsetManager } from './offset/consumer-offset-manager.js';
import { offsetMovedMessage } from './offset/offset-moved-event.js';
import { BrokerOuterApi, type NamesrvClient } from './out/broker-outer-api.js';
import { BrokerRegistration } from './out/broker-registration.js';
import { PeriodicTasks } from './periodic-tasks.js';
import type { WriteFile } from './persisted-table.js';
import { registerProcessors } from './processor/register-processors.js';
import { ScheduleMessageService } from './schedule/schedule-message-service.js';
import {
  FIRST_SYNC_DELAY_MS,
  SlaveSynchronize,
  SYNC_PERIOD_MS,
} from './slave/slave-synchronize.js';
import { BrokerStatsManager } from './stats/broker-stats-manager.js';
import { CountedStore } from './stats/counted-store.js';
import { SAMPLE_PERIOD_MS, type StoreCounters, StoreStats } from './stats/store-stats.js';
import { SubscriptionGroupManager } from './subscription/subscription-group-manager.js';
import { TopicConfigManager } from './topic/topic-config-manager.js';
import { TransactionalMessageCheckService } from './transaction/transactional-message-check-service.js';

const log = getLogger('broker');

const SCAN_PERIOD_MS = 10_000;
const FIRST_REGISTER_DELAY_MS = 10_000;
const RETRY_SAVE_PERIOD_MS = 10_000;
const FILTER_SAVE_PERIOD_MS = 10_000;

export interface BrokerControllerOptions {
  readonly config: BrokerConfig;
  /** Where code 25 keeps its changes; null keeps none. */
  readonly configFile: string | null;
  readonly store: MessageStore;
  readonly publisher: ReplicaPublisher;
  readonly hooks: ControlPlaneHooks;
  readonly clock: Clock;
  readonly namesrvClient: NamesrvClient;
  readonly prng?: Prng;
  /** What the workers count beyond countPuts() and countPulls(). */
  readonly storeCounters?: () => Partial<StoreCounters>;
  /** A slave learns here who its master is. */
  readonly onMaster?: (masterAddr: string | null, haServerAddr: string | null) => void;
  readonly writeFile?: WriteFile;
  /** Whom every request is shown to first; without it everybody may do everything. */
  readonly acl?: PlainPermissionManager | null;
}

export class BrokerController {
  readonly dispatcher = new RequestDispatcher();
  readonly context: BrokerContext;
  readonly tasks: PeriodicTasks;
  readonly transactionCheck: TransactionalMessageCheckService;
  readonly schedule: ScheduleMessageService;
  readonly #options: BrokerControllerOptions;
  readonly #escalation: Escalation;
  readonly #counted: CountedStore;
  /** Copies the master's tables; null on a master. */
  readonly #slave: SlaveSynchronize | null;
  #isLoaded = false;
  #isStarted = false;

  constructor(options: BrokerControllerOptions) {
    this.#options = options;
    this.tasks = new PeriodicTasks(options.clock);
    this.#counted = new CountedStore(options.storeCounters ?? (() => ({})));
    this.context = this.#makeContext();
    const isSlave = options.config.brokerRole === 'SLAVE';
    this.#slave = isSlave
      ? new SlaveSynchronize(this.context, options.namesrvClient, options.writeFile)
      : null;
    this.schedule = this.#makeSchedule();
    this.#escalation = new Escalation(this.context, options.hooks);
    if (this.context.acl !== null) this.dispatcher.addHook(new AclHook(this.context.acl));
    registerProcessors(this.dispatcher, this.context);
    this.transactionCheck = new TransactionalMessageCheckService(this.context);
    this.#addTasks();
  }

  /** Reads config/*.json; throws CONFIG_FILE_DAMAGED when a table is there and can not be read. */
  load(): void {
    this.context.topics.load();
    this.context.groups.load();
    this.context.filters.load();
    this.context.offsets.load(this.context.config.acceptEmptyOffsets);
    this.schedule.load(this.context.config.acceptEmptyOffsets);
    this.#isLoaded = true;
  }

  /** After load(): gives the workers their replicas. Before the first frame. */
  publishAll(): void {
    const { publisher } = this.#options;
    publisher.brokerPermissionChanged(this.context.config.brokerPermission);
    publisher.filterSupportRetryChanged(this.context.config.filterSupportRetry);
    this.context.filters.publishAll();
    this.context.topics.publishAll();
    this.context.groups.publishAll();
    this.context.consumers.publishAll();
  }

  /** After the servers listen: begins the timers and tells the name servers. */
  async start(): Promise<void> {
    this.#isStarted = true;
    this.tasks.start();
    this.#startSchedule();
    await this.context.registration.registerAll(true);
  }

  /** Before the servers close: name servers hear of it, so that clients go elsewhere. Requests are still served. */
  async drain(): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    await Promise.all([
      this.schedule.stopDelivering(),
      this.transactionCheck.shutdown(),
      this.context.registration.unregister(),
    ]);
  }

  /** After the last frame: saves what is not yet on disk. */
  async shutdown(): Promise<void> {
    await this.drain();
    this.tasks.shutdown();
    if (!this.#isLoaded) return;
    const { offsets, topics, groups, filters } = this.context;
    const saves = [offsets.persist(), topics.shutdown(), groups.shutdown(), filters.persist()];
    await Promise.all([...saves, this.schedule.shutdown()]);
  }

  /** A frame that a worker could not decide on; it belongs to the controller now. */
  escalated(
    reason: EscalationReason,
    frame: Buffer,
    connection: DataPlaneConnection,
  ): Promise<void> {
    return this.#escalation.handle(reason, frame, connection);
  }

  /** A commit that came with a pull. Slaves take none: theirs come from the master. */
  commitOffset(from: string, group: string, topic: string, queueId: number, offset: number): void {
    if (this.context.config.brokerRole === 'SLAVE') return;
    this.context.offsets.commit(from, group, topic, queueId, offset);
  }

  /** A pull was answered PULL_OFFSET_MOVED: a master leaves a record of it for monitors. */
  offsetMoved(
    group: string,
    topic: string,
    queueId: number,
    requestedOffset: number,
    newOffset: number,
  ): void {
    const { config, store, clock, brokerAddr } = this.context;
    if (config.brokerRole === 'SLAVE') return;
    const host = parseHostPort(brokerAddr);
    const queue = { brokerName: config.brokerName, queueId, topic };
    const event = { group, queue, requestedOffset, newOffset, atMs: clock.nowMs() };
    store.put(offsetMovedMessage(event, host)).catch((error: unknown) => {
      log.warn('OFFSET_MOVED_EVENT was not stored', { err: error });
    });
  }

  /** What the commitlog worker stored since it last said so. */
  countPuts(topic: string, count: number, sizeBytes: number): void {
    this.#counted.addPuts(count, sizeBytes);
    this.context.stats.addPut(topic, -1, count, sizeBytes);
  }

  /** What the dispatch worker handed out since it last said so. */
  countPulls(pulls: {
    readonly group: string;
    readonly topic: string;
    readonly queueId: number;
    readonly count: number;
    readonly bytes: number;
    readonly found: number;
    readonly missed: number;
  }): void {
    this.#counted.addPulls(pulls.found, pulls.missed, pulls.count);
    if (pulls.found === 0) return;
    const { group, topic, queueId, count, bytes, found } = pulls;
    this.context.stats.addGet(group, topic, queueId, count, bytes, found);
  }

  #makeContext(): BrokerContext {
    const { config, clock, store, publisher, writeFile } = this.#options;
    const path = (name: string) => join(config.storePathRootDir, 'config', name);
    const write = writeFile === undefined ? {} : { write: writeFile };
    const brokerToClient = new BrokerToClient();
    const topics = new TopicConfigManager({
      path: path('topics.json'),
      config,
      clock,
      publisher,
      onRouteChanged: () => this.context.registration.registerAllSoon(),
      ...write,
    });
    const groupsPath = path('subscriptionGroup.json');
    const filters = new ConsumerFilterManager({
      path: path('consumerFilter.json'),
      config,
      clock,
      publisher,
      ...write,
    });
    // As Java's: whatever was set, ext units have room for the bits of the filter.
    config.bitMapLengthConsumeQueueExt = filters.bloomFilter.bitCount;
    const consumers = new ConsumerManager(clock, publisher, {
      changed: (group, members) => {
        for (const member of members) brokerToClient.notifyConsumerIdsChanged(member, group);
      },
      registered: (group, subscriptions) => filters.register(group, subscriptions),
      unregistered: (group) => filters.unregister(group),
    });
    const brokerAddr = `${config.brokerIP1}:${config.listenPort}`;
    return {
      config,
      configuration: new Configuration({
        schema: brokerSchema,
        config,
        file: this.#options.configFile,
        onChange: (names) => this.#configChanged(names),
      }),
      clock,
      prng: this.#options.prng ?? systemPrng,
      store,
      topics,
      groups: new SubscriptionGroupManager({
        path: groupsPath,
        config,
        clock,
        publisher,
        ...write,
      }),
      offsets: new ConsumerOffsetManager(path('consumerOffset.json'), writeFile),
      consumers,
      filters,
      producers: new ProducerManager(clock),
      locks: new RebalanceLockManager(clock),
      brokerToClient,
      registration: this.#makeRegistration(topics, brokerAddr),
      stats: new BrokerStatsManager(clock, config.brokerClusterName),
      storeStats: new StoreStats(clock, () => this.#counted.counters()),
      acl: this.#options.acl ?? null,
      brokerAddr,
      delayOffsets: () => this.schedule.delayOffsets,
    };
  }

  #makeSchedule(): ScheduleMessageService {
    const { config, clock, store, writeFile } = this.#options;
    const path = join(config.storePathRootDir, 'config', 'delayOffset.json');
    const write = writeFile === undefined ? {} : { writeFile };
    return new ScheduleMessageService({
      path,
      config,
      clock,
      store,
      stats: this.context.stats,
      ...write,
    });
  }

  /** In the background: it begins when the queues hold all that the log holds, and the broker serves meanwhile. */
  #startSchedule(): void {
    if (this.context.config.brokerRole === 'SLAVE') return;
    this.schedule.start().catch((error: unknown) => {
      log.error('delayed messages are not delivered', { err: error });
    });
  }

  #makeRegistration(topics: TopicConfigManager, brokerAddr: string): BrokerRegistration {
    const { config, namesrvClient, onMaster } = this.#options;
    return new BrokerRegistration({
      config,
      api: new BrokerOuterApi(namesrvClient, config.namesrvAddr),
      topics,
      identity: {
        clusterName: config.brokerClusterName,
        brokerName: config.brokerName,
        brokerAddr,
        brokerId: config.brokerId,
      },
      haServerAddr: `${config.brokerIP2}:${config.haListenPort}`,
      onMaster: (masterAddr, haServerAddr) => {
        this.#slave?.setMasterAddr(masterAddr);
        onMaster?.(masterAddr, haServerAddr);
      },
    });
  }

  #addTasks(): void {
    const { tasks, context } = this;
    const { config, registration } = context;
    tasks.add(
      'registration',
      FIRST_REGISTER_DELAY_MS,
      () => registration.periodMs(),
      () => registration.registerAll(config.forceRegister),
    );
    tasks.add(
      'saving consumer offsets',
      config.flushConsumerOffsetInterval,
      () => config.flushConsumerOffsetInterval,
      () => context.offsets.persistIfDirty(),
    );
    tasks.add(
      'saving delay offsets',
      config.flushDelayOffsetInterval,
      () => config.flushDelayOffsetInterval,
      () => this.schedule.requestSave(),
    );
    const slave = this.#slave;
    if (slave !== null) {
      tasks.add('copying tables', FIRST_SYNC_DELAY_MS, SYNC_PERIOD_MS, () => slave.syncAll());
    }
    tasks.add('saving tables again', RETRY_SAVE_PERIOD_MS, RETRY_SAVE_PERIOD_MS, async () => {
      await Promise.all([context.topics.shutdown(), context.groups.shutdown()]);
    });
    tasks.add('saving consumer filters', FILTER_SAVE_PERIOD_MS, FILTER_SAVE_PERIOD_MS, () =>
      context.filters.persist(),
    );
    tasks.add(
      'checking transactions',
      config.transactionCheckInterval,
      () => config.transactionCheckInterval,
      () => this.transactionCheck.check(),
    );
    const { acl } = context;
    if (acl !== null) {
      const period = ACL_RELOAD_PERIOD_MS;
      tasks.add('looking at the ACL files', period, period, () => acl.reload());
    }
    tasks.add('scanning clients', SCAN_PERIOD_MS, SCAN_PERIOD_MS, () => {
      context.producers.scan();
      context.consumers.scan();
      context.locks.scanExpired();
    });
    tasks.add('sampling statistics', 0, SAMPLE_PERIOD_MS, () => {
      context.stats.sample();
      context.storeStats.sample();
    });
  }

  /** The registered permission of all topics follows the broker's. */
  #configChanged(names: readonly string[]): void {
    if (names.includes('filterSupportRetry')) {
      const { filterSupportRetry } = this.context.config;
      this.#options.publisher.filterSupportRetryChanged(filterSupportRetry);
    }
    if (!names.includes('brokerPermission')) return;
    this.#options.publisher.brokerPermissionChanged(this.context.config.brokerPermission);
    this.context.topics.touchVersion();
    this.context.registration.registerAll(true).catch((error: unknown) => {
      log.warn('registration failed', { err: error });
    });
  }
}
