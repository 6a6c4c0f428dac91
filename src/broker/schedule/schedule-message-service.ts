// Room: broker, main thread. Delivers delayed messages when their time has come (storage.md 18; Java's ScheduleMessageService).
// Owns one LevelDelivery for each entry of messageDelayLevel and the table of their offsets. Masters only: a slave loads the
// table, for who asks, and delivers nothing.
//
// Time is the monotonic clock's: a timer that is set for the next message, and a look every 100 ms for new ones, asked of no
// thread while nothing was appended. Always holds: no delivery begins before the saved offsets were held against the queues.

import type { Clock } from '../../base/clock.js';
import type { BrokerConfig } from '../../base/config.js';
import { getLogger } from '../../base/logger.js';
import { type DelayLevelTable, parseDelayLevels } from '../../message/delay-level-table.js';
import { SCHEDULE_TOPIC } from '../../message/topic-validator.js';
import type { MessageStore } from '../../store/message-store.js';
import type { WriteFile } from '../persisted-table.js';
import type { BrokerStatsManager } from '../stats/broker-stats-manager.js';
import { DelayOffsetTable } from './delay-offset-table.js';
import { LevelDelivery, type TurnBudget } from './level-delivery.js';

const log = getLogger('broker.schedule');

const LOOK_PERIOD_MS = 100;
/** Between two of which the loop turns, so that a burst that is due stalls nobody. */
const PUTS_PER_TURN = 128;
const CATCH_UP_PERIOD_MS = 10;
const STOP_TIMEOUT_MS = 5_000;
/** Who counts as the consumer of the schedule topic in the statistics. */
const SCHEDULE_CONSUMER = 'SCHEDULE_CONSUMER';

export interface ScheduleMessageServiceOptions {
  /** config/delayOffset.json */
  readonly path: string;
  readonly config: Pick<
    BrokerConfig,
    'messageDelayLevel' | 'scheduleAsyncDeliverMaxPendingLimit' | 'enableScheduleMessageStats'
  >;
  readonly clock: Clock;
  readonly store: MessageStore;
  readonly stats: BrokerStatsManager;
  readonly writeFile?: WriteFile;
}

export class ScheduleMessageService {
  readonly #options: ScheduleMessageServiceOptions;
  readonly #levels: DelayLevelTable;
  readonly #offsets: DelayOffsetTable;
  readonly #budget: TurnBudget = { puts: 0 };
  #deliveries: LevelDelivery[] = [];
  /** Which level goes first in a turn, so that a burst in one does not starve the others. */
  #firstIndex = 0;
  #isStopped = false;
  #isLooking = false;
  #lookDueMs = 0;
  /** How far queue entries had come at the last look. */
  #lookedAt = -1;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;

  /** Throws CONFIG_INVALID when messageDelayLevel is none. */
  constructor(options: ScheduleMessageServiceOptions) {
    const { path, config, store, writeFile } = options;
    this.#options = options;
    this.#levels = parseDelayLevels(config.messageDelayLevel);
    this.#offsets = new DelayOffsetTable(path, () => store.flushedPhysicalOffset(), writeFile);
  }

  /** See DelayOffsetTable.load. */
  load(acceptEmpty = false): void {
    this.#offsets.load(acceptEmpty);
  }

  /** Next offset by level. */
  get delayOffsets(): ReadonlyMap<number, number> {
    return this.#offsets.offsets;
  }

  get isPersistHealthy(): boolean {
    return this.#offsets.isPersistHealthy;
  }

  /** Begins to deliver; resolves when it has begun, which waits for the queues to hold all that the log holds. */
  async start(): Promise<void> {
    if (!(await this.#queuesAreComplete())) return;
    const { clock } = this.#options;
    const wallOffsetMs = clock.nowMs() - clock.monotonicMs();
    const deliveries: LevelDelivery[] = [];
    for (let level = 1; level <= this.#levels.maxLevel; level++) {
      deliveries.push(await this.#startLevel(level, wallOffsetMs));
    }
    if (this.#isStopped) return;
    this.#deliveries = deliveries;
    this.requestSave();
    this.turn();
  }

  /** One round over all levels; the timer calls it, and tests do. */
  turn(): void {
    if (this.#isStopped) return;
    const nowMs = this.#options.clock.monotonicMs();
    this.#look(nowMs);
    this.#budget.puts = PUTS_PER_TURN;
    const count = this.#deliveries.length;
    for (let i = 0; i < count; i++) this.#deliveries[(this.#firstIndex + i) % count]?.turn(nowMs);
    this.#firstIndex = (this.#firstIndex + 1) % Math.max(1, count);
    this.#saveInBackground();
    this.#arm();
  }

  /** For the periodic save: happens in one of the next turns, when what was delivered is on disk. */
  requestSave(): void {
    this.#offsets.requestSave();
  }

  /** Begins nothing any more and waits for the puts under way; while the store still runs. */
  async stopDelivering(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + STOP_TIMEOUT_MS;
    while (this.#deliveries.some((it) => !it.isQuiet) && clock.monotonicMs() < endMs) await pause();
    for (const delivery of this.#deliveries) delivery.settle();
  }

  /** After the store has flushed its last byte, so that the file may tell of the last deliveries. Rejects with FILE_IO. */
  async shutdown(): Promise<void> {
    await this.stopDelivering();
    await this.#offsets.saveIfDurable();
    this.requestSave();
    await this.#offsets.saveIfDurable();
  }

  /** False when the service was stopped meanwhile. */
  async #queuesAreComplete(): Promise<boolean> {
    const { store } = this.#options;
    const logEnd = store.maxPhysicalOffset();
    while (!this.#isStopped && store.dispatchedPhysicalOffset() < logEnd) await pause();
    return !this.#isStopped;
  }

  /** A saved offset that is outside of its queue is put right, and saved so (bug report 14). */
  async #startLevel(level: number, wallOffsetMs: number): Promise<LevelDelivery> {
    const { store, clock, config } = this.#options;
    const delayMs = this.#levels.delayMs(level);
    const nothing = { dueMs: 0, delayMs, maxCount: 0, maxBytes: 0 };
    const saved = this.#offsets.offsets.get(level);
    const queue = await store.scheduledMessages(SCHEDULE_TOPIC, level - 1, saved ?? 0, nothing);
    const startOffset = Math.min(Math.max(saved ?? 0, queue.minOffset), queue.maxOffset);
    if (saved !== undefined && saved !== startOffset) {
      log.error('a saved delay offset is outside of its queue', { level, saved, startOffset });
      this.#offsets.set(level, startOffset, 0);
    }
    return new LevelDelivery({
      level,
      delayMs,
      startOffset,
      maxOffset: queue.maxOffset,
      store,
      clock,
      wallOffsetMs,
      maxPending: config.scheduleAsyncDeliverMaxPendingLimit,
      budget: this.#budget,
      onProgress: (nextOffset, wroteEnd) => this.#offsets.set(level, nextOffset, wroteEnd),
      onDelivered: (count, sizeBytes) => this.#count(level, count, sizeBytes),
      wake: () => this.#turnSoon(),
    });
  }

  /** Asks for the ends of all queues, unless nothing can have come into them since the last time. */
  #look(nowMs: number): void {
    if (nowMs < this.#lookDueMs) return;
    this.#lookDueMs = nowMs + LOOK_PERIOD_MS;
    if (this.#isLooking) return;
    const { store } = this.#options;
    const logEnd = store.maxPhysicalOffset();
    const dispatched = store.dispatchedPhysicalOffset();
    const isComplete = dispatched >= logEnd;
    if (dispatched === this.#lookedAt) {
      for (const delivery of this.#deliveries) delivery.looked(0, nowMs, isComplete);
      return;
    }
    this.#isLooking = true;
    store.maxOffsetsInQueues(SCHEDULE_TOPIC, this.#levels.maxLevel).then(
      (maxOffsets) => {
        this.#isLooking = false;
        this.#lookedAt = dispatched;
        for (const [i, maxOffset] of maxOffsets.entries()) {
          this.#deliveries[i]?.looked(maxOffset, nowMs, isComplete);
        }
        this.#turnSoon();
      },
      (error: unknown) => {
        this.#isLooking = false;
        log.warn('the schedule queues can not be looked at', { err: error });
      },
    );
  }

  #count(level: number, count: number, sizeBytes: number): void {
    const { config, stats } = this.#options;
    if (!config.enableScheduleMessageStats) return;
    stats.addGet(SCHEDULE_CONSUMER, SCHEDULE_TOPIC, level - 1, count, sizeBytes, count);
  }

  #saveInBackground(): void {
    this.#offsets.saveIfDurable().catch((error: unknown) => {
      log.error('delayOffset.json was not saved', { err: error });
    });
  }

  #turnSoon(): void {
    if (this.#isStopped || this.#immediate !== null) return;
    this.#immediate = setImmediate(() => {
      this.#immediate = null;
      this.turn();
    });
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    let nextMs = this.#lookDueMs;
    for (const delivery of this.#deliveries) nextMs = Math.min(nextMs, delivery.nextTurnMs());
    const waitMs = nextMs - this.#options.clock.monotonicMs();
    if (waitMs <= 0) {
      this.#turnSoon();
      return;
    }
    this.#timer = setTimeout(() => this.turn(), Math.ceil(waitMs));
    this.#timer.unref();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, CATCH_UP_PERIOD_MS));
}
