// Room: broker, main thread. How far each group has read each queue, as Java's ConsumerOffsetManager; the next offset to
// consume. Written by code 15, by commits that come with pulls, by resets and clones. Saved to config/consumerOffset.json
// every flushConsumerOffsetInterval and at the end, never before it was loaded.
// Always holds: an offset outlives its topic, as 4.9.7's do, unless somebody asks for its removal (bug report 16).

import { cometError, isCometError } from '../../base/errors.js';
import { readFileWithBackup } from '../../base/json-file.js';
import { getLogger } from '../../base/logger.js';
import { parseFastJson } from '../../protocol/fast-json.js';
import { offsetTablePieces } from '../config-text.js';
import { PersistedTable, type WriteFile } from '../persisted-table.js';

const log = getLogger('broker.offset');

type QueueOffsets = Map<number, number>;

export class ConsumerOffsetManager {
  readonly #file: PersistedTable;
  /** group -> topic -> queue -> offset */
  readonly #groups = new Map<string, Map<string, QueueOffsets>>();

  constructor(path: string, write?: WriteFile) {
    this.#file = new PersistedTable(path, () => offsetTablePieces(this.entries()), write);
  }

  /**
   * Throws CONFIG_FILE_DAMAGED when there are files and none can be read: to start with no offsets would consume everything
   * again. `acceptEmpty` is the operator's word that this is wanted.
   */
  load(acceptEmpty = false): void {
    let loaded: unknown = null;
    try {
      readFileWithBackup(this.#file.path, (text) => {
        loaded = parseOrNull(text);
        return loaded !== null;
      });
    } catch (error) {
      if (!acceptEmpty || !isCometError(error, 'CONFIG_FILE_DAMAGED')) throw error;
      log.error('starting without consumer offsets, as asked', { err: error });
      return;
    }
    if (loaded !== null) this.putAll(loaded);
  }

  /** The offset, or -1 when there is none. */
  query(group: string, topic: string, queueId: number): number {
    return this.#groups.get(group)?.get(topic)?.get(queueId) ?? -1;
  }

  queues(group: string, topic: string): ReadonlyMap<number, number> | undefined {
    return this.#groups.get(group)?.get(topic);
  }

  /** Overwrites whatever was there; going back is allowed and noted. */
  commit(from: string, group: string, topic: string, queueId: number, offset: number): void {
    const queues = this.#queuesOf(group, topic);
    const old = queues.get(queueId);
    if (old === offset) return;
    if (old !== undefined && offset < old && log.isLevelEnabled('debug')) {
      log.debug('offset goes back', { from, group, topic, queueId, old, offset });
    }
    queues.set(queueId, offset);
    this.#file.markDirty();
  }

  topicsOf(group: string): string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])];
  }

  groupsOf(topic: string): string[] {
    const groups: string[] = [];
    for (const [group, topics] of this.#groups) if (topics.has(topic)) groups.push(group);
    return groups;
  }

  /** The lowest offset of each queue over all groups but the given ones; nothing is changed (Java's 308 deletes them). */
  minOffsets(topic: string, exceptGroups: ReadonlySet<string>): Map<number, number> {
    const lowest = new Map<number, number>();
    for (const [group, topics] of this.#groups) {
      if (exceptGroups.has(group)) continue;
      for (const [queueId, offset] of topics.get(topic) ?? []) {
        if (offset < 0) continue;
        lowest.set(queueId, Math.min(offset, lowest.get(queueId) ?? offset));
      }
    }
    return lowest;
  }

  clone(fromGroup: string, toGroup: string, topic: string): void {
    const offsets = this.#groups.get(fromGroup)?.get(topic);
    if (offsets === undefined || fromGroup === toGroup) return;
    const target = this.#queuesOf(toGroup, topic);
    for (const [queueId, offset] of offsets) target.set(queueId, offset);
    this.#file.markDirty();
  }

  removeGroup(group: string): void {
    if (this.#groups.delete(group)) this.#file.markDirty();
  }

  removeTopic(topic: string): void {
    for (const [group, topics] of this.#groups) {
      if (!topics.delete(topic)) continue;
      this.#file.markDirty();
      if (topics.size === 0) this.#groups.delete(group);
    }
  }

  /** Merges a parsed `{"offsetTable":{"topic@group":{queue:offset}}}`, of the file or of a master; nothing is removed. */
  putAll(body: unknown): void {
    for (const [key, offsets] of mapEntries(field(body, 'offsetTable'))) {
      const at = typeof key === 'string' ? key.lastIndexOf('@') : -1;
      if (typeof key !== 'string' || at <= 0) continue;
      const queues = this.#queuesOf(key.slice(at + 1), key.slice(0, at));
      for (const [queueId, offset] of mapEntries(offsets)) {
        queues.set(Number(queueId), safeOffset(key, offset));
      }
    }
    this.#file.markDirty();
  }

  /** In the form of the file and of code 43: `topic@group` and its queues. */
  *entries(): Generator<readonly [key: string, offsets: ReadonlyMap<number, number>]> {
    for (const [group, topics] of this.#groups) {
      for (const [topic, offsets] of topics) yield [`${topic}@${group}`, offsets];
    }
  }

  get isPersistHealthy(): boolean {
    return this.#file.isHealthy;
  }

  persistIfDirty(): Promise<void> {
    return this.#file.persistIfDirty();
  }

  persist(): Promise<void> {
    return this.#file.persist();
  }

  #queuesOf(group: string, topic: string): QueueOffsets {
    let topics = this.#groups.get(group);
    if (topics === undefined) {
      topics = new Map();
      this.#groups.set(group, topics);
    }
    let queues = topics.get(topic);
    if (queues === undefined) {
      queues = new Map();
      topics.set(topic, queues);
    }
    return queues;
  }
}

/** An int64 beyond the exact numbers is beyond every queue; it stays so, and is named. */
function safeOffset(key: string, offset: unknown): number {
  if (typeof offset === 'number' && Number.isSafeInteger(offset)) return offset;
  if (typeof offset === 'bigint') {
    log.error('a saved offset is out of range', { key, offset: String(offset) });
    return offset < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  throw cometError('JSON_INVALID', `the offset of ${key} is no whole number`);
}

function parseOrNull(text: string): unknown {
  try {
    const body = parseFastJson(text);
    new ConsumerOffsetManager('').putAll(body);
    return field(body, 'offsetTable') === undefined ? null : body;
  } catch (error) {
    log.error('the file of consumer offsets can not be read', { err: error });
    return null;
  }
}

function field(value: unknown, name: string): unknown {
  if (value instanceof Map) return value.get(name);
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

function mapEntries(value: unknown): Iterable<readonly [unknown, unknown]> {
  if (value instanceof Map) return value;
  if (typeof value === 'object' && value !== null) return Object.entries(value);
  throw cometError('JSON_INVALID', 'an offset table is no map');
}
