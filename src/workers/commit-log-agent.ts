// Room: workers. The commitlog worker's agent: takes frames and puts from main's ring, appends them, and gives the replies back, each
// tagged with what it waits for. The only writer of the log's tail, of queue offsets, and of wroteOffset and flushWanted. Hot.
//
// A reply is claimed in the ring before its frame is touched: when there is no room for it the frame stays where it is.

import type { Clock } from '../base/clock.js';
import { delayLevelOf, type InternalTopics, rewriteDelayed } from '../processor/internal-topics.js';
import { type SendMessageProcessor, SendOutcome } from '../processor/send-message-processor.js';
import type { TableChange, TableReplicas, TopicRow } from '../processor/table-replicas.js';
import type { Agent } from '../ring/agent.js';
import { AppendRequest } from '../store/commitlog/commit-log.js';
import type { AppendLog } from '../store/commitlog/refusing-log.js';
import { PutMessageStatus } from '../store/put-message.js';
import { StoreCursor } from '../store/store-cursors.js';
import { decodePut, encodePutResult } from './put-record.js';
import { ReplyWriter } from './reply-writer.js';
import {
  ORIGIN_BYTES,
  ORIGIN_IPV6,
  ORIGIN_SEEN,
  PUT_RESULT_BYTES,
  ToMain,
  ToWorker,
  WaitFor,
} from './ring-records.js';
import type { BrokerLinks } from './thread-plan.js';

const RECORDS_PER_TURN = 256;
const STATS_INTERVAL_MS = 1000;
const ARRIVAL_MASK = 0x7fff_ffff;

export interface CommitLogAgentOptions {
  readonly links: BrokerLinks;
  readonly commitLog: AppendLog;
  readonly processor: SendMessageProcessor;
  readonly tables: TableReplicas;
  readonly clock: Clock;
  readonly internalTopics: InternalTopics;
  readonly syncFlush: boolean;
  readonly syncReplication: boolean;
  /** Sends older than this are turned away (Java's BrokerFastFailure); 0 turns that off. */
  readonly waitTimeMillsInSendQueue: number;
  /** Work that belongs to the owner of the log and is not urgent (expiry of files). */
  readonly housekeeping: () => void;
}

export class CommitLogAgent implements Agent {
  readonly name = 'commitlog';
  readonly #options: CommitLogAgentOptions;
  readonly #out: ReplyWriter;
  readonly #put = new AppendRequest();
  readonly #waitMode: number;
  #blocked = false;
  #flushWanted = 0;
  #statsDueMs = 0;

  constructor(options: CommitLogAgentOptions) {
    this.#options = options;
    this.#out = new ReplyWriter(options.links.commitlogToMain);
    this.#waitMode =
      (options.syncFlush ? WaitFor.FLUSHED : 0) |
      (options.syncReplication ? WaitFor.REPLICATED : 0);
  }

  doWork(): number {
    const { links, commitLog, clock } = this.#options;
    const ring = links.mainToCommitlog;
    const nowMs = clock.nowMs();
    if (ring.peek() < 0) {
      this.#housekeep();
      return 0;
    }
    commitLog.beginBatch(nowMs);
    this.#blocked = false;
    let records = 0;
    while (records < RECORDS_PER_TURN) {
      const size = ring.peek();
      if (size < 0) break;
      const at = ring.position();
      if (!this.#take(ring.kind(), ring.bytes, at, size, nowMs)) {
        this.#blocked = true;
        break;
      }
      ring.next(size);
      records++;
    }
    this.#publish(records);
    this.#housekeep();
    return records;
  }

  hasWork(): boolean {
    return !this.#blocked && !this.#options.links.mainToCommitlog.isEmpty();
  }

  mayNap(): boolean {
    return false;
  }

  maxSleepMs(): number {
    return this.#blocked ? 1 : 100;
  }

  close(): void {
    this.#options.commitLog.publishWroteOffset();
    this.#options.commitLog.close();
  }

  /** Hands an event to main; it is small and rare, so it may wait for room until the next turn. */
  event(event: unknown): void {
    this.#out.event(event);
    this.#options.links.wakes.main.wake();
  }

  #take(kind: number, bytes: Buffer, at: number, size: number, nowMs: number): boolean {
    switch (kind) {
      case ToWorker.FRAME:
        return this.#takeFrame(bytes, at, size, nowMs);
      case ToWorker.PUT:
        return this.#takePut(bytes, at);
      case ToWorker.TABLE:
        this.#options.tables.apply(
          JSON.parse(bytes.toString('utf8', at, at + size)) as TableChange,
        );
        return true;
      case ToWorker.COMMAND:
        return this.#takeCommand(bytes, at, size);
      default:
        return true;
    }
  }

  #takeFrame(bytes: Buffer, at: number, size: number, nowMs: number): boolean {
    const { processor } = this.#options;
    const out = this.#out;
    const frameLength = size - ORIGIN_BYTES;
    // An escalated frame goes back whole, so there must be room for either answer.
    if (!out.claim(Math.max(processor.replyRoom(frameLength), frameLength))) return false;
    const flags = bytes.readInt32LE(at + 4);
    const connectionId = bytes.readInt32LE(at);
    processor.setOrigin(bytes, at + 16, (flags & ORIGIN_IPV6) !== 0, bytes.readInt32LE(at + 8));
    const limit = this.#options.waitTimeMillsInSendQueue;
    const waitedMs = ((nowMs & ARRIVAL_MASK) - bytes.readInt32LE(at + 12)) & ARRIVAL_MASK;
    const outcome =
      limit > 0 && waitedMs > limit && waitedMs < ARRIVAL_MASK / 2
        ? processor.turnAway(
            bytes,
            at + ORIGIN_BYTES,
            frameLength,
            waitedMs,
            out.bytes,
            out.frameAt,
          )
        : processor.process(
            bytes,
            at + ORIGIN_BYTES,
            frameLength,
            (flags & ORIGIN_SEEN) !== 0,
            nowMs,
            out.bytes,
            out.frameAt,
          );
    if (outcome >= SendOutcome.ESCALATE) {
      out.escalate(
        connectionId,
        outcome - SendOutcome.ESCALATE,
        bytes,
        at + ORIGIN_BYTES,
        frameLength,
      );
      return true;
    }
    const waitFor =
      processor.wantsWait && processor.wroteEnd > 0 ? this.#waitMode : WaitFor.NOTHING;
    if (waitFor !== WaitFor.NOTHING) this.#flushWanted = processor.wroteEnd;
    if (outcome === SendOutcome.REPLY) {
      out.reply(connectionId, waitFor, processor.wroteEnd, processor.replySize);
    }
    return true;
  }

  #takePut(bytes: Buffer, at: number): boolean {
    const { commitLog, internalTopics } = this.#options;
    const target = this.#out.claimRaw(PUT_RESULT_BYTES);
    if (target < 0) return false;
    const request = this.#put;
    request.useOwnStoreHost();
    const put = decodePut(bytes, at, request);
    const delayLevel = put.isDelayServed ? 0 : delayLevelOf(request.sysFlag, put.propertiesText);
    if (delayLevel > 0) rewriteDelayed(request, delayLevel, put.propertiesText, internalTopics);
    const status = commitLog.append(request);
    const stored = status === PutMessageStatus.PUT_OK;
    const waitFor = stored && put.waitStoreMsgOk ? this.#waitMode : WaitFor.NOTHING;
    if (waitFor !== WaitFor.NOTHING) this.#flushWanted = commitLog.lastWroteEnd;
    if (stored) this.#countPut(request);
    encodePutResult(this.#out.bytes, target, {
      requestId: put.requestId,
      status,
      waitFor,
      wroteEnd: stored ? commitLog.lastWroteEnd : 0,
      queueOffset: stored ? commitLog.lastQueueOffset : 0,
      physicalOffset: stored ? commitLog.lastPhysicalOffset : 0,
      storeTimestamp: stored ? commitLog.lastStoreTimestamp : 0,
    });
    this.#out.commitRaw(ToMain.PUT_RESULT, PUT_RESULT_BYTES);
    return true;
  }

  #countPut(request: AppendRequest): void {
    const row = this.#topicRow(request.topic);
    if (row === undefined) return;
    row.putCount++;
    row.putBytes +=
      this.#options.commitLog.lastWroteEnd - this.#options.commitLog.lastPhysicalOffset;
  }

  #topicRow(topic: string): TopicRow | undefined {
    const key = Buffer.from(topic, 'utf8');
    return this.#options.tables.topics.get(key, 0, key.length);
  }

  /** Commands of the control plane to the owner of the log. */
  #takeCommand(bytes: Buffer, at: number, size: number): boolean {
    const command = JSON.parse(bytes.toString('utf8', at + 8, at + size)) as {
      op: string;
      topics?: string[];
    };
    if (!this.#out.result(bytes.readInt32LE(at), {}, null)) return false;
    if (command.op === 'forgetTopics') this.#options.commitLog.forgetTopics(command.topics ?? []);
    else if (command.op === 'deleteExpired') this.#options.commitLog.requestManualDelete();
    return true;
  }

  #publish(records: number): void {
    if (records === 0) return;
    const { links, commitLog } = this.#options;
    links.mainToCommitlog.release();
    commitLog.publishWroteOffset();
    if (this.#flushWanted > 0) {
      links.cursors.set(StoreCursor.flushWanted, this.#flushWanted);
      this.#flushWanted = 0;
      links.wakes.flush.wake();
    }
    links.wakes.dispatch.nudge();
    links.wakes.ha.nudge();
    this.#out.publish();
    links.wakes.main.wake();
  }

  #housekeep(): void {
    const now = this.#options.clock.monotonicMs();
    if (now < this.#statsDueMs) return;
    this.#statsDueMs = now + STATS_INTERVAL_MS;
    this.#options.housekeeping();
    const puts: [string, number, number][] = [];
    for (const row of this.#options.tables.topics.values()) {
      if (row.putCount === 0) continue;
      puts.push([row.topic, row.putCount, row.putBytes]);
      row.putCount = 0;
      row.putBytes = 0;
    }
    if (puts.length > 0) this.event({ event: 'puts', puts });
  }
}
