// A producer: one connection, a few sends under way at once, singles, batches, delayed and half messages mixed by a seed. What is answered
// SEND_OK goes to the ledger; what is not may be in the log or not. Numbers rise with the order of sending and are never used twice.

import type { Prng } from '../../src/base/prng.js';
import type { BatchMessage } from '../../src/message/batch-codec.js';
import { decodeMessageId } from '../../src/message/message-id.js';
import { ResponseCode } from '../../src/protocol/response-code.js';
import { type SendResult, WireClient } from '../support/wire-client.js';
import { type Bodies, crcOf, keyOf, type Ledger } from './ledger.js';

export const TOPICS = ['RelOrders', 'RelEvents'] as const;
export const DELAYED_TOPIC = 'RelDelayed';
export const QUEUES = 4;
export const SCHEDULE_TOPIC = 'SCHEDULE_TOPIC_XXXX';
export const HALF_TOPIC = 'RMQ_SYS_TRANS_HALF_TOPIC';

const MIN_BODY_BYTES = 200;
const MAX_BODY_BYTES = 65_536;
const SENDS_UNDER_WAY = 8;
/** 2 h: such messages stay where they are. */
const LONG_DELAY_LEVEL = 18;

export interface ProducerOptions {
  readonly producer: number;
  readonly port: number;
  readonly prng: Prng;
  readonly bodies: Bodies;
  readonly ledger: Ledger;
  readonly ratePerSecond: number;
  /** Number of the first message. */
  readonly firstSeq: number;
}

export class Producer {
  readonly #options: ProducerOptions;
  readonly #client: WireClient;
  readonly #underWay = new Set<Promise<void>>();
  readonly refusals = new Map<number, number>();
  nextSeq: number;
  #stopped = false;

  constructor(options: ProducerOptions) {
    this.#options = options;
    this.#client = new WireClient(options.port);
    this.nextSeq = options.firstSeq;
  }

  /** Sends until it is stopped or the broker is gone; then waits for what is under way. */
  async run(): Promise<void> {
    const startMs = performance.now();
    const first = this.nextSeq;
    while (!this.#stopped) {
      const due = ((performance.now() - startMs) * this.#options.ratePerSecond) / 1000;
      if (this.nextSeq - first > due || this.#underWay.size >= SENDS_UNDER_WAY) {
        await Promise.race([sleep(2), ...this.#underWay]);
        continue;
      }
      const sending: Promise<void> = this.#sendOne().finally(() => this.#underWay.delete(sending));
      this.#underWay.add(sending);
    }
    await Promise.all(this.#underWay);
    this.#client.close();
  }

  stop(): void {
    this.#stopped = true;
  }

  #sendOne(): Promise<void> {
    const { prng } = this.#options;
    const dice = prng.nextInt(100);
    const topic = TOPICS[prng.nextInt(TOPICS.length)] ?? TOPICS[0];
    const queueId = prng.nextInt(QUEUES);
    if (dice < 15) return this.#sendBatch(topic, queueId, 2 + prng.nextInt(7));
    if (dice < 20) return this.#sendDelayed(queueId, LONG_DELAY_LEVEL);
    if (dice < 24) return this.#sendDelayed(queueId, 1);
    if (dice < 32) return this.#sendHalf(topic, queueId);
    return this.#sendSingle(topic, queueId);
  }

  #sendSingle(topic: string, queueId: number): Promise<void> {
    const message = this.#next(this.#bodyBytes());
    const sending = this.#client.send({ topic, queueId, ...message });
    return this.#settle(sending, topic, queueId, [message]);
  }

  #sendBatch(topic: string, queueId: number, count: number): Promise<void> {
    const messages = Array.from({ length: count }, () => this.#next(this.#bodyBytes() >> 2));
    const items = messages.map(
      ({ body, properties }): BatchMessage => ({ flag: 0, body, properties }),
    );
    return this.#settle(this.#client.sendBatch(topic, queueId, items), topic, queueId, messages);
  }

  #sendDelayed(queueId: number, level: number): Promise<void> {
    const message = this.#next(this.#bodyBytes());
    message.properties.set('DELAY', String(level));
    const sending = this.#client.send({ topic: DELAYED_TOPIC, queueId, ...message });
    return this.#settle(sending, SCHEDULE_TOPIC, level - 1, [message]);
  }

  #sendHalf(topic: string, queueId: number): Promise<void> {
    const message = this.#next(this.#bodyBytes());
    message.properties.set('TRAN_MSG', 'true').set('PGROUP', 'rel-producers');
    const sending = this.#client.send({ topic, queueId, ...message, sysFlag: 4 });
    return this.#settle(sending, HALF_TOPIC, 0, [message]);
  }

  #next(bodyBytes: number): NumberedMessage {
    const { producer, bodies } = this.#options;
    const seq = this.nextSeq++;
    const properties = new Map([
      ['KEYS', keyOf(producer, seq)],
      ['TAGS', `t${seq % 3}`],
      ['WAIT', 'true'],
    ]);
    return {
      seq,
      body: bodies.make(producer, seq, Math.max(MIN_BODY_BYTES, bodyBytes)),
      properties,
    };
  }

  /** Spread over the powers of two. */
  #bodyBytes(): number {
    const { prng } = this.#options;
    const span = Math.log(MAX_BODY_BYTES / MIN_BODY_BYTES);
    return Math.floor(MIN_BODY_BYTES * Math.exp(prng.nextFloat() * span));
  }

  async #settle(
    sending: Promise<SendResult>,
    topic: string,
    queueId: number,
    messages: readonly NumberedMessage[],
  ): Promise<void> {
    let result: SendResult;
    try {
      result = await sending;
    } catch {
      // Killed while the answer was due: nothing is known about these messages, and this life is over.
      this.#stopped = true;
      return;
    }
    if (result.code !== ResponseCode.SUCCESS) {
      this.refusals.set(result.code, (this.refusals.get(result.code) ?? 0) + 1);
      return;
    }
    for (const [i, { seq, body }] of messages.entries()) {
      const { producer } = this.#options;
      this.#options.ledger.add({
        producer,
        seq,
        topic,
        queueId,
        queueOffset: result.queueOffset + i,
        physicalOffset: decodeMessageId(result.msgIds[i] ?? '').physicalOffset,
        bodyBytes: body.length,
        bodyCrc: crcOf(body),
        key: keyOf(producer, seq),
      });
    }
  }
}

interface NumberedMessage {
  readonly seq: number;
  readonly body: Buffer;
  readonly properties: Map<string, string>;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
