// Room: processor. Hot (bench/41-pull); runs in the dispatch worker. Answers PULL_MESSAGE (11) from ConsumeQueue and log: checks,
// tag filter, the four offsets, the records copied once, from the mapped file into the ring. Follows Java's PullMessageProcessor.
// A pull that finds nothing and may wait is held (PullRequestHoldService); what is unknown here goes back to main.

import type { GetMessage } from '../store/get/get-message.js';
import type { MessageFilter } from '../store/get/message-filter.js';
import { FrameWriter } from './frame-writer.js';
import { HeaderScan } from './header-scan.js';
import { PullField as F, PULL_FIELDS } from './pull-fields.js';
import { isTagExpression, parseTags, SubscriptionFilters, tagFilter } from './pull-filter.js';
import { pullResponse } from './pull-response.js';
import { PullStats } from './pull-stats.js';
import { RecordCollector } from './record-collector.js';
import type { GroupConfigRow, SubscriptionRow, TableReplicas, TopicRow } from './table-replicas.js';

/** What became of a frame. Escalations are the indexes of EscalationReasons plus ESCALATE. */
export const PullOutcome = { REPLY: 0, NO_REPLY: 1, HOLD: 2, NO_ROOM: 3, ESCALATE: 4 } as const;
const ESCALATE_GROUP = PullOutcome.ESCALATE + 1;
const ESCALATE_OTHER = PullOutcome.ESCALATE + 3;

const FAQ = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';
const HEADER_ROOM_BYTES = 2048;

const COMMIT_OFFSET_FLAG = 1;
const SUSPEND_FLAG = 2;
const SUBSCRIPTION_FLAG = 4;

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
  readonly stats = new PullStats();
  readonly #scan = new HeaderScan(PULL_FIELDS);
  readonly #writer = new FrameWriter();
  readonly #filters = new SubscriptionFilters();
  readonly #records = new RecordCollector();
  readonly #tables: TableReplicas;
  readonly #getMessage: GetMessage;
  readonly #options: PullProcessorOptions;

  constructor(getMessage: GetMessage, tables: TableReplicas, options: PullProcessorOptions) {
    this.#getMessage = getMessage;
    this.#tables = tables;
    this.#options = options;
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
    const filter = this.#filterOf(group, topic, target);
    if (filter === undefined) return PullOutcome.REPLY;
    if (filter === NO_ROOM) return PullOutcome.NO_ROOM;
    return this.#pull(group, topic, queueId, filter as MessageFilter | null, maySuspend, target);
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

  /** The filter of this pull; undefined when a refusal has been written, NO_ROOM when there was no room for one. */
  #filterOf(
    group: GroupConfigRow,
    topic: TopicRow,
    target: ReplyTarget,
  ): MessageFilter | null | undefined | typeof NO_ROOM {
    const scan = this.#scan;
    const refuse = (code: number, remark: string): undefined | typeof NO_ROOM =>
      this.#refuse(target, code, remark) === PullOutcome.NO_ROOM ? NO_ROOM : undefined;
    if ((scan.integer(F.sysFlag) & SUBSCRIPTION_FLAG) !== 0) {
      if (isTagExpression(scan.text(F.expressionType)))
        return tagFilter(parseTags(scan.text(F.subscription)));
      return refuse(1, sqlRefusal(scan.text(F.expressionType)));
    }
    const consumers = this.#tables.consumers.get(group.groupName);
    if (consumers === undefined) return refuse(24, `the consumer's group info not exist${FAQ}`);
    if (!group.consumeBroadcastEnable && consumers.messageModel === 'BROADCASTING') {
      return refuse(16, `the consumer group[${group.groupName}] can not consume by broadcast way`);
    }
    const subscription = consumers.subscriptions.find((row) => row.topic === topic.topic);
    if (subscription === undefined)
      return refuse(24, `the consumer's subscription not exist${FAQ}`);
    if (subscription.subVersion < scan.integer(F.subVersion)) {
      return refuse(25, "the consumer's subscription not latest");
    }
    return this.#subscriptionFilter(subscription, refuse);
  }

  #subscriptionFilter(
    subscription: SubscriptionRow,
    refuse: (code: number, remark: string) => undefined | typeof NO_ROOM,
  ): MessageFilter | null | undefined | typeof NO_ROOM {
    if (!isTagExpression(subscription.expressionType))
      return refuse(1, sqlRefusal(subscription.expressionType));
    return this.#filters.of(subscription);
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
    get.get(topic.topic, queueId, queueOffset, scan.integer(F.maxMsgNums), filter, this.#records);
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
  #refuse(target: ReplyTarget, code: number, remark: string): number {
    if (!target.claim(HEADER_ROOM_BYTES)) return PullOutcome.NO_ROOM;
    const scan = this.#scan;
    this.#writer.begin(target.bytes, target.frameAt, scan.serializeType, code, scan.opaque, remark);
    this.replySize = this.#writer.end(scan.opaque, remark, 0);
    return PullOutcome.REPLY;
  }
}

const NO_ROOM = Symbol('no room');

function sqlRefusal(expressionType: string | null): string {
  return `The broker does not support consumer to filter message by ${expressionType}`;
}
