// Room: store. Whoever recovers the store. Brings the ConsumeQueues into accord with the log: each record that recovery walks is
// looked up in its queue; a missing entry is appended, a wrong one is written anew, and a queue that lacks older entries is
// noted and built again from the whole log. Java only ever appends, and cuts a queue for good at its first bad entry.
// Always holds: a queue's entries are never moved to other offsets; running it again on its own result changes nothing.

import { join } from 'node:path';
import { LMQ_PREFIX } from '../../message/topic-validator.js';
import { type ConsumeQueue, CqAppend, GapPolicy } from '../consumequeue/consume-queue.js';
import type { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import {
  CQ_UNIT_BYTES,
  isCqFiller,
  isCqUnitValid,
  isExtAddress,
  readCqPhysicalOffset,
  readCqSizeBytes,
  readCqTagsHigh,
  readCqTagsLow,
  tagsHighOf,
  tagsLowOf,
  writeCqUnit,
} from '../consumequeue/cq-unit.js';
import { listDirectory } from '../consumequeue/queue-files.js';
import {
  appendEntry,
  appendPlain,
  forEachMultiQueue,
  hasOwnQueue,
} from '../dispatch/build-consume-queue.js';
import type { DeletedTopics } from '../dispatch/deleted-topics.js';
import type { DispatchRequest } from '../dispatch/dispatch-request.js';
import { isEntryOfRecord, isEntryOfSomeRecord } from './entry-check.js';
import { QueueBuilder } from './queue-builder.js';
import type { RecoveryLog } from './recovery-log.js';

export interface QueueHealerConfig {
  readonly enableMultiDispatch: boolean;
  readonly enableLmq: boolean;
}

export class QueueHealer {
  /** Queues that lack entries from before the walk. */
  readonly suspects = new Set<ConsumeQueue>();
  /** Entries that said something else than the log. */
  healedEntries = 0;
  readonly #builders = new Map<ConsumeQueue, QueueBuilder>();
  readonly #table: ConsumeQueueTable;
  readonly #log: RecoveryLog;
  readonly #config: QueueHealerConfig;
  readonly #deleted: DeletedTopics;

  constructor(
    table: ConsumeQueueTable,
    log: RecoveryLog,
    config: QueueHealerConfig,
    deleted: DeletedTopics,
  ) {
    this.#table = table;
    this.#log = log;
    this.#config = config;
    this.#deleted = deleted;
  }

  /** One record of the walk. */
  visit(request: DispatchRequest): void {
    if (!hasOwnQueue(request) || this.#deleted.covers(request)) return;
    const queue = this.#table.findOrCreate(request.topicName.text, request.queueId);
    this.#heal(queue, request, request.queueOffset, true);
    if (!this.#config.enableMultiDispatch) return;
    forEachMultiQueue(request, this.#config.enableLmq, (name, queueId, queueOffset) => {
      this.#heal(this.#table.findOrCreate(name, queueId), request, queueOffset, false);
    });
  }

  /** One record of the scan that builds suspect queues anew. */
  rebuild(request: DispatchRequest): void {
    if (!hasOwnQueue(request) || this.#deleted.covers(request)) return;
    const queue = this.#table.find(request.topicName.text, request.queueId);
    if (queue !== undefined) this.#builders.get(queue)?.add(request, request.queueOffset, true);
    if (!this.#config.enableMultiDispatch) return;
    forEachMultiQueue(request, this.#config.enableLmq, (name, queueId, queueOffset) => {
      const named = this.#table.find(name, queueId);
      if (named !== undefined) this.#builders.get(named)?.add(request, queueOffset, false);
    });
  }

  /** Empties the suspect queues, so that rebuild() can fill them. */
  beginRebuild(quarantine: (path: string) => void): void {
    for (const queue of this.suspects) {
      queue.destroy();
      for (const files of [queue.files, queue.ext?.files]) {
        if (files === undefined) continue;
        for (const name of listDirectory(files.directory)) {
          if (/^\d{20}$/.test(name)) quarantine(join(files.directory, name));
        }
      }
      this.#builders.set(queue, new QueueBuilder(queue));
    }
  }

  /** A queue whose last entry leads nowhere has lost its measure of what is already there. */
  checkLastEntries(): void {
    for (const queue of this.#table.queues()) {
      const max = queue.maxOffset;
      if (max === 0 || this.suspects.has(queue) || !queue.locate(max - 1)) continue;
      const { buffer, position } = queue;
      if (isCqFiller(buffer, position)) continue;
      const physicalOffset = readCqPhysicalOffset(buffer, position);
      const sizeBytes = readCqSizeBytes(buffer, position);
      if (physicalOffset < this.#log.minOffset) continue;
      const isNamed = this.#config.enableMultiDispatch || queue.topic.startsWith(LMQ_PREFIX);
      const isRight = isNamed
        ? isEntryOfSomeRecord(this.#log, physicalOffset, sizeBytes)
        : isEntryOfRecord(this.#log, queue, physicalOffset, sizeBytes, max - 1);
      if (!isRight) this.suspects.add(queue);
    }
  }

  suspectNames(): string[] {
    return [...this.suspects].map(({ topic, queueId }) => `${topic}/${queueId}`);
  }

  /** When no queue was on disk: every queue that a record names is to be built. */
  suspectQueuesOf(request: DispatchRequest): void {
    if (!hasOwnQueue(request)) return;
    this.suspects.add(this.#table.findOrCreate(request.topicName.text, request.queueId));
    if (!this.#config.enableMultiDispatch) return;
    forEachMultiQueue(request, this.#config.enableLmq, (name, queueId) => {
      this.suspects.add(this.#table.findOrCreate(name, queueId));
    });
  }

  endRebuild(): void {
    for (const builder of this.#builders.values()) builder.end();
    this.#builders.clear();
  }

  #heal(
    queue: ConsumeQueue,
    request: DispatchRequest,
    queueOffset: number,
    isOwnQueue: boolean,
  ): void {
    if (this.suspects.has(queue)) return;
    const target = queueOffset * CQ_UNIT_BYTES;
    const first = queue.files.first;
    if (first === null) {
      const isLogStart = request.physicalOffset === this.#log.minOffset;
      if (queueOffset !== 0 && !isLogStart) this.suspects.add(queue);
    } else if (target < first.fileFromOffset) {
      // Files of a queue go only when the log keeps none of their records: this one was lost.
      this.suspects.add(queue);
    } else if (target < queue.files.maxOffset) {
      this.#compare(queue, request, queueOffset, isOwnQueue);
      return;
    }
    if (this.suspects.has(queue)) return;
    queue.gapPolicy = GapPolicy.REPORT;
    const outcome = isOwnQueue
      ? appendEntry(queue, request)
      : appendPlain(queue, request, queueOffset);
    queue.gapPolicy = GapPolicy.APPEND;
    if (outcome === CqAppend.GAP) this.suspects.add(queue);
  }

  /** The queue has an entry at the record's offset: is it the record's? */
  #compare(
    queue: ConsumeQueue,
    request: DispatchRequest,
    queueOffset: number,
    isOwnQueue: boolean,
  ): void {
    const target = queueOffset * CQ_UNIT_BYTES;
    const file = queue.files.find(target);
    if (file === null) return;
    const at = target - file.fileFromOffset;
    const { buffer } = file;
    const physicalOffset = readCqPhysicalOffset(buffer, at);
    if (physicalOffset === request.physicalOffset && isSame(buffer, at, request)) return;
    // Another record has the place with as much right: a topic that was deleted and made again counts from 0 once more, and a
    // record may be the one that is damaged.
    if (
      isCqUnitValid(buffer, at) &&
      physicalOffset !== request.physicalOffset &&
      isEntryOfRecord(this.#log, queue, physicalOffset, readCqSizeBytes(buffer, at), queueOffset)
    ) {
      return;
    }
    if (isOwnQueue && queue.ext !== null) {
      this.suspects.add(queue);
      return;
    }
    const { tagsCode } = request;
    writeCqUnit(
      buffer,
      at,
      request.physicalOffset,
      request.sizeBytes,
      tagsHighOf(tagsCode),
      tagsLowOf(tagsCode),
    );
    file.flushedPosition = Math.min(file.flushedPosition, at);
    file.flush();
    this.healedEntries++;
    if (target + CQ_UNIT_BYTES === queue.files.maxOffset) {
      queue.maxPhysicOffset = request.physicalOffset + request.sizeBytes;
    }
  }
}

/** Size and tags; an ext address can't be compared with a hash and counts as right. */
function isSame(buffer: Buffer, at: number, request: DispatchRequest): boolean {
  if (readCqSizeBytes(buffer, at) !== request.sizeBytes) return false;
  const high = readCqTagsHigh(buffer, at);
  const low = readCqTagsLow(buffer, at);
  if (isExtAddress(high, low)) return true;
  return high === tagsHighOf(request.tagsCode) && low === tagsLowOf(request.tagsCode);
}
