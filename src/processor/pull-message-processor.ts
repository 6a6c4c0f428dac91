// Room: processor. Hot (bench/41-pull); runs in the dispatch worker. Answers PULL_MESSAGE (11) from ConsumeQueue and log: checks,
// filter, the four offsets, the records copied once, from the mapped file into the ring. Follows Java's PullMessageProcessor.
// A pull that finds nothing and may wait is held (PullRequestHoldService); what is unknown here goes back to main.

import type { GetMessage, Residency } from '../store/get/get-message.js';
import type { MessageFilter } from '../store/get/message-filter.js';
import { RecordCollector } from '../store/get/record-collector.js';
import type { ConsumerFilterReplicas } from './consumer-filter-replicas.js';
import { FrameWriter } from './frame-writer.js';
import { HeaderScan } from './header-scan.js';
import { PullField as F, PULL_FIELDS } from './pull-fields.js';
import { pullResponse } from './pull-response.js';
import { PullStats } from './pull-stats.js';
import { PullRefusal, PullSubscription } from './pull-subscription.js';
import type { GroupConfigRow, TableReplicas, TopicRow } from './table-replicas.js';

/** What became of a frame. Escalations are the indexes of EscalationReasons plus ESCALATE. */
export const PullOutcome = {
  REPLY: 0,
  NO_REPLY: 1,
  HOLD: 2,
  NO_ROOM: 3,
  /** The records lie on disk: coldOffset says where. */
  COLD: 4,
  ESCALATE: 5,
} as const;
const ESCALATE_GROUP = PullOutcome.ESCALATE + 1;
const ESCALATE_OTHER = PullOutcome.ESCALATE + 3;

const FAQ = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';
const HEADER_ROOM_BYTES = 2048;
/** What a remark shows of names that the peer chose; each character may take six bytes in JSON. */
const MAX_REMARK_CHARS = 1024;
const MAX_BYTES_PER_CHAR = 6;

const COMMIT_OFFSET_FLAG = 1;
const SUSPEND_FLAG = 2;

/** Where the reply goes; claim() is asked before anything is written. */
export interface ReplyTarget {
  readonly bytes: Buffer;
  readonly frameAt: number;
  claim(frameBytes: number): boolean;
}

export interface PullProcessorOptions {
  readonly brokerIp: string;
  readonly brokerId: number;
  readonly isSlave: boolean;
  readonly offsetCheckInSlave: boolean;
  readonly slaveReadEnable: boolean;
  readonly longPollingEnable: boolean;
  readonly shortPollingTimeMills: number;
  readonly enablePropertyFilter: boolean;
  readonly onCommitOffset: (
    group: string,
    topic: string,
    queueId: number,
    queueOffset: number,
  ) => void;
}

export interface OffsetMoved {
  readonly group: string;
  readonly topic: string;
  readonly queueId: number;
  readonly requested: number;
  readonly next: number;
}

export class PullMessageProcessor {
  /** Of the last REPLY: the frame's size. */
  replySize = 0;
  /** Of the last HOLD: what is waited for, and how long at most. */
  heldTopic = '';
  heldQueueId = 0;
  heldOffset = 0;
  heldForMs = 0;
  heldFilter: MessageFilter | null = null;
  /** Of the last REPLY: the reader was sent elsewhere in its queue; null otherwise. */
  offsetMoved: OffsetMoved | null = null;
  /** Asked about records far behind the log's end; null serves them, however long the disk takes. */
  residency: Residency | null = null;
  readonly stats = new PullStats();
  readonly #scan = new HeaderScan(PULL_FIELDS);
  readonly #writer = new FrameWriter();
  readonly #records = new RecordCollector();
  readonly #subscription: PullSubscription;
  readonly #tables: TableReplicas;
  readonly #getMessage: GetMessage;
  readonly #options: PullProcessorOptions;

  constructor(
    getMessage: GetMessage,
    tables: TableReplicas,
    filters: ConsumerFilterReplicas,
    options: PullProcessorOptions,
  ) {
    this.#getMessage = getMessage;
    this.#tables = tables;
    this.#options = options;
    this.#subscription = new PullSubscription(tables, filters, options.enablePropertyFilter);
  }

  /**
   * @param maySuspend false when a held pull is asked again: it is answered now, whatever there is.
   * @param remoteAddress asked for only when a remark names it.
   */
  process(
    frame: Buffer,
    start: number,
    lengthBytes: number,
    maySuspend: boolean,
    remoteAddress: () => string,
    target: ReplyTarget,
  ): number {
    const scan = this.#scan;
    this.offsetMoved = null;
    if (!scan.scan(frame, start, lengthBytes) || (scan.flag & 1) !== 0 || !this.#isComplete()) {
      return ESCALATE_OTHER;
    }
    if ((this.#tables.brokerPermission & 4) === 0) {
      return this.#refuse(
        target,
        16,
        `the broker[${this.#options.brokerIp}] pulling message is forbidden`,
      );
    }
    const group = this.#find(this.#tables.groups, F.consumerGroup);
    if (group === undefined) return ESCALATE_GROUP;
    if (!group.consumeEnable) {
      return this.#refuse(target, 16, `subscription group no permission, ${group.groupName}`);
    }
    const topic = this.#find(this.#tables.topics, F.topic);
    if (topic === undefined) {
      const name = scan.text(F.topic);
      return this.#refuse(target, 17, `topic[${name}] not exist, apply first please! ${FAQ}`);
    }
    if ((topic.perm & 4) === 0) {
      return this.#refuse(target, 16, `the topic[${topic.topic}] pulling message is forbidden`);
    }
    const queueId = scan.integer(F.queueId);
    if (queueId < 0 || queueId >= topic.readQueueNums) {
      return this.#refuse(
        target,
        1,
        `queueId[${queueId}] is illegal, topic:[${topic.topic}] topicConfig.readQueueNums:[${topic.readQueueNums}] consumer:[${remoteAddress()}]`,
      );
    }
    const filter = this.#subscription.filterOf(scan, group, topic);
    if (filter instanceof PullRefusal) return this.#refuse(target, filter.code, filter.remark);
    return this.#pull(group, topic, queueId, filter, maySuspend, target);
  }

  /** Of the last COLD: where in the log the records begin. */
  get coldOffset(): number {
    return this.#getMessage.coldOffset;
  }

  #isComplete(): boolean {
    const scan = this.#scan;
    return (
      scan.has(F.consumerGroup) &&
      scan.has(F.topic) &&
      Number.isInteger(scan.integer(F.queueId)) &&
      Number.isInteger(scan.integer(F.queueOffset)) &&
      Number.isInteger(scan.integer(F.maxMsgNums)) &&
      Number.isInteger(scan.integer(F.sysFlag)) &&
      Number.isInteger(scan.integer(F.commitOffset)) &&
      Number.isInteger(scan.integer(F.suspendTimeoutMillis))
    );
  }

  #find<V>(
    table: { get(bytes: Uint8Array, start: number, end: number): V | undefined },
    field: number,
  ): V | undefined {
    const scan = this.#scan;
    return table.get(scan.fieldBuffer(field), scan.fieldStart(field), scan.fieldEnd(field));
  }

  #pull(
    group: GroupConfigRow,
    topic: TopicRow,
    queueId: number,
    filter: MessageFilter | null,
    maySuspend: boolean,
    target: ReplyTarget,
  ): number {
    const scan = this.#scan;
    const queueOffset = scan.integer(F.queueOffset);
    const get = this.#getMessage;
    this.#records.clear();
    get.get(
      topic.topic,
      queueId,
      queueOffset,
      scan.integer(F.maxMsgNums),
      filter,
      this.#records,
      this.residency,
    );
    if (get.coldOffset >= 0) return PullOutcome.COLD;
    const response = pullResponse(get, queueOffset, this.#options, group);
    const sysFlag = scan.integer(F.sysFlag);
    const hold = response.code === 19 && maySuspend && (sysFlag & SUSPEND_FLAG) !== 0;
    // Told before the reply's room is claimed; a pull that has to come again commits the same offset again.
    if (maySuspend && (sysFlag & COMMIT_OFFSET_FLAG) !== 0 && !this.#options.isSlave) {
      this.#options.onCommitOffset(
        group.groupName,
        topic.topic,
        queueId,
        scan.integer(F.commitOffset),
      );
    }
    if (hold) {
      this.heldTopic = topic.topic;
      this.heldQueueId = queueId;
      this.heldOffset = queueOffset;
      this.heldFilter = filter;
      this.heldForMs = this.#options.longPollingEnable
        ? scan.integer(F.suspendTimeoutMillis)
        : this.#options.shortPollingTimeMills;
      return PullOutcome.HOLD;
    }
    if (!target.claim(HEADER_ROOM_BYTES + get.totalBytes)) return PullOutcome.NO_ROOM;
    if (response.code === 21 && !this.#options.isSlave) {
      this.offsetMoved = {
        group: group.groupName,
        topic: topic.topic,
        queueId,
        requested: queueOffset,
        next: response.nextBeginOffset,
      };
    }
    this.stats.count(group.groupName, topic.topic, queueId, response.code, get);
    return this.#write(
      target,
      response.code,
      response.remark,
      response.suggestWhichBrokerId,
      response.nextBeginOffset,
    );
  }

  #write(
    target: ReplyTarget,
    code: number,
    remark: string,
    suggestWhichBrokerId: number,
    nextBeginOffset: number,
  ): number {
    const scan = this.#scan;
    const get = this.#getMessage;
    const writer = this.#writer;
    writer.begin(target.bytes, target.frameAt, scan.serializeType, code, scan.opaque, remark);
    writer.integerField('suggestWhichBrokerId', suggestWhichBrokerId);
    writer.integerField('nextBeginOffset', nextBeginOffset);
    if (scan.serializeType === 0) {
      writer.integerField('maxOffset', get.maxOffset);
      writer.integerField('minOffset', get.minOffset);
    } else {
      writer.integerField('minOffset', get.minOffset);
      writer.integerField('maxOffset', get.maxOffset);
    }
    const bodyLength = code === 0 ? get.totalBytes : 0;
    this.replySize = writer.end(scan.opaque, remark, bodyLength);
    if (bodyLength > 0) this.#records.copyTo(target.bytes, writer.at);
    return PullOutcome.REPLY;
  }

  /** An answer without the offset fields. */
  #refuse(target: ReplyTarget, code: number, text: string): number {
    const remark = text.length > MAX_REMARK_CHARS ? text.slice(0, MAX_REMARK_CHARS) : text;
    const roomBytes = HEADER_ROOM_BYTES + remark.length * MAX_BYTES_PER_CHAR;
    if (!target.claim(roomBytes)) return PullOutcome.NO_ROOM;
    const scan = this.#scan;
    this.#writer.begin(target.bytes, target.frameAt, scan.serializeType, code, scan.opaque, remark);
    this.replySize = this.#writer.end(scan.opaque, remark, 0);
    return PullOutcome.REPLY;
  }
}
