// A store in memory that keeps whole records, so that what was put can be read again: queues with ends, holes and damaged records.

import type { ManualClock } from '../../../src/base/clock.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { encodeMessage } from '../../../src/message/message-encoder.js';
import type { MessageExt } from '../../../src/message/message-ext.js';
import type {
  GetMessageResult,
  GetMessageStatus,
  MessageToPut,
  PutMessageResult,
} from '../../../src/store/message-store.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { FakeStore } from '../fake-store.js';
import { testBroker } from '../fakes.js';

const BROKER_HOST = { address: Buffer.from([127, 0, 0, 1]), port: 28_731 };

export class RecordStore extends FakeStore {
  /** Topics whose appends the store refuses. */
  readonly refused = new Set<string>();
  /** Physical offsets of records that the store can not serve; it goes on behind them. */
  readonly unreadable = new Set<number>();
  /** What was read, e.g. "RMQ_SYS_TRANS_HALF_TOPIC/0@3". */
  readonly reads: string[] = [];
  /** Called before a read is answered. */
  onRead: (what: string) => void = () => {};
  /** Everything that is put comes after this promise. */
  gate: Promise<void> = Promise.resolve();
  writable = true;
  readonly #now: ManualClock;

  constructor(clock: ManualClock) {
    super(clock);
    this.#now = clock;
  }

  override isWritable(): boolean {
    return this.writable;
  }

  override async put(message: MessageToPut): Promise<PutMessageResult> {
    await this.gate;
    if (this.refused.has(message.topic)) {
      const nothing = { msgId: '', queueOffset: 0, physicalOffset: 0, storeTimestamp: 0 };
      return { status: PutMessageStatus.SERVICE_NOT_AVAILABLE, ...nothing, wroteEnd: 0 };
    }
    const physicalOffset = this.maxPhysicalOffset();
    const queueOffset = this.countOf(message.topic, message.queueId);
    const storeTimestamp = this.#now.nowMs();
    const record = recordOf(message, { physicalOffset, queueOffset, storeTimestamp });
    this.add(message, record, physicalOffset);
    const wroteEnd = physicalOffset + 100;
    const at = { queueOffset, physicalOffset, storeTimestamp, wroteEnd };
    return { status: this.putStatus, msgId: `ID${physicalOffset}`, ...at };
  }

  override async get(topic = '', queueId = 0, from = 0, maxCount = 0): Promise<GetMessageResult> {
    this.reads.push(`${topic}/${queueId}@${from}`);
    this.onRead(`${topic}/${queueId}@${from}`);
    const minOffset = this.minOffsets.get(`${topic}/${queueId}`) ?? 0;
    const maxOffset = this.countOf(topic, queueId);
    const answer = (status: GetMessageStatus, nextBeginOffset: number): GetMessageResult => ({
      status,
      nextBeginOffset,
      minOffset,
      maxOffset,
      records: [],
      queueOffsets: [],
    });
    if (maxOffset === 0) return answer('NO_MESSAGE_IN_QUEUE', 0);
    if (from < minOffset) return answer('OFFSET_TOO_SMALL', minOffset);
    if (from === maxOffset) return answer('OFFSET_OVERFLOW_ONE', from);
    if (from > maxOffset) return answer('OFFSET_OVERFLOW_BADLY', maxOffset);
    const records: Buffer[] = [];
    const queueOffsets: number[] = [];
    let at = from;
    for (; at < maxOffset && records.length < maxCount; at++) {
      const stored = this.queues.get(`${topic}/${queueId}`)?.[at];
      if (stored === undefined || this.unreadable.has(stored.physicalOffset)) continue;
      records.push(stored.record);
      queueOffsets.push(at);
    }
    const status = records.length > 0 ? 'FOUND' : 'MESSAGE_WAS_REMOVING';
    return { ...answer(status, at), records, queueOffsets };
  }

  countOf(topic: string, queueId = 0): number {
    return this.queues.get(`${topic}/${queueId}`)?.length ?? 0;
  }

  /** What lies in a queue, decoded. */
  messages(topic: string, queueId = 0): MessageExt[] {
    const stored = this.queues.get(`${topic}/${queueId}`) ?? [];
    return stored.map((it) => decodeMessage(it.record, 0) as MessageExt);
  }
}

/** The bytes of a record as the store writes it. */
export function recordOf(
  message: MessageToPut,
  at: {
    readonly physicalOffset: number;
    readonly queueOffset: number;
    readonly storeTimestamp: number;
  },
): Buffer {
  return encodeMessage({
    ...message,
    ...at,
    bornHost: { address: Buffer.from(message.bornHost), port: message.bornPort },
    storeHost: {
      address: Buffer.from(message.storeHost?.address ?? BROKER_HOST.address),
      port: message.storeHost?.port ?? BROKER_HOST.port,
    },
    body: Buffer.from(message.body),
    propertiesText: message.properties,
  });
}

/** A broker on such a store. */
export function transactionBroker(clock: ManualClock, flags: Record<string, string> = {}) {
  const store = new RecordStore(clock);
  const { controller, ask, files } = testBroker(flags, { clock, store });
  return { controller, context: controller.context, clock, store, ask, files };
}
