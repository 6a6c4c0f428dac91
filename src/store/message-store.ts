// Room: store. The contract between the control plane (main thread) and the store, whichever threads the store runs in.
// workers/store-client implements it over rings. All positions and times are safe integers. Follows Java's MessageStore.

import type { PutMessageStatus } from './put-message.js';

/** A message as the control plane hands it in; properties are the final text that is stored. */
export interface MessageToPut {
  readonly topic: string;
  readonly queueId: number;
  readonly flag: number;
  /** The store adds the IPv6 bits itself. */
  readonly sysFlag: number;
  readonly bornTimestamp: number;
  /** 4 or 16 address bytes. */
  readonly bornHost: Uint8Array;
  readonly bornPort: number;
  /** Address and port to record as store host; the broker's own when absent. */
  readonly storeHost?: { readonly address: Uint8Array; readonly port: number };
  readonly reconsumeTimes: number;
  readonly preparedTransactionOffset: number;
  readonly body: Uint8Array;
  readonly properties: string;
  /** False (property WAIT): answer without waiting for flush or replication. */
  readonly waitStoreMsgOk: boolean;
  /** True: the message has waited out its DELAY, which stays in its properties, and goes to its topic now. */
  readonly isDelayServed?: boolean;
}

export interface PutMessageResult {
  readonly status: PutMessageStatus;
  /** Offset message id, upper-case hex; empty when nothing was appended. */
  readonly msgId: string;
  readonly queueOffset: number;
  readonly physicalOffset: number;
  readonly storeTimestamp: number;
  /** Where the record ends, for whoever must wait for it. */
  readonly wroteEnd: number;
}

export type GetMessageStatus =
  | 'FOUND'
  | 'NO_MATCHED_MESSAGE'
  | 'MESSAGE_WAS_REMOVING'
  | 'OFFSET_FOUND_NULL'
  | 'OFFSET_OVERFLOW_BADLY'
  | 'OFFSET_OVERFLOW_ONE'
  | 'OFFSET_TOO_SMALL'
  | 'NO_MESSAGE_IN_QUEUE';

export interface GetMessageResult {
  readonly status: GetMessageStatus;
  readonly nextBeginOffset: number;
  readonly minOffset: number;
  readonly maxOffset: number;
  /** Whole records as stored, owned by the caller. */
  readonly records: readonly Buffer[];
  /** The queue offset of each record's consume-queue entry, parallel to records. */
  readonly queueOffsets: readonly number[];
}

export interface QueryMessageResult {
  readonly records: readonly Buffer[];
  readonly indexLastUpdateTimestamp: number;
  readonly indexLastUpdatePhyOffset: number;
}

export interface ConsumeQueueUnitView {
  readonly physicalOffset: number;
  readonly sizeBytes: number;
  /** As it stands in the entry: the address of its ext unit when it has one. */
  readonly tagsCode: bigint;
  /** Absent without such an address; null when there is no unit to read at it. */
  readonly ext?: ConsumeQueueExtView | null;
}

export interface ConsumeQueueExtView {
  readonly sizeBytes: number;
  readonly tagsCode: bigint;
  readonly msgStoreTime: number;
  readonly bitMap: Uint8Array | null;
}

export interface ConsumeQueueView {
  readonly minOffset: number;
  readonly maxOffset: number;
  readonly units: readonly ConsumeQueueUnitView[];
}

/** How much of a queue of delayed messages is wanted. */
export interface ScheduledLimit {
  /** Wall-clock time: the first entry that is due later ends the answer. */
  readonly dueMs: number;
  /** What to add to the store time of a record whose entry does not tell when it is due. */
  readonly delayMs: number;
  readonly maxCount: number;
  /** The answer may be longer by one record, so that it is never empty for its size. */
  readonly maxBytes: number;
}

/** Consecutive entries of a queue of delayed messages, from the one that was asked for on. */
export interface ScheduledMessages {
  readonly minOffset: number;
  readonly maxOffset: number;
  /** When each entry is due, wall clock. */
  readonly deliverTimestamps: readonly number[];
  /** Whole records as stored, owned by the caller, parallel to deliverTimestamps; null where there is none to read. */
  readonly records: readonly (Buffer | null)[];
  /** When the entry behind them is due; -1 when there is none. */
  readonly nextDeliverTimestamp: number;
}

export interface StoreRuntimeInfo {
  readonly commitLogMinOffset: number;
  readonly commitLogMaxOffset: number;
  readonly dispatchBehindBytes: number;
  readonly flushBehindBytes: number;
  readonly commitLogDiskRatio: number;
  readonly consumeQueueDiskRatio: number;
  readonly earliestMessageTimestamp: number;
  /** Records that recovery found bad and set aside, since the process started. */
  readonly damagedRecords: number;
  readonly slaveCount: number;
  /** Highest position that a slave has acknowledged; 0 while none has. */
  readonly push2SlaveMaxOffset: number;
}

export interface MessageStore {
  put(message: MessageToPut): Promise<PutMessageResult>;
  /** Many at once, appended in their order; each has its result by itself, told later and never from within this call. */
  putAll(
    messages: readonly MessageToPut[],
    onResult: (index: number, result: PutMessageResult) => void,
  ): void;
  /** Records from queueOffset on, without any filter, within Java's size limits. */
  get(
    topic: string,
    queueId: number,
    queueOffset: number,
    maxCount: number,
  ): Promise<GetMessageResult>;
  /** The whole record at a physical offset, or null when there is none. */
  lookMessageByOffset(physicalOffset: number): Promise<Buffer | null>;
  minOffsetInQueue(topic: string, queueId: number): Promise<number>;
  maxOffsetInQueue(topic: string, queueId: number): Promise<number>;
  offsetByTime(topic: string, queueId: number, timestampMs: number): Promise<number>;
  /** Store time of the record of one entry; -1 when there is none. */
  storeTimestamp(topic: string, queueId: number, queueOffset: number): Promise<number>;
  /** True when the entry at the offset is within the share of memory that counts as resident (Java's checkInDiskByConsumeOffset, negated). */
  isInMemory(topic: string, queueId: number, queueOffset: number): Promise<boolean>;
  queryMessage(
    topic: string,
    key: string,
    maxCount: number,
    beginMs: number,
    endMs: number,
  ): Promise<QueryMessageResult>;
  consumeQueue(
    topic: string,
    queueId: number,
    startOffset: number,
    count: number,
  ): Promise<ConsumeQueueView | null>;
  /** The entries of a queue of delayed messages that are due, and their records. */
  scheduledMessages(
    topic: string,
    queueId: number,
    startOffset: number,
    limit: ScheduledLimit,
  ): Promise<ScheduledMessages>;
  /** The ends of queues 0 to queueCount - 1; 0 for a queue that has nothing. */
  maxOffsetsInQueues(topic: string, queueCount: number): Promise<readonly number[]>;
  /** Drops the queues of topics that are not in the given set (schedule, op and LMQ topics excepted). */
  cleanUnusedTopics(topicsInUse: readonly string[]): Promise<void>;
  /** Drops the queues of the named topics. */
  deleteTopics(topics: readonly string[]): Promise<void>;
  cleanExpiredConsumeQueues(): Promise<void>;
  deleteExpiredCommitLog(): Promise<void>;
  runtimeInfo(): Promise<StoreRuntimeInfo>;
  /** Highest position appended, without asking any thread. */
  maxPhysicalOffset(): number;
  minPhysicalOffset(): number;
  /** End of what is on disk, without asking any thread. */
  flushedPhysicalOffset(): number;
  /** End of what has its queue entries, without asking any thread. */
  dispatchedPhysicalOffset(): number;
  isWritable(): boolean;
}
