// Room: broker, main thread. The settings of consumer groups, as Java's SubscriptionGroupManager: made on first look-up when
// autoCreateSubscriptionGroup is on. Saved to config/subscriptionGroup.json; the workers hold a replica.
// Always holds: rows are never changed in place; each change has a version of its own and is published before the call returns.

import type { Clock } from '../../base/clock.js';
import type { BrokerConfig } from '../../base/config.js';
import { readFileWithBackup } from '../../base/json-file.js';
import { MAX_TOPICS } from '../../base/limits.js';
import { getLogger } from '../../base/logger.js';
import {
  decodeSubscriptionGroupWrapper,
  defaultSubscriptionGroupConfig,
  type SubscriptionGroupConfig,
  type SubscriptionGroupWrapper,
} from '../../protocol/bodies/subscription-group-config.js';
import type { DataVersion } from '../../protocol/bodies/topic-config.js';
import { versionedTablePieces } from '../config-text.js';
import type { ReplicaPublisher } from '../control-plane.js';
import { PersistedTable, type WriteFile } from '../persisted-table.js';
import { firstVersion, nextVersion, sameVersion } from '../topic/data-version.js';
import { isLegalGroup } from './group-name.js';

const log = getLogger('broker.group');

export const SYSTEM_GROUPS = [
  'TOOLS_CONSUMER',
  'FILTERSRV_CONSUMER',
  'SELF_TEST_C_GROUP',
  'CID_ONS-HTTP-PROXY',
  'CID_ONSAPI_PULL',
  'CID_ONSAPI_PERMISSION',
  'CID_ONSAPI_OWNER',
];

/** Groups of the system's own services exist whatever the configuration says. */
const SYSTEM_GROUP_PREFIX = 'CID_RMQ_SYS_';

export interface SubscriptionGroupManagerOptions {
  readonly path: string;
  readonly config: Pick<BrokerConfig, 'autoCreateSubscriptionGroup'>;
  readonly clock: Clock;
  readonly publisher: Pick<ReplicaPublisher, 'groupChanged'>;
  readonly write?: WriteFile;
}

export class SubscriptionGroupManager {
  readonly #config: Pick<BrokerConfig, 'autoCreateSubscriptionGroup'>;
  readonly #clock: Clock;
  readonly #publisher: Pick<ReplicaPublisher, 'groupChanged'>;
  readonly #file: PersistedTable;
  readonly #table = new Map<string, SubscriptionGroupConfig>();
  #version: DataVersion;

  constructor(options: SubscriptionGroupManagerOptions) {
    this.#config = options.config;
    this.#clock = options.clock;
    this.#publisher = options.publisher;
    this.#version = firstVersion(options.clock);
    const pieces = () =>
      versionedTablePieces(this.#version, 'subscriptionGroupTable', [...this.#table]);
    this.#file = new PersistedTable(options.path, pieces, options.write);
    for (const group of SYSTEM_GROUPS)
      this.#table.set(group, defaultSubscriptionGroupConfig(group));
  }

  /** Rows of the file go over those of the system; a damaged pair of files stops the start (reliability 2.5). */
  load(): void {
    let loaded: SubscriptionGroupWrapper | null = null;
    readFileWithBackup(this.#file.path, (text) => {
      loaded = parseOrNull(text);
      return loaded !== null;
    });
    if (loaded === null) return;
    const { dataVersion, subscriptionGroupTable } = loaded as SubscriptionGroupWrapper;
    for (const [group, row] of subscriptionGroupTable) this.#table.set(group, row);
    this.#version = dataVersion;
  }

  get dataVersion(): DataVersion {
    return this.#version;
  }

  get isPersistHealthy(): boolean {
    return this.#file.isHealthy;
  }

  /** As it is known; makes nothing. */
  get(group: string): SubscriptionGroupConfig | undefined {
    return this.#table.get(group);
  }

  groups(): IterableIterator<SubscriptionGroupConfig> {
    return this.#table.values();
  }

  wrapper(): SubscriptionGroupWrapper {
    return { dataVersion: this.#version, subscriptionGroupTable: this.#table };
  }

  /** The group's row, made if need be; null when that is not allowed. A failed save is logged and tried again later. */
  findOrCreate(group: string): SubscriptionGroupConfig | null {
    const known = this.#table.get(group);
    if (known !== undefined) return known;
    const allowed =
      this.#config.autoCreateSubscriptionGroup || group.startsWith(SYSTEM_GROUP_PREFIX);
    if (!allowed || !isLegalGroup(group) || this.#table.size >= MAX_TOPICS) return null;
    const row = defaultSubscriptionGroupConfig(group);
    this.#put(row);
    log.info('group created', { group });
    this.#file.persistInBackground();
    return row;
  }

  /** Creates or replaces a row. */
  update(row: SubscriptionGroupConfig): Promise<void> {
    this.#put(row);
    return this.#file.persist();
  }

  /** False when there was no such group. */
  async delete(group: string): Promise<boolean> {
    if (!this.#table.delete(group)) return false;
    this.#version = nextVersion(this.#version, this.#clock);
    this.#publisher.groupChanged(group, null);
    log.info('group deleted', { group });
    await this.#file.persist();
    return true;
  }

  /** A slave takes its master's table over, version and all; true when it differed. */
  async replaceAll(wrapper: SubscriptionGroupWrapper): Promise<boolean> {
    if (sameVersion(wrapper.dataVersion, this.#version)) return false;
    for (const group of [...this.#table.keys()]) {
      if (wrapper.subscriptionGroupTable.has(group)) continue;
      this.#table.delete(group);
      this.#publisher.groupChanged(group, null);
    }
    for (const [group, row] of wrapper.subscriptionGroupTable) {
      this.#table.set(group, row);
      this.#publisher.groupChanged(group, row);
    }
    this.#version = wrapper.dataVersion;
    await this.#file.persist();
    return true;
  }

  publishAll(): void {
    for (const [group, row] of this.#table) this.#publisher.groupChanged(group, row);
  }

  /** Waits for saves under way, and saves what could not be saved before. */
  shutdown(): Promise<void> {
    return this.#file.persistIfDirty();
  }

  #put(row: SubscriptionGroupConfig): void {
    this.#table.set(row.groupName, row);
    this.#version = nextVersion(this.#version, this.#clock);
    this.#publisher.groupChanged(row.groupName, row);
  }
}

function parseOrNull(text: string): SubscriptionGroupWrapper | null {
  try {
    return decodeSubscriptionGroupWrapper(text);
  } catch (error) {
    log.error('the file of groups can not be read', { err: error });
    return null;
  }
}
