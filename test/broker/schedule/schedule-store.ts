// A store in memory with queues of delayed messages, whose puts can be held back or refused; and a service on top of it that
// takes its turns when a test says so.

import { ManualClock } from '../../../src/base/clock.js';
import { ScheduleMessageService } from '../../../src/broker/schedule/schedule-message-service.js';
import { BrokerStatsManager } from '../../../src/broker/stats/broker-stats-manager.js';
import { encodeProperties } from '../../../src/message/message-properties.js';
import { SCHEDULE_TOPIC } from '../../../src/message/topic-validator.js';
import type {
  MessageToPut,
  PutMessageResult,
  ScheduledLimit,
  ScheduledMessages,
} from '../../../src/store/message-store.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { exampleRecord } from '../../support/example-record.js';
import { FakeStore } from '../fake-store.js';

interface Scheduled {
  readonly deliverTimestamp: number;
  readonly record: Buffer | null;
}

export class ScheduleStore extends FakeStore {
  readonly clock: ManualClock;
  readonly scheduled = new Map<number, Scheduled[]>();
  readonly minScheduled = new Map<number, number>();
  /** Bodies in the order in which they were handed to the store. */
  readonly asked: string[] = [];
  /** What a put of that body becomes; PUT_OK for those that are not in it. */
  readonly refusals = new Map<string, PutMessageStatus>();
  reads = 0;
  looks = 0;
  inFlight = 0;
  mostInFlight = 0;
  /** While true, puts are answered by release(). */
  holdsPuts = false;
  flushed: number | null = null;
  dispatched: number | null = null;
  #waiting: (() => void)[] = [];
  #appended = 0;

  constructor(clock: ManualClock) {
    super(clock);
    this.clock = clock;
  }

  /** A message that the log got now, or one that its timestamp says it got then. */
  schedule(level: number, delayMs: number, body: string, more: Partial<ScheduledMore> = {}): void {
    const storeTimestamp = more.storeTimestamp ?? this.clock.nowMs();
    const properties = new Map([
      ['TAGS', 'tag'],
      ['DELAY', String(level)],
      ['WAIT', 'true'],
      ['REAL_TOPIC', more.topic ?? 'T'],
      ['REAL_QID', String(more.queueId ?? 3)],
    ]);
    const record = exampleRecord({
      topic: SCHEDULE_TOPIC,
      queueId: level - 1,
      storeTimestamp,
      body: Buffer.from(body),
      propertiesText: encodeProperties(properties),
    });
    const isDamaged = more.isDamaged ?? false;
    this.#queueOf(level).push({
      deliverTimestamp: storeTimestamp + delayMs,
      record: isDamaged ? null : record,
    });
    this.#appended++;
  }

  delivered(): string[] {
    return this.all.map((it) => String(it.message.body));
  }

  release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const answer of waiting) answer();
  }

  override put(message: MessageToPut): Promise<PutMessageResult> {
    const body = String(message.body);
    this.asked.push(body);
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    const run = (): Promise<PutMessageResult> => {
      this.inFlight--;
      const status = this.refusals.get(body) ?? PutMessageStatus.PUT_OK;
      if (status === PutMessageStatus.PUT_OK) return super.put(message);
      const nothing = { msgId: '', queueOffset: 0, physicalOffset: 0, storeTimestamp: 0 };
      return Promise.resolve({ status, ...nothing, wroteEnd: 0 });
    };
    if (!this.holdsPuts) return Promise.resolve().then(run);
    return new Promise((resolve) => this.#waiting.push(() => resolve(run())));
  }

  override async scheduledMessages(
    _topic?: string,
    queueId = 0,
    startOffset = 0,
    limit: ScheduledLimit = { dueMs: 0, delayMs: 0, maxCount: 0, maxBytes: 0 },
  ): Promise<ScheduledMessages> {
    this.reads++;
    const queue = this.#queueOf(queueId + 1);
    const minOffset = this.minScheduled.get(queueId + 1) ?? 0;
    const bounds = { minOffset, maxOffset: queue.length };
    const rest = startOffset < minOffset ? [] : queue.slice(startOffset);
    let count = rest.findIndex((it) => it.deliverTimestamp > limit.dueMs);
    if (count < 0) count = rest.length;
    count = Math.min(count, limit.maxCount);
    const due = rest.slice(0, count);
    return {
      ...bounds,
      deliverTimestamps: due.map((it) => it.deliverTimestamp),
      records: due.map((it) => it.record),
      nextDeliverTimestamp: rest[count]?.deliverTimestamp ?? -1,
    };
  }

  override async maxOffsetsInQueues(
    _topic: string,
    queueCount: number,
  ): Promise<readonly number[]> {
    this.looks++;
    return Array.from({ length: queueCount }, (_, id) => this.#queueOf(id + 1).length);
  }

  override maxPhysicalOffset(): number {
    return super.maxPhysicalOffset() + this.#appended * 100;
  }

  override flushedPhysicalOffset(): number {
    return this.flushed ?? this.maxPhysicalOffset();
  }

  override dispatchedPhysicalOffset(): number {
    return this.dispatched ?? this.maxPhysicalOffset();
  }

  #queueOf(level: number): Scheduled[] {
    let queue = this.scheduled.get(level);
    if (queue === undefined) {
      queue = [];
      this.scheduled.set(level, queue);
    }
    return queue;
  }
}

interface ScheduledMore {
  readonly topic: string;
  readonly queueId: number;
  readonly storeTimestamp: number;
  readonly isDamaged: boolean;
}

export interface TestSchedule {
  readonly service: ScheduleMessageService;
  readonly store: ScheduleStore;
  readonly clock: ManualClock;
  readonly stats: BrokerStatsManager;
  /** Texts that were saved, the last one last. */
  readonly saved: string[];
  /** Turns until nothing more happens at this time. */
  settle(): Promise<void>;
  /** Moves time in steps, with turns in between. */
  pass(ms: number, stepMs?: number): Promise<void>;
}

export interface TestScheduleOptions {
  readonly path?: string;
  readonly levels?: string;
  readonly maxPending?: number;
  readonly store?: ScheduleStore;
  readonly writeFile?: (path: string, text: string) => Promise<void>;
}

export function testSchedule(options: TestScheduleOptions = {}): TestSchedule {
  const store = options.store ?? new ScheduleStore(new ManualClock());
  const { clock } = store;
  const stats = new BrokerStatsManager(clock, 'C');
  const saved: string[] = [];
  const service = new ScheduleMessageService({
    path: options.path ?? '/nowhere/delayOffset.json',
    config: {
      messageDelayLevel: options.levels ?? '1s 5s 1h',
      scheduleAsyncDeliverMaxPendingLimit: options.maxPending ?? 2000,
      enableScheduleMessageStats: true,
    },
    clock,
    store,
    stats,
    writeFile: options.writeFile ?? (async (_path, text) => void saved.push(text)),
  });
  const settle = async () => {
    for (let i = 0; i < 12; i++) {
      service.turn();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  const pass = async (ms: number, stepMs = 50) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(Math.min(stepMs, ms - passed));
      await settle();
    }
  };
  return { service, store, clock, stats, saved, settle, pass };
}

/** The offsets of a saved text. */
export function offsetsOf(text: string | undefined): Record<string, number> {
  const pairs = (text ?? '').matchAll(/(\d+):(-?\d+)/g);
  return Object.fromEntries([...pairs].map(([, level, offset]) => [level, Number(offset)]));
}
