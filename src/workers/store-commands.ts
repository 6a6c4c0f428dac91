// Room: workers; runs in the dispatch worker, which owns queues and index. The control plane's look-ups, one function each; the asking
// side is store-client.ts. An answer is JSON and, where records are asked for, their bytes.

import type { CursorPage } from '../ring/cursor.js';
import type { CleanConsumeQueueService } from '../store/consumequeue/clean-consume-queue-service.js';
import { CqExtUnit, extOffsetOf } from '../store/consumequeue/consume-queue-ext.js';
import type { ConsumeQueueTable } from '../store/consumequeue/consume-queue-table.js';
import {
  CQ_UNIT_BYTES,
  isExtAddress,
  readCqPhysicalOffset,
  readCqSizeBytes,
  readCqTagsHigh,
  readCqTagsLow,
} from '../store/consumequeue/cq-unit.js';
import type { GetMessage } from '../store/get/get-message.js';
import type { LogView } from '../store/get/log-view.js';
import {
  offsetByTime,
  storeTimestampInQueue,
  storeTimestampOf,
} from '../store/get/offset-by-time.js';
import { lookMessageByOffset, queryMessage } from '../store/get/query-message.js';
import { RecordCollector } from '../store/get/record-collector.js';
import { scheduledMessages } from '../store/get/scheduled-messages.js';
import type { IndexService } from '../store/index/index-service.js';
import { usedRatio } from '../store/mapped/disk-ratio.js';
import type { StoreRuntimeInfo } from '../store/message-store.js';
import { StoreCursor } from '../store/store-cursors.js';
import type { WireExtUnit, WireUnit } from './store-client.js';

export interface StoreCommand {
  readonly op: string;
  readonly topic: string;
  readonly queueId: number;
  readonly queueOffset: number;
  readonly startOffset: number;
  readonly count: number;
  readonly maxCount: number;
  readonly physicalOffset: number;
  readonly timestampMs: number;
  readonly key: string;
  readonly beginMs: number;
  readonly endMs: number;
  readonly dueMs: number;
  readonly delayMs: number;
  readonly maxBytes: number;
  readonly topics: readonly string[];
}

export interface CommandAnswer {
  readonly json: unknown;
  readonly records: readonly Buffer[] | null;
}

export interface StoreCommandsOptions {
  readonly table: ConsumeQueueTable;
  readonly index: IndexService;
  readonly getMessage: GetMessage;
  readonly log: LogView;
  readonly cursors: CursorPage;
  readonly maxMsgsNumBatch: number;
  readonly commitLogPath: string;
  readonly rootPath: string;
  readonly damagedRecords: () => number;
  readonly cleaner: CleanConsumeQueueService;
  /** Deletes the queues of topics for good. */
  readonly deleteTopics: (topics: readonly string[]) => void;
}

type Handler = (command: StoreCommand) => CommandAnswer;

export class StoreCommands {
  readonly #options: StoreCommandsOptions;
  readonly #records = new RecordCollector();
  readonly #handlers: Readonly<Record<string, Handler>> = {
    get: (command) => this.#get(command),
    look: (command) => this.#look(command),
    minOffset: ({ topic, queueId }) => value(this.#queue(topic, queueId).minOffset),
    maxOffset: ({ topic, queueId }) => value(this.#queue(topic, queueId).maxOffset),
    offsetByTime: ({ topic, queueId, timestampMs }) =>
      value(offsetByTime(this.#queue(topic, queueId), this.#options.log, timestampMs)),
    storeTimestamp: ({ topic, queueId, queueOffset }) =>
      value(storeTimestampInQueue(this.#queue(topic, queueId), this.#options.log, queueOffset)),
    isInMemory: (command) => value(this.#isInMemory(command) ? 1 : 0),
    query: (command) => this.#query(command),
    consumeQueue: (command) => this.#consumeQueue(command),
    scheduled: (command) => this.#scheduled(command),
    maxOffsets: (command) => this.#maxOffsets(command),
    cleanUnusedTopics: ({ topics }) => this.#cleanUnusedTopics(new Set(topics)),
    deleteTopics: ({ topics }) => this.#deleteTopics(topics),
    cleanExpiredConsumeQueues: () => this.#cleanExpired(),
    runtimeInfo: () => ({ json: this.#runtimeInfo(), records: null }),
  };

  constructor(options: StoreCommandsOptions) {
    this.#options = options;
  }

  /** A command that fails answers with its failure; it never takes the thread with it. */
  run(command: StoreCommand): CommandAnswer {
    const handler = this.#handlers[command.op];
    if (handler === undefined)
      return { json: { failure: `no store command ${command.op}` }, records: null };
    return handler(command);
  }

  #queue(topic: string, queueId: number) {
    return this.#options.table.findOrCreate(topic, queueId);
  }

  #get({ topic, queueId, queueOffset, maxCount }: StoreCommand): CommandAnswer {
    const get = this.#options.getMessage;
    this.#records.clear();
    get.get(topic, queueId, queueOffset, maxCount, null, this.#records);
    return {
      json: {
        status: get.status,
        nextBeginOffset: get.nextBeginOffset,
        minOffset: get.minOffset,
        maxOffset: get.maxOffset,
        queueOffsets: this.#records.queueOffsets(),
        sizes: this.#records.sizes(),
      },
      records: this.#records.views(),
    };
  }

  #look({ physicalOffset }: StoreCommand): CommandAnswer {
    const record = lookMessageByOffset(this.#options.log, physicalOffset);
    return { json: { found: record !== null }, records: record === null ? null : [record] };
  }

  #isInMemory({ topic, queueId, queueOffset }: StoreCommand): boolean {
    const queue = this.#queue(topic, queueId);
    if (!queue.locate(queueOffset)) return true;
    return this.#options.getMessage.isInMemory(readCqPhysicalOffset(queue.buffer, queue.position));
  }

  #query({ topic, key, maxCount, beginMs, endMs }: StoreCommand): CommandAnswer {
    const { index, log, maxMsgsNumBatch } = this.#options;
    const { records, ...answer } = queryMessage(
      index,
      log,
      topic,
      key,
      maxCount,
      beginMs,
      endMs,
      maxMsgsNumBatch,
    );
    return { json: { ...answer, sizes: records.map((record) => record.length) }, records };
  }

  #consumeQueue({ topic, queueId, startOffset, count }: StoreCommand): CommandAnswer {
    const queue = this.#options.table.find(topic, queueId);
    if (queue === undefined) return { json: null, records: null };
    const units: WireUnit[] = [];
    const unit = new CqExtUnit();
    for (let offset = startOffset; units.length < count && queue.locate(offset); offset++) {
      const { buffer, position } = queue;
      const high = readCqTagsHigh(buffer, position);
      const low = readCqTagsLow(buffer, position);
      const entry = {
        physicalOffset: readCqPhysicalOffset(buffer, position),
        sizeBytes: readCqSizeBytes(buffer, position),
        tagsCode: int64Text(high, low),
      };
      if (queue.ext === null || !isExtAddress(high, low)) units.push(entry);
      else {
        const ext = queue.ext.get(extOffsetOf(high, low), unit) ? extView(unit) : null;
        units.push({ ...entry, ext });
      }
    }
    return {
      json: { minOffset: queue.minOffset, maxOffset: queue.maxOffset, units },
      records: null,
    };
  }

  #scheduled(command: StoreCommand): CommandAnswer {
    const { table, log } = this.#options;
    const { topic, queueId, startOffset } = command;
    const queue = table.find(topic, queueId);
    const { records, ...answer } = scheduledMessages(queue, log, startOffset, command, (offset) =>
      this.#repair(topic, queueId, offset),
    );
    const sizes = records.map((record) => record?.length ?? 0);
    return {
      json: { ...answer, sizes },
      records: records.filter((record) => record !== null),
    };
  }

  /** A read of an entry that does not fit its record puts it right where it can. */
  #repair(topic: string, queueId: number, queueOffset: number): boolean {
    const get = this.#options.getMessage;
    const before = get.repairedEntries;
    this.#records.clear();
    get.get(topic, queueId, queueOffset, 1, null, this.#records);
    return get.repairedEntries > before;
  }

  #maxOffsets({ topic, count }: StoreCommand): CommandAnswer {
    const { table } = this.#options;
    const maxOffsets: number[] = [];
    for (let queueId = 0; queueId < count; queueId++) {
      maxOffsets.push(table.find(topic, queueId)?.maxOffset ?? 0);
    }
    return { json: { maxOffsets }, records: null };
  }

  #cleanUnusedTopics(inUse: ReadonlySet<string>): CommandAnswer {
    return this.#deleteTopics(this.#options.cleaner.unusedTopics(inUse));
  }

  #deleteTopics(topics: readonly string[]): CommandAnswer {
    this.#options.deleteTopics(topics);
    return { json: { topics }, records: null };
  }

  #cleanExpired(): CommandAnswer {
    const { cleaner, log } = this.#options;
    return { json: { expired: cleaner.cleanExpiredQueues(log.minOffset).length }, records: null };
  }

  #runtimeInfo(): StoreRuntimeInfo {
    const { cursors, log, commitLogPath, rootPath } = this.#options;
    const wrote = cursors.get(StoreCursor.wroteOffset);
    return {
      commitLogMinOffset: cursors.get(StoreCursor.logMinOffset),
      commitLogMaxOffset: wrote,
      dispatchBehindBytes: wrote - cursors.get(StoreCursor.reputFromOffset),
      flushBehindBytes: wrote - cursors.get(StoreCursor.flushedWhere),
      commitLogDiskRatio: usedRatio(commitLogPath),
      consumeQueueDiskRatio: usedRatio(rootPath),
      earliestMessageTimestamp: earliestTimestamp(log),
      damagedRecords: this.#options.damagedRecords(),
      slaveCount: cursors.get(StoreCursor.slaveCount),
      push2SlaveMaxOffset: cursors.get(StoreCursor.push2SlaveMaxOffset),
    };
  }
}

function value(result: number): CommandAnswer {
  return { json: { value: result }, records: null };
}

function int64Text(high: number, low: number): string {
  return ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString();
}

function extView(unit: CqExtUnit): WireExtUnit {
  return {
    sizeBytes: unit.sizeBytes,
    tagsCode: int64Text(unit.tagsHigh, unit.tagsLow),
    msgStoreTime: unit.msgStoreTime,
    bitMap: unit.bitMap === null ? null : unit.bitMap.toString('base64'),
  };
}

function earliestTimestamp(log: LogView): number {
  if (!log.locate(log.minOffset) || log.position + CQ_UNIT_BYTES > log.limit) return -1;
  return storeTimestampOf(log, log.minOffset, log.buffer.readInt32BE(log.position));
}
