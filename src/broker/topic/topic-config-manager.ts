// Room: broker, main thread. The table of topics, as Java's TopicConfigManager: read by all processors, written by admin calls,
// auto-creation, heartbeats (retry topics) and the name servers' order list. Saved to config/topics.json; the workers hold a
// replica. Always holds: rows are never changed in place; each change has a version of its own, is published before the call
// returns, and is on disk when its promise resolves.

import { assert } from '../../base/assert.js';
import type { Clock } from '../../base/clock.js';
import { readFileWithBackup } from '../../base/json-file.js';
import { MAX_TOPICS } from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import {
  type DataVersion,
  decodeTopicConfigSerializeWrapper,
  type TopicConfig,
  type TopicConfigSerializeWrapper,
} from '../../protocol/bodies/topic-config.js';
import { versionedTablePieces } from '../config-text.js';
import type { ReplicaPublisher } from '../control-plane.js';
import { PersistedTable, type WriteFile } from '../persisted-table.js';
import { type AutoCreateRequest, autoCreatedTopic } from './auto-create-topic.js';
import { firstVersion, nextVersion, sameVersion } from './data-version.js';
import {
  isSystemTopic,
  type SystemTopicRules,
  systemTopicConfigs,
  systemTopicNames,
  topicConfigOf,
} from './system-topics.js';

const log = getLogger('broker.topic');

export interface TopicConfigManagerOptions {
  readonly path: string;
  readonly config: SystemTopicRules;
  readonly clock: Clock;
  readonly publisher: Pick<ReplicaPublisher, 'topicChanged'>;
  /** A topic came into being or changed its flags outside of an admin call: the name servers are to hear of it at once. */
  readonly onRouteChanged: () => void;
  readonly write?: WriteFile;
}

export class TopicConfigManager {
  readonly #config: SystemTopicRules;
  readonly #clock: Clock;
  readonly #publisher: Pick<ReplicaPublisher, 'topicChanged'>;
  readonly #onRouteChanged: () => void;
  readonly #file: PersistedTable;
  readonly #table = new Map<string, TopicConfig>();
  readonly #systemNames: ReadonlySet<string>;
  #version: DataVersion;

  constructor(options: TopicConfigManagerOptions) {
    this.#config = options.config;
    this.#clock = options.clock;
    this.#publisher = options.publisher;
    this.#onRouteChanged = options.onRouteChanged;
    this.#version = firstVersion(options.clock);
    const pieces = () => this.#pieces();
    this.#file = new PersistedTable(options.path, pieces, options.write);
    this.#systemNames = systemTopicNames(options.config);
    for (const row of systemTopicConfigs(options.config)) this.#table.set(row.topicName, row);
  }

  /** Rows of the file go over those of the system; a damaged pair of files stops the start (reliability 2.5). */
  load(): void {
    let loaded: TopicConfigSerializeWrapper | null = null;
    readFileWithBackup(this.#file.path, (text) => {
      loaded = parseOrNull(text);
      return loaded !== null;
    });
    if (loaded === null) return;
    const { dataVersion, topicConfigTable } = loaded as TopicConfigSerializeWrapper;
    for (const [topic, row] of topicConfigTable) this.#table.set(topic, row);
    this.#version = dataVersion;
  }

  get dataVersion(): DataVersion {
    return this.#version;
  }

  get isPersistHealthy(): boolean {
    return this.#file.isHealthy;
  }

  get size(): number {
    return this.#table.size;
  }

  get(topic: string): TopicConfig | undefined {
    return this.#table.get(topic);
  }

  topics(): IterableIterator<TopicConfig> {
    return this.#table.values();
  }

  names(): string[] {
    return [...this.#table.keys()];
  }

  systemNames(): string[] {
    return [...this.#systemNames];
  }

  isSystemTopic(topic: string): boolean {
    return isSystemTopic(this.#systemNames, topic);
  }

  /** The whole table, or one row of it with the table's version, as it is registered. */
  wrapper(only?: TopicConfig): TopicConfigSerializeWrapper {
    const rows = only === undefined ? this.#table : new Map([[only.topicName, only]]);
    return { dataVersion: this.#version, topicConfigTable: rows };
  }

  /** Creates or replaces a row. */
  update(row: TopicConfig): Promise<void> {
    this.#put(row);
    return this.#file.persist();
  }

  /** False when there was no such topic. */
  async delete(topic: string): Promise<boolean> {
    if (!this.#table.delete(topic)) return false;
    this.#version = nextVersion(this.#version, this.#clock);
    this.#publisher.topicChanged(topic, null);
    log.info('topic deleted', { topic });
    await this.#file.persist();
    return true;
  }

  /** The topic's row, made from its template if need be (protocol 6.2); null when that is not allowed. */
  async createByTemplate(request: AutoCreateRequest): Promise<TopicConfig | null> {
    const known = this.#table.get(request.topic);
    if (known !== undefined) return known;
    const template = this.#table.get(request.defaultTopic);
    const result = autoCreatedTopic(request, template, this.#config.autoCreateTopicEnable);
    if (result.row === null || !this.hasRoom()) {
      log.warn('topic not created', {
        topic: request.topic,
        defaultTopic: request.defaultTopic,
        reason: result.row === null ? result.reason : 'the table is full',
        from: request.remoteAddress,
      });
      return null;
    }
    await this.#create(result.row);
    return result.row;
  }

  /** The topic's row, made with the given values if need be; null when the table is full. */
  async createIfAbsent(
    topic: string,
    queueNums: number,
    perm: number,
    topicSysFlag: number,
  ): Promise<TopicConfig | null> {
    const known = this.#table.get(topic);
    if (known !== undefined) return known;
    if (!this.hasRoom()) return null;
    const row = topicConfigOf(topic, queueNums, perm, topicSysFlag);
    await this.#create(row);
    return row;
  }

  hasRoom(): boolean {
    return this.#table.size < MAX_TOPICS;
  }

  /** Sets or clears bits of topicSysFlag; nothing happens when they are as wished. */
  setSysFlag(topic: string, bits: number, on: boolean): void {
    const row = this.#table.get(topic);
    if (row === undefined) return;
    const topicSysFlag = on ? row.topicSysFlag | bits : row.topicSysFlag & ~bits;
    if (topicSysFlag === row.topicSysFlag) return;
    this.#put({ ...row, topicSysFlag });
    this.#file.persistInBackground();
    this.#onRouteChanged();
  }

  /** `order` is true for the topics of the name servers' list and for no others. */
  setOrderTopics(orderTopics: ReadonlySet<string>): void {
    const changed = [...this.#table.values()].filter(
      (row) => row.order !== orderTopics.has(row.topicName),
    );
    if (changed.length === 0) return;
    this.#version = nextVersion(this.#version, this.#clock);
    for (const row of changed) {
      const next = { ...row, order: !row.order };
      this.#table.set(row.topicName, next);
      this.#publisher.topicChanged(row.topicName, next);
      log.info('order of topic changed', { topic: row.topicName, order: next.order });
    }
    this.#file.persistInBackground();
  }

  /** A new version with no change of rows: brokerPermission changed what is registered. */
  touchVersion(): void {
    this.#version = nextVersion(this.#version, this.#clock);
    this.#file.persistInBackground();
  }

  /** A slave takes its master's table over, version and all; true when it differed. */
  async replaceAll(wrapper: TopicConfigSerializeWrapper): Promise<boolean> {
    if (sameVersion(wrapper.dataVersion, this.#version)) return false;
    for (const topic of [...this.#table.keys()]) {
      if (wrapper.topicConfigTable.has(topic)) continue;
      this.#table.delete(topic);
      this.#publisher.topicChanged(topic, null);
    }
    for (const [topic, row] of wrapper.topicConfigTable) {
      this.#table.set(topic, row);
      this.#publisher.topicChanged(topic, row);
    }
    this.#version = wrapper.dataVersion;
    await this.#file.persist();
    return true;
  }

  publishAll(): void {
    for (const [topic, row] of this.#table) this.#publisher.topicChanged(topic, row);
  }

  /** Waits for saves under way, and saves what could not be saved before. */
  shutdown(): Promise<void> {
    return this.#file.persistIfDirty();
  }

  /** A failed save does not stop a send: it is logged and tried again with the next change. */
  async #create(row: TopicConfig): Promise<void> {
    assert(!this.#table.has(row.topicName), 'a topic is created once');
    this.#put(row);
    log.info('topic created', { topic: row.topicName, queues: row.writeQueueNums });
    this.#onRouteChanged();
    await this.#file.persist().catch((error: unknown) => {
      log.error('topics were not saved', { err: error });
    });
  }

  #put(row: TopicConfig): void {
    this.#table.set(row.topicName, row);
    this.#version = nextVersion(this.#version, this.#clock);
    this.#publisher.topicChanged(row.topicName, row);
  }

  /** Rows are immutable, so that a copy of the list of them is the table of one moment. */
  #pieces(): Iterable<string> {
    return versionedTablePieces(this.#version, 'topicConfigTable', [...this.#table]);
  }
}

function parseOrNull(text: string): TopicConfigSerializeWrapper | null {
  try {
    return decodeTopicConfigSerializeWrapper(text);
  } catch (error) {
    log.error('the file of topics can not be read', { err: error });
    return null;
  }
}
