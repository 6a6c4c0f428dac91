// Room: store. Dispatch worker, and recovery. Hot. From a record to its entries in ConsumeQueues: its own queue, and with
// multi-dispatch the ones it names. Java's CommitLogDispatcherBuildConsumeQueue and putMessagePositionInfoWrapper.

import { isOutsideQueue } from '../../message/message-sys-flag.js';
import { isFolderName, LMQ_PREFIX } from '../../message/topic-validator.js';
import { type ConsumeQueue, CqAppend } from '../consumequeue/consume-queue.js';
import { extAddressHigh, extAddressLow } from '../consumequeue/consume-queue-ext.js';
import type { ConsumeQueueTable } from '../consumequeue/consume-queue-table.js';
import { CQ_UNIT_BYTES, tagsHighOf, tagsLowOf } from '../consumequeue/cq-unit.js';
import type { DispatchRequest } from './dispatch-request.js';
import type { Dispatcher } from './dispatcher.js';

export interface BuildConsumeQueueConfig {
  readonly enableMultiDispatch: boolean;
  readonly enableLmq: boolean;
}

/** The two times of the checkpoint that dispatching moves. */
export interface DispatchTimes {
  logicsMsgTimestamp: number;
  physicMsgTimestamp: number;
}

export class BuildConsumeQueue implements Dispatcher {
  readonly #table: ConsumeQueueTable;
  readonly #config: BuildConsumeQueueConfig;
  readonly #times: DispatchTimes | null;
  readonly #isSlave: boolean;

  constructor(
    table: ConsumeQueueTable,
    config: BuildConsumeQueueConfig,
    times: DispatchTimes | null,
    isSlave = false,
  ) {
    this.#table = table;
    this.#config = config;
    this.#times = times;
    this.#isSlave = isSlave;
  }

  dispatch(request: DispatchRequest): void {
    if (!hasOwnQueue(request)) return;
    appendEntry(this.#table.findOrCreate(request.topicName.text, request.queueId), request);
    if (this.#times !== null) {
      this.#times.logicsMsgTimestamp = request.storeTimestamp;
      if (this.#isSlave) this.#times.physicMsgTimestamp = request.storeTimestamp;
    }
    if (this.#config.enableMultiDispatch) this.#dispatchMulti(request);
  }

  #dispatchMulti(request: DispatchRequest): void {
    forEachMultiQueue(request, this.#config.enableLmq, (name, queueId, queueOffset) => {
      const queue = this.#table.findOrCreate(name, queueId);
      appendPlain(queue, request, queueOffset);
    });
  }
}

/** False for halves, and for a topic of which no folder may be made: a log or a master may hold any. */
export function hasOwnQueue(request: DispatchRequest): boolean {
  return !isOutsideQueue(request.sysFlag) && request.topicName.isFolderName;
}

/** Calls back for each queue that a multi-dispatch record names besides its own. */
export function forEachMultiQueue(
  request: DispatchRequest,
  enableLmq: boolean,
  visit: (name: string, queueId: number, queueOffset: number) => void,
): void {
  const multi = request.multiDispatch();
  if (multi === null) return;
  for (let i = 0; i < multi.names.length; i++) {
    const name = multi.names[i] ?? '';
    if (!isFolderName(name)) continue;
    const isLmq = enableLmq && name.startsWith(LMQ_PREFIX);
    visit(name, isLmq ? 0 : request.queueId, multi.queueOffsets[i] ?? 0);
  }
}

/** Writes the record's entry into its own queue, through the ext stream when the queue has one. */
export function appendEntry(queue: ConsumeQueue, request: DispatchRequest): CqAppend {
  const ext = queue.ext;
  if (ext === null) return appendPlain(queue, request, request.queueOffset);
  // Java stores the unit first and so leaves one behind for every record that comes again; looking first gives the same bytes
  // for records that are new.
  if (request.physicalOffset + request.sizeBytes <= queue.maxPhysicOffset) return CqAppend.DONE;
  const isBuilt = request.queueOffset * CQ_UNIT_BYTES < queue.files.maxOffset;
  if (isBuilt && request.queueOffset !== 0) return CqAppend.DONE;
  const tagsHigh = tagsHighOf(request.tagsCode);
  const tagsLow = tagsLowOf(request.tagsCode);
  const offset = ext.put(tagsHigh, tagsLow, request.storeTimestamp, request.bitMap);
  return queue.append(
    request.physicalOffset,
    request.sizeBytes,
    offset < 0 ? tagsHigh : extAddressHigh(offset),
    offset < 0 ? tagsLow : extAddressLow(offset),
    request.queueOffset,
  );
}

export function appendPlain(
  queue: ConsumeQueue,
  request: DispatchRequest,
  queueOffset: number,
): CqAppend {
  return queue.append(
    request.physicalOffset,
    request.sizeBytes,
    tagsHighOf(request.tagsCode),
    tagsLowOf(request.tagsCode),
    queueOffset,
  );
}
