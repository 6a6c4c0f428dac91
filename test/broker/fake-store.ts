// A store in memory, for tests of the control plane.

import type { ManualClock } from '../../src/base/clock.js';
import type {
  ConsumeQueueView,
  GetMessageResult,
  MessageStore,
  MessageToPut,
  PutMessageResult,
  QueryMessageResult,
  ScheduledMessages,
  StoreRuntimeInfo,
} from '../../src/store/message-store.js';
import { PutMessageStatus } from '../../src/store/put-message.js';

interface StoredMessage {
  readonly message: MessageToPut;
  readonly storeTimestamp: number;
  readonly physicalOffset: number;
  readonly record: Buffer;
}

/** Each record is 100 bytes long in the log, whatever is in it. */
export class FakeStore implements MessageStore {
  readonly queues = new Map<string, StoredMessage[]>();
  readonly all: StoredMessage[] = [];
  readonly deletedTopics: string[] = [];
  readonly cleaned: string[] = [];
  inMemory = true;
  putStatus: PutMessageStatus = PutMessageStatus.PUT_OK;
  readonly minOffsets = new Map<string, number>();
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  async put(message: MessageToPut): Promise<PutMessageResult> {
    const physicalOffset = this.all.length * 100;
    if (this.putStatus === PutMessageStatus.SERVICE_NOT_AVAILABLE) {
      const nothing = { msgId: '', queueOffset: 0, physicalOffset: 0, storeTimestamp: 0 };
      return { status: this.putStatus, ...nothing, wroteEnd: 0 };
    }
    const stored = this.add(message, Buffer.from(`record ${this.all.length}`), physicalOffset);
    return {
      status: this.putStatus,
      msgId: `ID${physicalOffset}`,
      queueOffset: this.#queue(message.topic, message.queueId).length - 1,
      physicalOffset,
      storeTimestamp: stored.storeTimestamp,
      wroteEnd: physicalOffset + 100,
    };
  }

  putAll(
    messages: readonly MessageToPut[],
    onResult: (index: number, result: PutMessageResult) => void,
  ): void {
    for (const [i, message] of messages.entries()) {
      void this.put(message).then((result) => onResult(i, result));
    }
  }

  add(message: MessageToPut, record: Buffer, physicalOffset: number): StoredMessage {
    const stored = { message, storeTimestamp: this.#clock.nowMs(), physicalOffset, record };
    this.all.push(stored);
    this.#queue(message.topic, message.queueId).push(stored);
    return stored;
  }

  puts(topic: string): MessageToPut[] {
    return this.all.map((it) => it.message).filter((it) => it.topic === topic);
  }

  async get(): Promise<GetMessageResult> {
    throw new Error('not used by the control plane');
  }

  async lookMessageByOffset(physicalOffset: number): Promise<Buffer | null> {
    return this.all.find((it) => it.physicalOffset === physicalOffset)?.record ?? null;
  }

  async minOffsetInQueue(topic: string, queueId: number): Promise<number> {
    return this.minOffsets.get(`${topic}/${queueId}`) ?? 0;
  }

  async maxOffsetInQueue(topic: string, queueId: number): Promise<number> {
    return this.#queue(topic, queueId).length;
  }

  async offsetByTime(topic: string, queueId: number, timestampMs: number): Promise<number> {
    const queue = this.#queue(topic, queueId);
    const found = queue.findIndex((it) => it.storeTimestamp >= timestampMs);
    return found >= 0 ? found : Math.max(0, queue.length - 1);
  }

  async storeTimestamp(topic: string, queueId: number, queueOffset: number): Promise<number> {
    return this.#queue(topic, queueId)[queueOffset]?.storeTimestamp ?? -1;
  }

  async isInMemory(): Promise<boolean> {
    return this.inMemory;
  }

  async queryMessage(topic: string, key: string): Promise<QueryMessageResult> {
    const found = this.all.filter(
      ({ message }) => message.topic === topic && message.properties.includes(`\u0001${key}`),
    );
    return {
      records: found.map((it) => it.record),
      indexLastUpdateTimestamp: this.#clock.nowMs(),
      indexLastUpdatePhyOffset: 1040,
    };
  }

  async consumeQueue(
    topic: string,
    queueId: number,
    startOffset: number,
    count: number,
  ): Promise<ConsumeQueueView | null> {
    const queue = this.queues.get(`${topic}/${queueId}`);
    if (queue === undefined) return null;
    const units = queue.slice(startOffset, startOffset + count).map((it) => ({
      physicalOffset: it.physicalOffset,
      sizeBytes: 208,
      tagsCode: 84n,
    }));
    return { minOffset: 0, maxOffset: queue.length, units };
  }

  async scheduledMessages(): Promise<ScheduledMessages> {
    return {
      minOffset: 0,
      maxOffset: 0,
      deliverTimestamps: [],
      records: [],
      nextDeliverTimestamp: -1,
    };
  }

  async maxOffsetsInQueues(topic: string, queueCount: number): Promise<readonly number[]> {
    return Array.from({ length: queueCount }, (_, id) => this.#queue(topic, id).length);
  }

  async cleanUnusedTopics(topicsInUse: readonly string[]): Promise<void> {
    this.cleaned.push(`unused but ${topicsInUse.length}`);
  }

  async deleteTopics(topics: readonly string[]): Promise<void> {
    this.deletedTopics.push(...topics);
    for (const topic of topics) {
      for (const key of [...this.queues.keys()]) {
        if (key.startsWith(`${topic}/`)) this.queues.delete(key);
      }
    }
  }

  async cleanExpiredConsumeQueues(): Promise<void> {
    this.cleaned.push('queues');
  }

  async deleteExpiredCommitLog(): Promise<void> {
    this.cleaned.push('log');
  }

  async runtimeInfo(): Promise<StoreRuntimeInfo> {
    return {
      commitLogMinOffset: 0,
      commitLogMaxOffset: this.maxPhysicalOffset(),
      dispatchBehindBytes: 0,
      flushBehindBytes: 422,
      commitLogDiskRatio: 0.28,
      consumeQueueDiskRatio: 0.28,
      earliestMessageTimestamp: -1,
      damagedRecords: 0,
      slaveCount: 0,
      push2SlaveMaxOffset: 0,
    };
  }

  maxPhysicalOffset(): number {
    return this.all.length * 100;
  }

  minPhysicalOffset(): number {
    return 0;
  }

  flushedPhysicalOffset(): number {
    return this.maxPhysicalOffset();
  }

  dispatchedPhysicalOffset(): number {
    return this.maxPhysicalOffset();
  }

  isWritable(): boolean {
    return true;
  }

  #queue(topic: string, queueId: number): StoredMessage[] {
    const key = `${topic}/${queueId}`;
    let queue = this.queues.get(key);
    if (queue === undefined) {
      queue = [];
      this.queues.set(key, queue);
    }
    return queue;
  }
}
