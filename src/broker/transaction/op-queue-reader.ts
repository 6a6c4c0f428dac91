// Room: broker, main thread. One round's view of an op queue: which halves are settled, and how far the queue is done with
// (storage 19, step 2 and 4). Made for each round; only HalfQueueCheck calls it.
// Always holds: the offset to keep never passes an op record whose half has not been passed; a record that can not be read, or
// says nothing of use, holds up no other.

import { getLogger } from '../../base/logger.js';
import { decodeMessage } from '../../message/message-decoder.js';
import type { MessageExt } from '../../message/message-ext.js';
import { TRANS_OP_HALF_TOPIC } from '../../message/topic-validator.js';
import type { GetMessageResult, MessageStore } from '../../store/message-store.js';
import { REMOVE_TAG, wholeNumber } from './half-message.js';

const log = getLogger('broker.transaction');

const RECORDS_PER_READ = 32;

export class OpQueueReader {
  readonly #store: Pick<MessageStore, 'get'>;
  readonly #queueId: number;
  readonly #halfOffset: number;
  /** Queue offset of a half that is settled -> queue offset of the op record that says so (Java's removeMap). */
  readonly #settled = new Map<number, number>();
  /** Halves before this round's first: of use to those that were stored anew. */
  readonly #settledEarlier = new Set<number>();
  /** Op records that are done, beyond doneOffset. */
  readonly #done = new Set<number>();
  #doneOffset: number;
  #nextOffset: number;
  #hasMore = true;
  #lastBornTimestamp = Number.NEGATIVE_INFINITY;

  /** @param halfOffset where the round begins in the half queue. */
  constructor(
    store: Pick<MessageStore, 'get'>,
    queueId: number,
    opOffset: number,
    halfOffset: number,
  ) {
    this.#store = store;
    this.#queueId = queueId;
    this.#halfOffset = halfOffset;
    this.#doneOffset = opOffset;
    this.#nextOffset = opOffset;
  }

  /** The op offset to keep: all before it are done. */
  get doneOffset(): number {
    return this.#doneOffset;
  }

  /** True when there was nothing more to read the last time; what came later belongs to the next round. */
  get isAtEnd(): boolean {
    return !this.#hasMore;
  }

  /** When the last record that was read was born. */
  get lastBornTimestamp(): number {
    return this.#lastBornTimestamp;
  }

  has(halfQueueOffset: number): boolean {
    return this.#settled.has(halfQueueOffset);
  }

  /** True when the half is settled; its op record is done then. */
  take(halfQueueOffset: number): boolean {
    const opOffset = this.#settled.get(halfQueueOffset);
    if (opOffset === undefined) return false;
    this.#settled.delete(halfQueueOffset);
    this.#markDone(opOffset);
    return true;
  }

  /** As take(), for the half of which another is a copy; that one may lie before this round. */
  takeFirst(halfQueueOffset: number): boolean {
    return this.take(halfQueueOffset) || this.#settledEarlier.has(halfQueueOffset);
  }

  /** Reads some more records. */
  async read(): Promise<void> {
    const from = this.#nextOffset;
    const found = await this.#store.get(TRANS_OP_HALF_TOPIC, this.#queueId, from, RECORDS_PER_READ);
    if (found.status === 'FOUND') this.#note(from, found);
    else if (found.status === 'NO_MESSAGE_IN_QUEUE' || found.status === 'OFFSET_OVERFLOW_ONE') {
      this.#hasMore = false;
    } else this.#correct(from, found);
  }

  #note(from: number, found: GetMessageResult): void {
    let expected = from;
    for (const [i, record] of found.records.entries()) {
      const opOffset = found.queueOffsets[i] ?? expected;
      for (; expected < opOffset; expected++) this.#markDone(expected);
      expected = opOffset + 1;
      this.#noteRecord(opOffset, decodeMessage(record, 0));
    }
    for (; expected < found.nextBeginOffset; expected++) this.#markDone(expected);
    this.#nextOffset = expected;
  }

  #noteRecord(opOffset: number, op: MessageExt | null): void {
    if (op !== null) this.#lastBornTimestamp = op.bornTimestamp;
    const halfOffset = op === null ? null : wholeNumber(op.body.toString('latin1'));
    if (op === null || halfOffset === null || op.properties.get('TAGS') !== REMOVE_TAG) {
      log.error('an op record says nothing of use', { queueId: this.#queueId, opOffset });
      this.#markDone(opOffset);
      return;
    }
    if (halfOffset < this.#halfOffset) {
      this.#settledEarlier.add(halfOffset);
      this.#markDone(opOffset);
      return;
    }
    const other = this.#settled.get(halfOffset);
    if (other !== undefined) this.#markDone(other);
    this.#settled.set(halfOffset, opOffset);
  }

  /** The offset led nowhere: files are gone, or the queue is shorter than it was. */
  #correct(from: number, found: GetMessageResult): void {
    const { nextBeginOffset } = found;
    log.warn('offset of the op queue corrected', { queueId: this.#queueId, from, nextBeginOffset });
    if (nextBeginOffset > from) {
      if (this.#doneOffset === from) this.#doneOffset = nextBeginOffset;
      else for (let gone = from; gone < nextBeginOffset; gone++) this.#markDone(gone);
      this.#nextOffset = nextBeginOffset;
    } else if (from === this.#doneOffset && nextBeginOffset < from) {
      this.#doneOffset = nextBeginOffset;
      this.#nextOffset = nextBeginOffset;
    } else this.#hasMore = false;
  }

  #markDone(opOffset: number): void {
    if (opOffset >= this.#doneOffset) this.#done.add(opOffset);
    while (this.#done.delete(this.#doneOffset)) this.#doneOffset++;
  }
}
