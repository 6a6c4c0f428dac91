// Room: workers; runs on main. The store as the control plane sees it, whichever threads it runs in: puts go through the ring to the
// commitlog worker, look-ups to the dispatch worker, which owns queues and index. Answers come back by request id.

import type { CursorPage } from '../ring/cursor.js';
import type {
  ConsumeQueueView,
  GetMessageResult,
  MessageStore,
  MessageToPut,
  PutMessageResult,
  QueryMessageResult,
  ScheduledLimit,
  ScheduledMessages,
  StoreRuntimeInfo,
} from '../store/message-store.js';
import type { PutMessageStatus } from '../store/put-message.js';
import { StoreCursor } from '../store/store-cursors.js';
import type { HandOver } from './hand-over.js';
import { PutAnswer, type PutResultRecord } from './put-record.js';

/** Commands to the dispatch worker and what each answers; the worker's side is store-commands.ts. */
export interface StoreAnswer {
  readonly json: unknown;
  readonly bytes: Buffer;
}

interface WaitingCommand {
  readonly resolve: (answer: StoreAnswer) => void;
  readonly reject: (reason: Error) => void;
}

interface RecordsAnswer {
  /** Size of each record in the bytes that follow. */
  readonly sizes: readonly number[];
}

export class StoreClient implements MessageStore {
  readonly #toCommitlog: HandOver;
  readonly #toDispatch: HandOver;
  readonly #cursors: CursorPage;
  readonly #messageId: (physicalOffset: number) => string;
  readonly #writable: () => boolean;
  readonly #puts = new Map<number, (result: PutMessageResult) => void>();
  readonly #commands = new Map<number, WaitingCommand>();
  #nextId = 1;

  constructor(options: {
    toCommitlog: HandOver;
    toDispatch: HandOver;
    cursors: CursorPage;
    messageId: (physicalOffset: number) => string;
    writable: () => boolean;
  }) {
    this.#toCommitlog = options.toCommitlog;
    this.#toDispatch = options.toDispatch;
    this.#cursors = options.cursors;
    this.#messageId = options.messageId;
    this.#writable = options.writable;
  }

  put(message: MessageToPut): Promise<PutMessageResult> {
    return new Promise((resolve) => this.putAll([message], (_index, result) => resolve(result)));
  }

  putAll(
    messages: readonly MessageToPut[],
    onResult: (index: number, result: PutMessageResult) => void,
  ): void {
    const firstId = this.#reserveRequestIds(messages.length);
    for (let i = 0; i < messages.length; i++) {
      this.#puts.set(firstId + i, (result) => onResult(i, result));
    }
    this.#toCommitlog.put(firstId, messages);
  }

  async get(
    topic: string,
    queueId: number,
    queueOffset: number,
    maxCount: number,
  ): Promise<GetMessageResult> {
    const { json, bytes } = await this.#ask({ op: 'get', topic, queueId, queueOffset, maxCount });
    const answer = json as Omit<GetMessageResult, 'records'> & RecordsAnswer;
    return { ...answer, records: split(bytes, answer.sizes) };
  }

  async lookMessageByOffset(physicalOffset: number): Promise<Buffer | null> {
    const { json, bytes } = await this.#ask({ op: 'look', physicalOffset });
    return (json as { found: boolean }).found ? bytes : null;
  }

  minOffsetInQueue(topic: string, queueId: number): Promise<number> {
    return this.#number({ op: 'minOffset', topic, queueId });
  }

  maxOffsetInQueue(topic: string, queueId: number): Promise<number> {
    return this.#number({ op: 'maxOffset', topic, queueId });
  }

  offsetByTime(topic: string, queueId: number, timestampMs: number): Promise<number> {
    return this.#number({ op: 'offsetByTime', topic, queueId, timestampMs });
  }

  storeTimestamp(topic: string, queueId: number, queueOffset: number): Promise<number> {
    return this.#number({ op: 'storeTimestamp', topic, queueId, queueOffset });
  }

  async isInMemory(topic: string, queueId: number, queueOffset: number): Promise<boolean> {
    return (await this.#number({ op: 'isInMemory', topic, queueId, queueOffset })) === 1;
  }

  async queryMessage(
    topic: string,
    key: string,
    maxCount: number,
    beginMs: number,
    endMs: number,
  ): Promise<QueryMessageResult> {
    const { json, bytes } = await this.#ask({ op: 'query', topic, key, maxCount, beginMs, endMs });
    const answer = json as Omit<QueryMessageResult, 'records'> & RecordsAnswer;
    return { ...answer, records: split(bytes, answer.sizes) };
  }

  async consumeQueue(
    topic: string,
    queueId: number,
    startOffset: number,
    count: number,
  ): Promise<ConsumeQueueView | null> {
    const { json } = await this.#ask({ op: 'consumeQueue', topic, queueId, startOffset, count });
    const view = json as { minOffset: number; maxOffset: number; units: WireUnit[] } | null;
    if (view === null) return null;
    return { ...view, units: view.units.map(fromWireUnit) };
  }

  async scheduledMessages(
    topic: string,
    queueId: number,
    startOffset: number,
    limit: ScheduledLimit,
  ): Promise<ScheduledMessages> {
    const command = { op: 'scheduled', topic, queueId, startOffset, ...limit };
    const { json, bytes } = await this.#ask(command);
    const answer = json as Omit<ScheduledMessages, 'records'> & RecordsAnswer;
    // No record is empty: a size of 0 says that there is none.
    const records = split(bytes, answer.sizes).map((it) => (it.length === 0 ? null : it));
    return { ...answer, records };
  }

  async maxOffsetsInQueues(topic: string, queueCount: number): Promise<readonly number[]> {
    const { json } = await this.#ask({ op: 'maxOffsets', topic, count: queueCount });
    return (json as { maxOffsets: number[] }).maxOffsets;
  }

  async cleanUnusedTopics(topicsInUse: readonly string[]): Promise<void> {
    const { json } = await this.#ask({ op: 'cleanUnusedTopics', topics: topicsInUse });
    await this.#forget((json as { topics: string[] }).topics);
  }

  async deleteTopics(topics: readonly string[]): Promise<void> {
    await this.#ask({ op: 'deleteTopics', topics });
    await this.#forget(topics);
  }

  async cleanExpiredConsumeQueues(): Promise<void> {
    await this.#ask({ op: 'cleanExpiredConsumeQueues' });
  }

  async deleteExpiredCommitLog(): Promise<void> {
    await this.#askOf(this.#toCommitlog, { op: 'deleteExpired' });
  }

  async runtimeInfo(): Promise<StoreRuntimeInfo> {
    const { json } = await this.#ask({ op: 'runtimeInfo' });
    return json as StoreRuntimeInfo;
  }

  maxPhysicalOffset(): number {
    return this.#cursors.get(StoreCursor.wroteOffset);
  }

  minPhysicalOffset(): number {
    return this.#cursors.get(StoreCursor.logMinOffset);
  }

  flushedPhysicalOffset(): number {
    return this.#cursors.get(StoreCursor.flushedWhere);
  }

  dispatchedPhysicalOffset(): number {
    return this.#cursors.get(StoreCursor.reputFromOffset);
  }

  isWritable(): boolean {
    return this.#writable();
  }

  // ---- called by the completion pump ----

  onPutResult(record: PutResultRecord, status: PutMessageStatus): void {
    const resolve = this.#puts.get(record.requestId);
    this.#puts.delete(record.requestId);
    resolve?.(new PutAnswer(record, status, this.#messageId));
  }

  onResult(requestId: number, json: string, bytes: Buffer): void {
    const waiting = this.#commands.get(requestId);
    if (waiting === undefined) return;
    this.#commands.delete(requestId);
    const answer: unknown = JSON.parse(json);
    if (isFailure(answer)) waiting.reject(new Error(answer.failure));
    else waiting.resolve({ json: answer, bytes });
  }

  /** The owner of the queue counters forgets topics whose queues are gone, so that they begin at 0 again. */
  async #forget(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#askOf(this.#toCommitlog, { op: 'forgetTopics', topics });
  }

  #nextRequestId(): number {
    return this.#reserveRequestIds(1);
  }

  /** The first of as many consecutive ones. */
  #reserveRequestIds(count: number): number {
    if (this.#nextId + count > 0x7fff_ffff) this.#nextId = 1;
    const first = this.#nextId;
    this.#nextId += count;
    return first;
  }

  #ask(command: object): Promise<StoreAnswer> {
    return this.#askOf(this.#toDispatch, command);
  }

  #askOf(worker: HandOver, command: object): Promise<StoreAnswer> {
    const id = this.#nextRequestId();
    worker.command(id, command);
    return new Promise((resolve, reject) => this.#commands.set(id, { resolve, reject }));
  }

  async #number(command: object): Promise<number> {
    const { json } = await this.#ask(command);
    return (json as { value: number }).value;
  }
}

/** A unit as it crosses the ring: JSON knows no bigint. */
export interface WireUnit {
  readonly physicalOffset: number;
  readonly sizeBytes: number;
  readonly tagsCode: string;
  readonly ext?: WireExtUnit | null;
}

export interface WireExtUnit {
  readonly sizeBytes: number;
  readonly tagsCode: string;
  readonly msgStoreTime: number;
  readonly bitMap: string | null;
}

function fromWireUnit({ ext, ...unit }: WireUnit): ConsumeQueueView['units'][number] {
  const entry = { ...unit, tagsCode: BigInt(unit.tagsCode) };
  if (ext === undefined || ext === null) return ext === null ? { ...entry, ext } : entry;
  const bitMap = ext.bitMap === null ? null : Buffer.from(ext.bitMap, 'base64');
  return { ...entry, ext: { ...ext, tagsCode: BigInt(ext.tagsCode), bitMap } };
}

function isFailure(answer: unknown): answer is { failure: string } {
  return typeof answer === 'object' && answer !== null && 'failure' in answer;
}

function split(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  let at = 0;
  return sizes.map((size) => {
    const record = bytes.subarray(at, at + size);
    at += size;
    return record;
  });
}
