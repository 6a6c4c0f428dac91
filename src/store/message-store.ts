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
  /** int64 as text when it is outside the safe integers. */
  readonly tagsCode: bigint;
  readonly msgStoreTime?: number;
  readonly bitMap?: Uint8Array | null;
}

export interface ConsumeQueueView {
  readonly minOffset: number;
  readonly maxOffset: number;
  readonly units: readonly ConsumeQueueUnitView[];
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
}

export interface MessageStore {
  put(message: MessageToPut): Promise<PutMessageResult>;
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
  isWritable(): boolean;
}
