// Room: processor. Hot (bench/40-send-append); runs in the commitlog worker. Answers SEND_MESSAGE (10), SEND_MESSAGE_V2 (310) and
// SEND_BATCH_MESSAGE (320): checks, builds the append, writes the reply frame. Follows Java's SendMessageProcessor. What it does
// not know (a new topic, a retry topic, a header that the scan refuses) it leaves to main: the outcome is then an escalation.

import type { Prng } from '../base/prng.js';
import {
  MULTI_TAGS_FLAG,
  TRANSACTION_NOT_TYPE,
  transactionType,
} from '../message/message-sys-flag.js';
import { AppendRequest } from '../store/commitlog/commit-log.js';
import type { AppendLog } from '../store/commitlog/refusing-log.js';
import { PutMessageStatus } from '../store/put-message.js';
import { FrameWriter } from './frame-writer.js';
import { FieldNames, HeaderScan } from './header-scan.js';
import {
  type InternalTopics,
  isDelayable,
  rewriteDelayed,
  rewriteHalf,
  wholeProperties,
} from './internal-topics.js';
import { putOutcome } from './put-outcome.js';
import { SendProperties } from './send-properties.js';
import { type TableReplicas, type TopicRow, topicConfigText } from './table-replicas.js';

/** What became of a frame. Escalations are the indexes of EscalationReasons plus ESCALATE. */
export const SendOutcome = { REPLY: 0, NO_REPLY: 1, ESCALATE: 2 } as const;
const ESCALATE_TOPIC = SendOutcome.ESCALATE;
const ESCALATE_RETRY = SendOutcome.ESCALATE + 2;
const ESCALATE_OTHER = SendOutcome.ESCALATE + 3;

const F = {
  topic: 0,
  queueId: 1,
  sysFlag: 2,
  bornTimestamp: 3,
  flag: 4,
  properties: 5,
  reconsumeTimes: 6,
  batch: 7,
} as const;

const FIELD_NAMES = new FieldNames([
  ['b', 'topic'],
  ['e', 'queueId'],
  ['f', 'sysFlag'],
  ['g', 'bornTimestamp'],
  ['h', 'flag'],
  ['i', 'properties'],
  ['j', 'reconsumeTimes'],
  ['m', 'batch'],
]);

const REPLY_ROOM_BYTES = 4096;
const MESSAGE_ID_BYTES = 33;
/** The least that one item of a batch body takes. */
const BATCH_ITEM_MIN_BYTES = 22;

export interface SendProcessorOptions {
  readonly clusterName: string;
  readonly regionId: string;
  readonly traceOn: boolean;
  readonly brokerIp: string;
  /** Store address and port in hex: the fixed part of every offset message id. */
  readonly messageIdPrefix: string;
  readonly maxMessageSize: number;
  readonly rejectTransactionMessage: boolean;
  readonly startAcceptSendRequestTimeStamp: number;
  readonly internalTopics: InternalTopics;
  readonly diskText: () => string;
  readonly prng: Prng;
}

export class SendMessageProcessor {
  /** Of the last REPLY: the frame's size; for an append that succeeded also the end of its record and whether it waits. */
  replySize = 0;
  wroteEnd = 0;
  wantsWait = false;
  readonly #scan = new HeaderScan(FIELD_NAMES);
  readonly #writer = new FrameWriter();
  readonly #properties: SendProperties;
  readonly #request = new AppendRequest();
  readonly #v4 = Buffer.alloc(4);
  readonly #v6 = Buffer.alloc(16);
  readonly #tables: TableReplicas;
  readonly #commitLog: AppendLog;
  readonly #options: SendProcessorOptions;
  readonly #traceOn: string;
  readonly #onePosition = [0];

  constructor(commitLog: AppendLog, tables: TableReplicas, options: SendProcessorOptions) {
    this.#commitLog = commitLog;
    this.#tables = tables;
    this.#options = options;
    this.#traceOn = String(options.traceOn);
    this.#properties = new SendProperties(options.clusterName);
  }

  /** Room that the reply to a frame of this size may need. */
  replyRoom(frameLength: number): number {
    return REPLY_ROOM_BYTES + Math.ceil(frameLength / BATCH_ITEM_MIN_BYTES) * MESSAGE_ID_BYTES;
  }

  /** Who sent the frame that process() is about to see. */
  setOrigin(memory: Buffer, addressAt: number, isIpv6: boolean, port: number): void {
    const address = isIpv6 ? this.#v6 : this.#v4;
    for (let i = 0; i < address.length; i++) address[i] = memory[addressAt + i]!;
    this.#request.bornHost = address;
    this.#request.bornPort = port;
  }

  /**
   * @param seen the frame has been escalated before: what is still unknown is refused now.
   * @param nowMs wall clock of this batch.
   * @returns a SendOutcome; for REPLY the frame stands at replyStart of target.
   */
  process(
    frame: Buffer,
    start: number,
    lengthBytes: number,
    seen: boolean,
    nowMs: number,
    target: Buffer,
    replyStart: number,
  ): number {
    const scan = this.#scan;
    if (!scan.scan(frame, start, lengthBytes) || (scan.flag & 1) !== 0 || !scan.has(F.topic)) {
      return ESCALATE_OTHER;
    }
    const topicBytes = scan.fieldBuffer(F.topic);
    const row = this.#tables.topics.get(
      topicBytes,
      scan.fieldStart(F.topic),
      scan.fieldEnd(F.topic),
    );
    if (row === undefined) return seen ? ESCALATE_OTHER : ESCALATE_TOPIC;
    const batch = scan.isTrue(F.batch);
    if (row.retry && !batch) return ESCALATE_RETRY;

    const queueId = scan.integer(F.queueId);
    const sysFlag = scan.integer(F.sysFlag);
    const bornTimestamp = scan.integer(F.bornTimestamp);
    const flag = scan.integer(F.flag);
    if (Number.isNaN(queueId + sysFlag + bornTimestamp + flag)) {
      return ESCALATE_OTHER;
    }
    const refusal = this.#refusal(row, queueId, nowMs);
    if (refusal !== null)
      return this.#reply(target, replyStart, refusal.code, refusal.remark(this.#origin()));

    const request = this.#request;
    const chosenQueue = queueId < 0 ? this.#options.prng.nextInt(row.writeQueueNums) : queueId;
    request.topic = row.topic;
    request.queueId = chosenQueue;
    request.flag = flag | 0;
    request.sysFlag = row.multiTag ? sysFlag | MULTI_TAGS_FLAG : sysFlag;
    request.bornTimestamp = bornTimestamp;
    request.reconsumeTimes = scan.has(F.reconsumeTimes) ? scan.integer(F.reconsumeTimes) | 0 : 0;
    request.preparedTransactionOffset = 0;
    request.body = frame;
    request.bodyStart = scan.bodyStart;
    request.bodyLength = scan.bodyLength;
    return batch
      ? this.#putBatch(row, chosenQueue, target, replyStart)
      : this.#putOne(row, chosenQueue, target, replyStart);
  }

  /** Answers a frame that has waited too long for its turn (Java's BrokerFastFailure); nothing is stored. */
  turnAway(
    frame: Buffer,
    start: number,
    lengthBytes: number,
    waitedMs: number,
    target: Buffer,
    replyStart: number,
  ): number {
    if (!this.#scan.scan(frame, start, lengthBytes)) return ESCALATE_OTHER;
    return this.#reply(
      target,
      replyStart,
      2,
      `[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: ${waitedMs}ms, size of queue: 0`,
    );
  }

  #origin(): string {
    const host = this.#request.bornHost;
    const port = this.#request.bornPort;
    if (host.length === 4) return `${host[0]}.${host[1]}.${host[2]}.${host[3]}:${port}`;
    const groups: string[] = [];
    for (let i = 0; i < 16; i += 2) groups.push(((host[i]! << 8) | host[i + 1]!).toString(16));
    return `${groups.join(':')}:${port}`;
  }

  #refusal(
    row: TopicRow,
    queueId: number,
    nowMs: number,
  ): { code: number; remark: (origin: string) => string } | null {
    const options = this.#options;
    if (nowMs < options.startAcceptSendRequestTimeStamp) {
      const until = new Date(options.startAcceptSendRequestTimeStamp).toISOString();
      return { code: 1, remark: () => `broker unable to service, until ${until}` };
    }
    if ((this.#tables.brokerPermission & 2) === 0) {
      return {
        code: 16,
        remark: () => `the broker[${options.brokerIp}] sending message is forbidden`,
      };
    }
    if (row.sendForbidden) {
      return { code: 16, remark: () => `Sending message to topic[${row.topic}] is forbidden.` };
    }
    if (queueId >= Math.max(row.writeQueueNums, row.readQueueNums)) {
      return {
        code: 1,
        remark: (origin) =>
          `request queueId[${queueId}] is illegal, ${topicConfigText(row.config!)} Producer: ${origin}`,
      };
    }
    return null;
  }

  #putOne(row: TopicRow, queueId: number, target: Buffer, replyStart: number): number {
    const properties = this.#readProperties(false);
    const request = this.#request;
    if (properties.transactional) {
      if (this.#options.rejectTransactionMessage) {
        return this.#reply(
          target,
          replyStart,
          16,
          `the broker[${this.#options.brokerIp}] sending transaction message is forbidden`,
        );
      }
      rewriteHalf(request, this.#fullProperties());
    } else if (properties.delayLevel > 0 && isDelayable(request.sysFlag)) {
      rewriteDelayed(
        request,
        properties.delayLevel,
        this.#fullProperties(),
        this.#options.internalTopics,
      );
    }
    const status = this.#commitLog.append(request);
    if (status !== PutMessageStatus.PUT_OK) return this.#failed(status, target, replyStart);
    row.putCount++;
    row.putBytes += this.#commitLog.lastWroteEnd - this.#commitLog.lastPhysicalOffset;
    this.#onePosition[0] = this.#commitLog.lastPhysicalOffset;
    return this.#stored(queueId, this.#onePosition, 1, target, replyStart);
  }

  #putBatch(row: TopicRow, queueId: number, target: Buffer, replyStart: number): number {
    const properties = this.#readProperties(true);
    const request = this.#request;
    const tooLarge = request.bodyLength > this.#options.maxMessageSize;
    if (
      tooLarge ||
      properties.delayLevel > 0 ||
      transactionType(request.sysFlag) !== TRANSACTION_NOT_TYPE
    ) {
      return this.#failed(PutMessageStatus.MESSAGE_ILLEGAL, target, replyStart);
    }
    const status = this.#commitLog.appendBatch(request);
    if (status !== PutMessageStatus.PUT_OK) return this.#failed(status, target, replyStart);
    const positions = this.#commitLog.batchPhysicalOffsets;
    const count = this.#commitLog.batchCount;
    row.putCount += count;
    row.putBytes += this.#commitLog.lastWroteEnd - positions[0]!;
    return this.#stored(queueId, positions, count, target, replyStart);
  }

  /** Leaves the text to store in the request. */
  #readProperties(keepWait: boolean): SendProperties {
    const scan = this.#scan;
    const properties = this.#properties;
    const start = scan.fieldStart(F.properties);
    if (start < 0) properties.read(this.#v4, 0, 0, keepWait);
    else
      properties.read(scan.fieldBuffer(F.properties), start, scan.fieldEnd(F.properties), keepWait);
    const request = this.#request;
    request.properties = properties.bytes;
    request.propertiesStart = 0;
    request.propertiesLength = properties.length;
    this.wantsWait = properties.waitStoreMsgOk;
    return properties;
  }

  /** The client's whole text with CLUSTER, for the messages whose text is rebuilt from all of it (WAIT stays). */
  #fullProperties(): string {
    return wholeProperties(this.#scan.text(F.properties) ?? '', this.#options.clusterName);
  }

  #stored(
    queueId: number,
    positions: ArrayLike<number>,
    count: number,
    target: Buffer,
    replyStart: number,
  ): number {
    this.wroteEnd = this.#commitLog.lastWroteEnd;
    const scan = this.#scan;
    if ((scan.flag & 2) !== 0) return SendOutcome.NO_REPLY;
    const writer = this.#writer;
    const json = scan.serializeType === 0;
    writer.begin(target, replyStart, scan.serializeType, 0, scan.opaque, '');
    if (json) {
      writer.integerField('queueId', queueId);
      this.#writeTrace();
      writer.messageIdsField('msgId', this.#options.messageIdPrefix, positions, count);
      writer.integerField('queueOffset', this.#commitLog.lastQueueOffset);
    } else {
      writer.messageIdsField('msgId', this.#options.messageIdPrefix, positions, count);
      writer.integerField('queueId', queueId);
      writer.integerField('queueOffset', this.#commitLog.lastQueueOffset);
      this.#writeTrace();
    }
    this.replySize = writer.end(scan.opaque, '', 0);
    return SendOutcome.REPLY;
  }

  #writeTrace(): void {
    this.#writer.textField('TRACE_ON', this.#traceOn);
    this.#writer.textField('MSG_REGION', this.#options.regionId);
  }

  #failed(status: PutMessageStatus, target: Buffer, replyStart: number): number {
    const outcome = putOutcome(status, this.#options.maxMessageSize, this.#options.diskText);
    return this.#reply(target, replyStart, outcome.code, outcome.remark ?? '');
  }

  /** A refusal: nothing was stored and nothing is waited for. */
  #reply(target: Buffer, replyStart: number, code: number, remark: string): number {
    const scan = this.#scan;
    this.wantsWait = false;
    this.wroteEnd = 0;
    if ((scan.flag & 2) !== 0) return SendOutcome.NO_REPLY;
    this.#writer.begin(target, replyStart, scan.serializeType, code, scan.opaque, remark);
    this.#writeTrace();
    this.replySize = this.#writer.end(scan.opaque, remark, 0);
    return SendOutcome.REPLY;
  }
}
