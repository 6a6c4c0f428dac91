// The checker (reliability.md 4): asks a broker, ours or Java's, for everything that the ledger says it has. A violation is one line;
// no line means that the promise was kept.
//   L1 every acknowledged message is where it was said to be, byte for byte       L2 offsets are contiguous, none used twice
//   L3 per producer and queue, numbers rise with the offset                       L4 what was not acknowledged is there whole or not
//   L5 look-up by id and by key                                                  L7 committed <= max

import { seededPrng } from '../../src/base/prng.js';
import type { MessageExt } from '../../src/message/message-ext.js';
import { ResponseCode } from '../../src/protocol/response-code.js';
import type { WireClient } from '../support/wire-client.js';
import { type Bodies, type Ledger, type LedgerEntry, queueName } from './ledger.js';
import { TOPICS } from './producer.js';

const CHECK_GROUP = 'rel-checkers';
const LOOK_UPS_UNDER_WAY = 32;
const MAX_VIOLATIONS = 40;

export interface CheckOptions {
  readonly client: WireClient;
  readonly ledger: Ledger;
  readonly bodies: Bodies;
  /** Entries before this one were checked in an earlier round; 0 checks all there is. */
  readonly firstEntry: number;
  /** Look-ups by id and by key, picked by the seed. */
  readonly lookUps: number;
  readonly seed: number;
  /** The first files of the log are gone: a consumer is led on to the first record that is left. */
  readonly fromMin?: boolean;
}

export interface CheckReport {
  readonly violations: string[];
  readonly records: number;
  readonly lookUps: number;
}

export async function check(options: CheckOptions): Promise<CheckReport> {
  const checker = new Checker(options);
  await checker.run();
  return {
    violations: checker.violations.slice(0, MAX_VIOLATIONS),
    records: checker.records,
    lookUps: checker.lookUps,
  };
}

class Checker {
  readonly violations: string[] = [];
  records = 0;
  lookUps = 0;
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.violations.push(...options.ledger.violations);
  }

  async run(): Promise<void> {
    const { ledger, firstEntry } = this.#options;
    const fresh = ledger.entries.slice(firstEntry);
    for (const { topic, queueId } of ledger.queues()) {
      await this.#checkQueue(topic, queueId, this.#startOf(topic, queueId, fresh));
    }
    await this.#checkLookUps(fresh);
  }

  /** The lowest offset among the fresh entries, else the last that was acknowledged. */
  #startOf(topic: string, queueId: number, fresh: readonly LedgerEntry[]): number {
    const { ledger, firstEntry } = this.#options;
    if (firstEntry === 0) return 0;
    let start = Math.max(...ledger.queue(topic, queueId).keys());
    for (const entry of fresh) {
      if (entry.topic === topic && entry.queueId === queueId) {
        start = Math.min(start, entry.queueOffset);
      }
    }
    return start;
  }

  async #checkQueue(topic: string, queueId: number, start: number): Promise<void> {
    const { client, ledger, fromMin } = this.#options;
    const name = queueName(topic, queueId);
    const [min, max] = await Promise.all([
      client.minOffset(topic, queueId),
      client.maxOffset(topic, queueId),
    ]);
    if (min !== 0 && fromMin !== true) {
      this.#say(`L2: ${name} begins at ${min}; nothing was due to be deleted`);
    }
    const first = fromMin === true ? min : start;
    const messages =
      (await this.#pullAll(topic, queueId, first, max)) ??
      (await this.#viewAll(topic, queueId, first, max));
    const from = fromMin === true ? (messages[0]?.queueOffset ?? max) : start;
    this.records += messages.length;
    const found = new Map<number, MessageExt>();
    for (const [i, message] of messages.entries()) {
      const { queueOffset } = message;
      if (queueOffset !== from + i) {
        this.#say(`L2: ${name} has offset ${queueOffset} where ${from + i} is due`);
      }
      if (message.topic !== topic || message.queueId !== queueId) {
        this.#say(`L2: ${name} offset ${queueOffset} is a record of ${message.topic}`);
      }
      found.set(queueOffset, message);
    }
    if (messages.length !== max - from) {
      this.#say(`L2: ${name} gave ${messages.length} records from ${from} to ${max}`);
    }
    this.#checkRecords(name, topic, messages);
    for (const [queueOffset, entry] of ledger.queue(topic, queueId)) {
      if (queueOffset >= start) this.#checkEntry(entry, found.get(queueOffset));
    }
  }

  /** L4 and L3; internal topics are written by the broker too, so there only acknowledged ones have an order. */
  #checkRecords(name: string, topic: string, messages: readonly MessageExt[]): void {
    const last = new Map<number, number>();
    const isOurs = (TOPICS as readonly string[]).includes(topic);
    for (const message of messages) {
      const identity = this.#options.bodies.identify(message);
      if (typeof identity === 'string') {
        this.#say(`L4: ${name} offset ${message.queueOffset}: ${identity}`);
        continue;
      }
      if (!isOurs) continue;
      const before = last.get(identity.producer) ?? -1;
      if (identity.seq <= before) {
        this.#say(
          `L3: ${name}: producer ${identity.producer} has ${identity.seq} behind ${before}`,
        );
      }
      last.set(identity.producer, identity.seq);
    }
  }

  #checkEntry(entry: LedgerEntry, message: MessageExt | undefined): void {
    const place = `${queueName(entry.topic, entry.queueId)} offset ${entry.queueOffset}`;
    if (message === undefined) {
      this.#say(`L1: ${entry.key}, acknowledged at ${place}, is lost`);
      return;
    }
    const wrong = this.#difference(entry, message);
    if (wrong !== null) this.#say(`L1: ${place} is not ${entry.key}: ${wrong}`);
  }

  #difference(entry: LedgerEntry, message: MessageExt): string | null {
    const identity = this.#options.bodies.identify(message);
    if (typeof identity === 'string') return identity;
    const { producer, seq } = identity;
    if (producer !== entry.producer || seq !== entry.seq) return `it is p${producer}-${seq}`;
    if (message.body.length !== entry.bodyBytes) return `it has ${message.body.length} bytes`;
    if (message.physicalOffset !== entry.physicalOffset) {
      return `it lies at ${message.physicalOffset} and not at ${entry.physicalOffset}`;
    }
    return message.bodyCrc === entry.bodyCrc ? null : 'its CRC is another one';
  }

  /** Null when the topic can not be pulled. */
  async #pullAll(
    topic: string,
    queueId: number,
    from: number,
    max: number,
  ): Promise<MessageExt[] | null> {
    const messages: MessageExt[] = [];
    for (let at = from; at < max; ) {
      const pulled = await this.#options.client.pull(CHECK_GROUP, topic, queueId, at);
      if (pulled.code === ResponseCode.TOPIC_NOT_EXIST) return null;
      const isLedOn = pulled.code === ResponseCode.PULL_RETRY_IMMEDIATELY && this.#options.fromMin;
      if (isLedOn === true && messages.length === 0 && pulled.nextBeginOffset > at) {
        at = pulled.nextBeginOffset;
        continue;
      }
      const isFound = pulled.code === ResponseCode.SUCCESS && pulled.messages.length > 0;
      if (!isFound || pulled.nextBeginOffset <= at) {
        this.#say(`L2: a pull of ${queueName(topic, queueId)} at ${at} is answered ${pulled.code}`);
        break;
      }
      messages.push(...pulled.messages);
      at = pulled.nextBeginOffset;
    }
    return messages;
  }

  async #viewAll(topic: string, queueId: number, from: number, max: number): Promise<MessageExt[]> {
    const { client } = this.#options;
    const messages: MessageExt[] = [];
    for (let at = from; at < max; ) {
      const units = await client.queueUnits(topic, queueId, at);
      if (units.length === 0) break;
      const views = await Promise.all(
        units.map(({ physicalOffset }) => client.viewMessage(physicalOffset)),
      );
      for (const message of views) if (message !== null) messages.push(message);
      at += units.length;
    }
    return messages;
  }

  async #checkLookUps(fresh: readonly LedgerEntry[]): Promise<void> {
    const picked = pick(fresh, this.#options.lookUps, this.#options.seed);
    this.lookUps = picked.length;
    for (let at = 0; at < picked.length; at += LOOK_UPS_UNDER_WAY) {
      await Promise.all(
        picked.slice(at, at + LOOK_UPS_UNDER_WAY).map((entry) => this.#lookUp(entry)),
      );
    }
  }

  async #lookUp(entry: LedgerEntry): Promise<void> {
    const { client } = this.#options;
    const byId = await client.viewMessage(entry.physicalOffset);
    const wrong = byId === null ? 'there is nothing' : this.#difference(entry, byId);
    if (wrong !== null) this.#say(`L5: by the id of ${entry.key}: ${wrong}`);
    const byKey = await client.queryByKey(entry.topic, entry.key);
    const isThere = byKey.some(
      (message) =>
        message.physicalOffset === entry.physicalOffset && message.queueId === entry.queueId,
    );
    if (!isThere) this.#say(`L5: ${entry.topic} has nothing under the key ${entry.key}`);
  }

  #say(violation: string): void {
    this.violations.push(violation);
  }
}

/** Up to `count` of them, all different, in their order. */
function pick(entries: readonly LedgerEntry[], count: number, seed: number): LedgerEntry[] {
  if (entries.length <= count) return [...entries];
  const prng = seededPrng(seed);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(prng.nextInt(entries.length));
  return [...chosen].sort((a, b) => a - b).flatMap((i) => entries[i] ?? []);
}
