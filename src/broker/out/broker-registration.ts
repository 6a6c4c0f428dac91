// Room: broker, main thread. Keeps the name servers' picture of this broker: at start, every registerNameServerPeriod, and at once
// when a topic changes (protocol 4.5). Registrations follow one another and read the tables when their turn comes.
// Always holds: no registration carries an older version than one that was sent before it; and since a name server takes no rows
// with a version that it knows, none carries a version whose rows have not all been told by its end.

import type { BrokerConfig } from '../../base/config.js';
import { getLogger } from '../../base/logger.js';
import {
  type EncodedRegisterBody,
  encodeRegisterBody,
} from '../../protocol/bodies/register-broker-body.js';
import type {
  TopicConfig,
  TopicConfigSerializeWrapper,
} from '../../protocol/bodies/topic-config.js';
import { PermName } from '../topic/perm-name.js';
import type { TopicConfigManager } from '../topic/topic-config-manager.js';
import type { BrokerIdentity, BrokerOuterApi, RegisterResult } from './broker-outer-api.js';

const log = getLogger('broker.out');

const MIN_PERIOD_MS = 10_000;
const MAX_PERIOD_MS = 60_000;
const NEED_REGISTER_TIMEOUT_MS = 3_000;
const UNREGISTER_TIMEOUT_MS = 3_000;

export interface BrokerRegistrationOptions {
  readonly config: BrokerConfig;
  readonly api: BrokerOuterApi;
  readonly topics: TopicConfigManager;
  readonly identity: BrokerIdentity;
  readonly haServerAddr: string;
  /** What the first name server that answered says of the master; for slaves. */
  readonly onMaster: (masterAddr: string | null, haServerAddr: string | null) => void;
}

export class BrokerRegistration {
  readonly #options: BrokerRegistrationOptions;
  #tail: Promise<void> = Promise.resolve();
  #onewayWaiting = false;
  /** The counter of the version that every name server has confirmed; null when one may not have it. */
  #toldCounter: number | null = null;
  #stopped = false;

  constructor(options: BrokerRegistrationOptions) {
    this.#options = options;
  }

  periodMs(): number {
    const wished = this.#options.config.registerNameServerPeriod;
    return Math.min(MAX_PERIOD_MS, Math.max(MIN_PERIOD_MS, wished));
  }

  get namesrvAddrs(): readonly string[] {
    return this.#options.api.namesrvAddrs;
  }

  /** Registers all topics, when forced or when a name server does not know their version; ends when all have answered. */
  registerAll(force: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const { config, api, topics, identity } = this.#options;
      const timeoutMs = config.registerBrokerTimeoutMills;
      if (!force) {
        const version = topics.dataVersion;
        if (!(await api.needsRegister(identity, version, NEED_REGISTER_TIMEOUT_MS))) return;
      }
      await this.#register(topics.wrapper(), timeoutMs);
    });
  }

  /** Tells all name servers soon and waits for none: a topic was created. Calls in one turn are one registration. */
  registerAllSoon(): void {
    if (this.#onewayWaiting) return;
    this.#onewayWaiting = true;
    this.#inTurn(async () => {
      this.#onewayWaiting = false;
      const { api, topics, identity, haServerAddr } = this.#options;
      this.#toldCounter = null;
      await api.registerAllOneway(identity, haServerAddr, this.#body(topics.wrapper()));
    }).catch((error: unknown) => log.warn('registration failed', { err: error }));
  }

  /** Registers one topic, and others that changed meanwhile; waits for the name servers, so that whoever created it can use it. */
  registerTopic(row: TopicConfig): Promise<void> {
    return this.#inTurn(async () => {
      const { topics, config } = this.#options;
      const { counter } = topics.dataVersion;
      if (this.#toldCounter === counter) return;
      const isOnlyChange = this.#toldCounter === counter - 1;
      await this.#register(
        topics.wrapper(isOnlyChange ? row : undefined),
        config.registerBrokerTimeoutMills,
      );
    });
  }

  /** The last word: nothing is registered after it. */
  async unregister(): Promise<void> {
    this.#stopped = true;
    await this.#tail;
    await this.#options.api.unregisterAll(this.#options.identity, UNREGISTER_TIMEOUT_MS);
  }

  async #register(wrapper: TopicConfigSerializeWrapper, timeoutMs: number): Promise<void> {
    const { api, identity, haServerAddr } = this.#options;
    const body = this.#body(wrapper);
    const { counter } = wrapper.dataVersion;
    const results = await api.registerAll(identity, haServerAddr, body, timeoutMs);
    this.#toldCounter = results.length === api.namesrvAddrs.length ? counter : null;
    const [first] = results;
    if (first !== undefined) this.#take(first);
  }

  #take(result: RegisterResult): void {
    this.#options.onMaster(result.masterAddr, result.haServerAddr);
    if (result.orderTopics !== null) this.#options.topics.setOrderTopics(result.orderTopics);
  }

  /** A broker that may not be read and written says so of each topic. */
  #body(wrapper: TopicConfigSerializeWrapper): EncodedRegisterBody {
    const { brokerPermission, compressedRegister } = this.#options.config;
    const readWrite = PermName.READ | PermName.WRITE;
    let told = wrapper;
    if ((brokerPermission & readWrite) !== readWrite) {
      const rows = [...wrapper.topicConfigTable].map(
        ([topic, row]) => [topic, { ...row, perm: brokerPermission }] as const,
      );
      told = { ...wrapper, topicConfigTable: new Map(rows) };
    }
    return encodeRegisterBody(told, [], compressedRegister);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    const done = this.#tail.then(() => (this.#stopped ? undefined : work()));
    this.#tail = done.catch(() => undefined);
    return done;
  }
}
