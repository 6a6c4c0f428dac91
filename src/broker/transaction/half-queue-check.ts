// Room: broker, main thread. One round over one half queue (storage 19): halves that are settled are passed, those that nobody
// settled in time are stored anew and their producers asked, those that were asked after too often are set aside.
//
// Always holds: a half is passed only when it is settled or stored elsewhere; how far the round came is kept however it ends; one
// half that can not be read, or asked after, holds up no other. Every step is one look-up or one append, so that the event loop
// is never held.

import { getLogger } from '../../base/logger.js';
import { decodeMessage } from '../../message/message-decoder.js';
import type { MessageExt } from '../../message/message-ext.js';
import { TRANS_HALF_TOPIC, TRANS_OP_HALF_TOPIC } from '../../message/topic-validator.js';
import type { GetMessageResult, PutMessageResult } from '../../store/message-store.js';
import { PutMessageStatus, putMessageStatusName } from '../../store/put-message.js';
import type { BrokerContext } from '../broker-context.js';
import { PermName } from '../topic/perm-name.js';
import { askProducer } from './ask-producer.js';
import {
  discardedHalf,
  immuneHalf,
  nextCheckTimes,
  ownImmunityMs,
  preparedQueueOffset,
  renewedHalf,
  TRANS_CONSUMER_GROUP,
} from './half-message.js';
import { OpQueueReader } from './op-queue-reader.js';

const log = getLogger('broker.transaction');

const ROUND_LIMIT_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Settled halves cost no look-up; after so many in a row the event loop gets its turn. */
const SETTLED_PER_TURN = 1024;

export type CheckBroker = Pick<
  BrokerContext,
  | 'config'
  | 'clock'
  | 'store'
  | 'offsets'
  | 'topics'
  | 'producers'
  | 'brokerToClient'
  | 'brokerAddr'
>;

/** What became of the halves of a round, those apart that were settled. */
type Fate = 'ASKED' | 'OFFLINE' | 'UNUSABLE' | 'IMMUNE' | 'DISCARDED' | 'DAMAGED';

/** What a step does to the round. */
type Step = 'NEXT' | 'AGAIN' | 'END';

/** @param isStopped asked at every step. */
export async function checkHalfQueue(
  broker: CheckBroker,
  queueId: number,
  isStopped: () => boolean,
): Promise<void> {
  const halfOffset = await storedOffset(broker, TRANS_HALF_TOPIC, queueId);
  const opOffset = await storedOffset(broker, TRANS_OP_HALF_TOPIC, queueId);
  const check = new HalfQueueCheck(broker, queueId, halfOffset, opOffset);
  try {
    await check.run(isStopped);
  } finally {
    check.report();
    keepOffset(broker, TRANS_HALF_TOPIC, queueId, halfOffset, check.halfOffset);
    keepOffset(broker, TRANS_OP_HALF_TOPIC, queueId, opOffset, check.opOffset);
  }
}

async function storedOffset(broker: CheckBroker, topic: string, queueId: number): Promise<number> {
  const stored = broker.offsets.query(TRANS_CONSUMER_GROUP, topic, queueId);
  return stored >= 0 ? stored : broker.store.minOffsetInQueue(topic, queueId);
}

function keepOffset(
  broker: CheckBroker,
  topic: string,
  queueId: number,
  old: number,
  offset: number,
): void {
  if (offset === old) return;
  broker.offsets.commit(broker.brokerAddr, TRANS_CONSUMER_GROUP, topic, queueId, offset);
}

class HalfQueueCheck {
  /** The half at hand: all before it are passed. */
  halfOffset: number;
  readonly #broker: CheckBroker;
  readonly #queueId: number;
  readonly #firstOffset: number;
  readonly #ops: OpQueueReader;
  /** The op offset to keep instead of the reader's: the half queue went back, so all op records count again. */
  #opOffsetAnew: number | null = null;
  readonly #startMs: number;
  readonly #deadlineMs: number;
  readonly #fates = new Map<Fate, number>();

  constructor(broker: CheckBroker, queueId: number, halfOffset: number, opOffset: number) {
    this.#broker = broker;
    this.#queueId = queueId;
    this.halfOffset = halfOffset;
    this.#firstOffset = halfOffset;
    this.#ops = new OpQueueReader(broker.store, queueId, opOffset, halfOffset);
    this.#startMs = broker.clock.nowMs();
    this.#deadlineMs = broker.clock.monotonicMs() + ROUND_LIMIT_MS;
  }

  get opOffset(): number {
    return this.#opOffsetAnew ?? this.#ops.doneOffset;
  }

  async run(isStopped: () => boolean): Promise<void> {
    await this.#ops.read();
    let settledInRow = 0;
    while (!isStopped() && this.#broker.clock.monotonicMs() <= this.#deadlineMs) {
      if (this.#ops.take(this.halfOffset)) {
        this.halfOffset++;
        if (++settledInRow % SETTLED_PER_TURN === 0) await new Promise(setImmediate);
        continue;
      }
      const step = await this.#step();
      if (step === 'END') return;
      if (step === 'NEXT') this.halfOffset++;
    }
  }

  /** One line a round, however many halves there were. */
  report(): void {
    if (this.#fates.size === 0) return;
    const { halfOffset, opOffset } = this;
    const fates = Object.fromEntries(this.#fates);
    const fields = { queueId: this.#queueId, halfOffset, opOffset, ...fates };
    const isLoss = fates['DISCARDED'] ?? fates['DAMAGED'] ?? fates['UNUSABLE'];
    log[isLoss === undefined ? 'info' : 'error']('halves that nobody settled', fields);
  }

  #note(fate: Fate, half: MessageExt | null): void {
    this.#fates.set(fate, (this.#fates.get(fate) ?? 0) + 1);
    const { halfOffset } = this;
    log.debug('a half that nobody settled', { fate, halfOffset, offsetMsgId: half?.offsetMsgId });
  }

  async #step(): Promise<Step> {
    const found = await this.#broker.store.get(TRANS_HALF_TOPIC, this.#queueId, this.halfOffset, 1);
    const record = found.records[0];
    if (record === undefined) return this.#missing(found);
    const queueOffset = found.queueOffsets[0] ?? this.halfOffset;
    const half = decodeMessage(record, 0);
    if (half === null || queueOffset !== this.halfOffset) {
      this.#note('DAMAGED', null);
      if (half === null) return 'NEXT';
      this.halfOffset = queueOffset;
      return 'AGAIN';
    }
    return this.#visit(half);
  }

  /** No record there: the queue's end, or an offset that has to be corrected. */
  async #missing(found: GetMessageResult): Promise<Step> {
    if (found.status === 'NO_MESSAGE_IN_QUEUE' || found.status === 'OFFSET_OVERFLOW_ONE')
      return 'END';
    const { nextBeginOffset } = found;
    if (nextBeginOffset === this.halfOffset) return 'END';
    log.warn('offset of the half queue corrected', {
      queueId: this.#queueId,
      from: this.halfOffset,
      nextBeginOffset,
    });
    const isBack = nextBeginOffset < this.#firstOffset;
    this.halfOffset = nextBeginOffset;
    if (!isBack) return 'AGAIN';
    this.#opOffsetAnew = await this.#broker.store.minOffsetInQueue(
      TRANS_OP_HALF_TOPIC,
      this.#queueId,
    );
    return 'END';
  }

  async #visit(half: MessageExt): Promise<Step> {
    const { config, clock } = this.#broker;
    const ageMs = clock.nowMs() - half.bornTimestamp;
    const immunityMs = ownImmunityMs(half, config.transactionTimeOut);
    const isImmune = ageMs < (immunityMs ?? config.transactionTimeOut);
    const isDiscarded =
      nextCheckTimes(half) > config.transactionCheckMax ||
      ageMs > config.fileReservedTime * HOUR_MS;
    if (!isDiscarded) {
      if (half.storeTimestamp >= this.#startMs) return 'END';
      // A producer whose clock is ahead is asked at once.
      if (immunityMs === undefined && isImmune && ageMs >= 0) return 'END';
    }
    if (await this.#isSettled(half)) return 'NEXT';
    if (isDiscarded) return this.#discard(half);
    return immunityMs !== undefined && isImmune ? this.#keepImmune(half) : this.#ask(half);
  }

  /** Looks at op records until one settles the half, there are no more, or they are from after this round's beginning. */
  async #isSettled(half: MessageExt): Promise<boolean> {
    const first = preparedQueueOffset(half);
    const latestMs = this.#startMs + this.#broker.config.transactionTimeOut;
    const ops = this.#ops;
    for (;;) {
      if (ops.take(this.halfOffset) || (first !== null && ops.takeFirst(first))) return true;
      const isOver = this.#broker.clock.monotonicMs() > this.#deadlineMs;
      if (ops.isAtEnd || isOver || ops.lastBornTimestamp > latestMs) return false;
      await ops.read();
    }
  }

  async #discard(half: MessageExt): Promise<Step> {
    const message = discardedHalf(half);
    const perm = PermName.READ | PermName.WRITE;
    await this.#broker.topics.createIfAbsent(message.topic, 1, perm, 0);
    if (!isStored(await this.#broker.store.put(message))) return 'END';
    this.#note('DISCARDED', half);
    return 'NEXT';
  }

  async #keepImmune(half: MessageExt): Promise<Step> {
    const stored = await this.#broker.store.put(immuneHalf(half, this.halfOffset));
    if (!isStored(stored)) return 'END';
    this.#note('IMMUNE', half);
    return 'NEXT';
  }

  async #ask(half: MessageExt): Promise<Step> {
    const stored = await this.#broker.store.put(renewedHalf(half));
    if (!isStored(stored)) return 'END';
    this.#note(askProducer(this.#broker, half, stored), half);
    return 'NEXT';
  }
}

/** A store that refuses one record refuses the next: the round ends and nothing is passed. */
function isStored(result: PutMessageResult): boolean {
  if (result.status === PutMessageStatus.PUT_OK) return true;
  log.error('the transaction check could not store', {
    status: putMessageStatusName(result.status),
  });
  return false;
}
