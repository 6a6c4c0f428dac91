// Room: broker, main thread of a slave. What a slave copies from its master besides the log: topics, consumer offsets, delay offsets
// and groups, 3 s after the start and every 10 s (storage.md 23; Java's SlaveSynchronize). Topics are asked for on the fast port, as
// Java's slaves do.
// Always holds: a step that fails leaves what was there, and the others go on; a table is taken over only when all of its answer
// could be read. What Java leaves behind goes here: queues of topics that the master has deleted (bug report 21).

import { join } from 'node:path';
import { writeFileAtomic } from '../../base/json-file.js';
import { getLogger } from '../../base/logger.js';
import { splitHostPort } from '../../base/net-address.js';
import { isSystemTopic, validateTopic } from '../../message/topic-validator.js';
import { decodeSubscriptionGroupWrapper } from '../../protocol/bodies/subscription-group-config.js';
import { decodeTopicConfigSerializeWrapper } from '../../protocol/bodies/topic-config.js';
import { parseFastJson } from '../../protocol/fast-json.js';
import { LanguageCode } from '../../protocol/language-code.js';
import { createRequest } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { BrokerContext } from '../broker-context.js';
import { ConsumerOffsetManager } from '../offset/consumer-offset-manager.js';
import type { NamesrvClient } from '../out/broker-outer-api.js';
import type { WriteFile } from '../persisted-table.js';

const log = getLogger('broker.slave');

export const FIRST_SYNC_DELAY_MS = 3_000;
export const SYNC_PERIOD_MS = 10_000;
const TIMEOUT_MS = 3_000;
const FAST_PORT_DISTANCE = 2;

type Broker = Pick<
  BrokerContext,
  'brokerAddr' | 'config' | 'groups' | 'offsets' | 'store' | 'topics'
>;

export class SlaveSynchronize {
  readonly #broker: Broker;
  readonly #client: Pick<NamesrvClient, 'invoke'>;
  readonly #writeFile: WriteFile;
  #masterAddr: string | null = null;
  /** What failed at the last turn; it is said when it changes. */
  #failure = '';

  constructor(
    broker: Broker,
    client: Pick<NamesrvClient, 'invoke'>,
    writeFile: WriteFile = writeFileAtomic,
  ) {
    this.#broker = broker;
    this.#client = client;
    this.#writeFile = writeFile;
  }

  /** Of the name server's last answer; null when it knows of no master. */
  setMasterAddr(masterAddr: string | null): void {
    if (masterAddr === this.#masterAddr) return;
    log.info('tables are copied from', { masterAddr });
    this.#masterAddr = masterAddr;
  }

  /** One turn; does not reject. */
  async syncAll(): Promise<void> {
    const master = this.#masterAddr;
    if (master === null || master === this.#broker.brokerAddr) return;
    const failures: string[] = [];
    const step = async (name: string, work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Error) || error.name === 'AssertionError') throw error;
        failures.push(`${name}: ${error.message}`);
      }
    };
    await step('topics', () => this.#syncTopics(master));
    await step('consumer offsets', () => this.#syncConsumerOffsets(master));
    await step('delay offsets', () => this.#syncDelayOffsets(master));
    await step('groups', () => this.#syncGroups(master));
    const failure = failures.join('; ');
    if (failure !== '' && failure !== this.#failure) {
      log.warn('not all tables could be copied from the master', { master, failure });
    }
    this.#failure = failure;
  }

  async #syncTopics(master: string): Promise<void> {
    const { topics, store } = this.#broker;
    const body = await this.#ask(fastPortOf(master), RequestCode.GET_ALL_TOPIC_CONFIG);
    const { dataVersion, topicConfigTable } = decodeTopicConfigSerializeWrapper(body);
    // A name becomes a folder: one that no broker would have made is left out.
    const legal = [...topicConfigTable].filter(
      ([topic]) => validateTopic(topic).ok || topics.isSystemTopic(topic),
    );
    if (legal.length === 0) throw new Error('the master has no topics, which none can be without');
    const wrapper = { dataVersion, topicConfigTable: new Map(legal) };
    const before = topics.names();
    if (!(await topics.replaceAll(wrapper))) return;
    const deleted = before.filter((it) => !wrapper.topicConfigTable.has(it) && !isSystemTopic(it));
    if (deleted.length > 0) {
      log.info('topics that the master has deleted go', { topics: deleted });
      await store.deleteTopics(deleted);
    }
    log.info('topics copied from the master', { count: wrapper.topicConfigTable.size });
  }

  async #syncConsumerOffsets(master: string): Promise<void> {
    const body = await this.#ask(master, RequestCode.GET_ALL_CONSUMER_OFFSET);
    const table = parseFastJson(body.toString('utf8'));
    // Into a table that nobody reads: an answer that breaks off in the middle changes nothing.
    new ConsumerOffsetManager('').putAll(table);
    this.#broker.offsets.putAll(table);
    await this.#broker.offsets.persist();
  }

  /** Java keeps them in the file only; they are read when this broker becomes a master, which takes a restart. */
  async #syncDelayOffsets(master: string): Promise<void> {
    const text = (await this.#ask(master, RequestCode.GET_ALL_DELAY_OFFSET)).toString('utf8');
    const table = parseFastJson(text) as Record<string, unknown> | null;
    if (typeof table?.['offsetTable'] !== 'object') throw new Error('there is no offsetTable');
    const { storePathRootDir } = this.#broker.config;
    await this.#writeFile(join(storePathRootDir, 'config', 'delayOffset.json'), text);
  }

  async #syncGroups(master: string): Promise<void> {
    const body = await this.#ask(master, RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG);
    const wrapper = decodeSubscriptionGroupWrapper(body);
    if (!(await this.#broker.groups.replaceAll(wrapper))) return;
    log.info('groups copied from the master', { count: wrapper.subscriptionGroupTable.size });
  }

  async #ask(address: string, code: number): Promise<Buffer> {
    const request = createRequest(code, null, null, LanguageCode.JAVA);
    const response = await this.#client.invoke(address, request, TIMEOUT_MS);
    if (response.code !== ResponseCode.SUCCESS) {
      throw new Error(`${address} answered code ${response.code}: ${response.remark ?? ''}`);
    }
    if (response.body === null) throw new Error(`${address} answered nothing`);
    return response.body;
  }
}

function fastPortOf(address: string): string {
  const { host, port } = splitHostPort(address);
  return `${host.includes(':') ? `[${host}]` : host}:${port - FAST_PORT_DISTANCE}`;
}
