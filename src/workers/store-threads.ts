// Room: workers; runs on main. The store with all its threads, as one thing that starts and stops: shared memory, the rings' main
// ends, the pump, and either four worker threads (`dedicated`) or the same agents turned by main itself (`inline`).
//
// Stopping goes by stages, so that nothing that was taken in is lost: first who appends, then who makes it durable, last who derives
// queues and index from it. The death of a thread is fatal: onFatal is told, and nothing is acknowledged any more.

import type { Clock } from '../base/clock.js';
import { getLogger } from '../base/logger.js';
import type { Connection } from '../remoting/connection.js';
import type { Agent } from '../ring/agent.js';
import type { PutMessageStatus } from '../store/put-message.js';
import type { RecoveredState } from '../store/recovery/recover-store.js';
import type { StoreConfig } from '../store/store-config.js';
import { StoreCursor } from '../store/store-cursors.js';
import { turn } from './agent-runner.js';
import { CompletionPump } from './completion-pump.js';
import { HandOver } from './hand-over.js';
import { makeAgents } from './make-agents.js';
import { ParkedReplies } from './parked-replies.js';
import { Pool } from './pool.js';
import type { PoolTask, RangeTask } from './pool-tasks.js';
import type { EscalationReason } from './ring-records.js';
import { type SpawnedWorker, spawnWorker } from './spawn.js';
import { StoreClient } from './store-client.js';
import {
  BrokerLinks,
  type BrokerMemory,
  createBrokerMemory,
  LAST_STOP_STAGE,
  stopStageOf,
  type ThreadName,
  ThreadNames,
} from './thread-plan.js';
import type { BrokerSettings, HaAddress, ToHaMessage, WorkerSettings } from './worker-settings.js';

const log = getLogger('store-threads');
const INLINE_TURN_MS = 1;

export interface StoreThreadsHandlers {
  connection(id: number): Connection | undefined;
  restate(frame: Buffer, status: PutMessageStatus): Buffer;
  onEscalated(reason: EscalationReason, connection: Connection, frame: Buffer): void;
  onEvent(event: unknown): void;
  onCommitOffset(
    group: string,
    topic: string,
    queueId: number,
    queueOffset: number,
    connectionId: number,
  ): void;
  /** A thread died or the log can not be written any more: the process must end. */
  onFatal(reason: string): void;
}

export interface StoreThreadsOptions {
  readonly mode: 'inline' | 'dedicated';
  readonly store: StoreConfig;
  readonly broker: BrokerSettings;
  /** Where slaves connect; without it there are none. */
  readonly haListener?: HaAddress;
  readonly clock: Clock;
  readonly messageId: (physicalOffset: number) => string;
  readonly handlers: StoreThreadsHandlers;
}

export class StoreThreads {
  readonly memory: BrokerMemory;
  readonly links: BrokerLinks;
  readonly toCommitlog: HandOver;
  readonly toDispatch: HandOver;
  readonly store: StoreClient;
  readonly pump: CompletionPump;
  readonly #options: StoreThreadsOptions;
  readonly #pool = new Pool();
  #workers: SpawnedWorker[] = [];
  #agents: Agent[] = [];
  #toHa: (message: ToHaMessage) => void = () => {};
  #inlineTimer: NodeJS.Timeout | null = null;
  #fatal = false;

  constructor(options: StoreThreadsOptions) {
    this.#options = options;
    this.memory = createBrokerMemory();
    this.links = new BrokerLinks(this.memory);
    const { clock } = options;
    const nowMs = () => clock.nowMs();
    this.toCommitlog = new HandOver(this.links.mainToCommitlog, this.links.wakes.commitlog, nowMs);
    this.toDispatch = new HandOver(this.links.mainToDispatch, this.links.wakes.dispatch, nowMs);
    this.store = new StoreClient({
      toCommitlog: this.toCommitlog,
      toDispatch: this.toDispatch,
      cursors: this.links.cursors,
      messageId: options.messageId,
      writable: () => !this.#fatal && !this.#storeFailed(),
    });
    this.pump = this.#makePump();
  }

  /** Rejects with STORE_DAMAGED when the store cannot be opened. */
  async start(): Promise<void> {
    const recovered = await this.#startThread('dispatch', null);
    await Promise.all(
      ThreadNames.filter((name) => name !== 'dispatch').map((name) =>
        this.#startThread(name, recovered),
      ),
    );
    if (this.#options.mode === 'inline') {
      this.#inlineTimer = setInterval(() => this.turnInline(), INLINE_TURN_MS);
    }
    this.pump.start();
  }

  /** All agents and the pump until nobody finds work; for inline mode and its tests. */
  turnInline(): void {
    while (turn(this.#agents) + this.pump.turn() > 0);
  }

  /** Stops all threads in their stages. What was taken in is appended, dispatched and flushed. */
  async shutdown(): Promise<void> {
    for (let stage = 1; stage <= LAST_STOP_STAGE; stage++) {
      this.links.requestStop(stage);
      await Promise.all(
        this.#workers
          .filter(({ name }) => this.#stageOf(name) === stage)
          .map((worker) => worker.stopped),
      );
    }
    if (this.#inlineTimer !== null) {
      clearInterval(this.#inlineTimer);
      this.turnInline();
      for (const agent of this.#inStopOrder()) agent.close();
      this.#agents = [];
    }
    this.pump.turn();
    this.pump.stop();
    await this.#pool.close();
  }

  /** True when every record has its queue entry, so that the next start need not look for any. */
  isDispatched(): boolean {
    const { cursors } = this.links;
    return cursors.get(StoreCursor.reputFromOffset) >= cursors.get(StoreCursor.wroteOffset);
  }

  /** A slave learns where its master's HA port is; nothing happens on a master. */
  setHaMaster(haServerAddr: string): void {
    this.#toHa({ type: 'master', haServerAddr });
  }

  #stageOf(name: ThreadName): number {
    return stopStageOf(name, this.#options.store.brokerRole);
  }

  #inStopOrder(): Agent[] {
    const stage = (agent: Agent): number => this.#stageOf(agent.name as ThreadName);
    return [...this.#agents].sort((a, b) => stage(a) - stage(b));
  }

  #storeFailed(): boolean {
    return this.links.cursors.get(StoreCursor.storeFailed) !== 0;
  }

  async #startThread(
    name: ThreadName,
    recovered: RecoveredState | null,
  ): Promise<RecoveredState | null> {
    const { store, broker, mode, clock } = this.#options;
    const haListener = this.#options.haListener ?? null;
    const settings: WorkerSettings = { memory: this.memory, store, broker, recovered, haListener };
    const onEvent = (event: object): void => this.#onEvent(event as StoreEvent);
    if (mode === 'inline') {
      const made = makeAgents(name, settings, this.links, clock, onEvent);
      this.#agents.push(...made.agents);
      await made.loop?.start();
      if (made.loop !== undefined) this.#toHa = made.loop.take;
      return made.recovered;
    }
    const onDeath = (dead: ThreadName, reason: string): void =>
      this.#die(`the ${dead} thread died: ${reason}`);
    const worker = spawnWorker(name, settings, onDeath, onEvent);
    this.#workers.push(worker);
    if (name === 'ha') this.#toHa = worker.post;
    return worker.ready;
  }

  #makePump(): CompletionPump {
    const { clock, store, handlers } = this.#options;
    const { cursors, wakes, commitlogToMain, dispatchToMain } = this.links;
    const parked = new ParkedReplies(
      { syncFlushTimeoutMs: store.syncFlushTimeout, slaveTimeoutMs: store.slaveTimeout },
      {
        flushedWhere: () => cursors.get(StoreCursor.flushedWhere),
        slaveOffset: () => cursors.get(StoreCursor.push2SlaveMaxOffset),
        isSlaveOk: (position) =>
          cursors.get(StoreCursor.slaveCount) > 0 &&
          position - cursors.get(StoreCursor.push2SlaveMaxOffset) < store.haSlaveFallbehindMax,
      },
      () => clock.monotonicMs(),
    );
    return new CompletionPump([commitlogToMain, dispatchToMain], wakes.main, parked, {
      connection: handlers.connection,
      restate: handlers.restate,
      onEscalated: handlers.onEscalated,
      onCommitOffset: handlers.onCommitOffset,
      onPutResult: (record, status) => this.store.onPutResult(record, status),
      onResult: (id, json, bytes) => this.store.onResult(id, json, bytes),
      onEvent: (event) => this.#onEvent(event as StoreEvent),
      storeFailed: () => this.#fatal || this.#storeFailed(),
      afterTurn: () => {
        this.toCommitlog.drain();
        this.toDispatch.drain();
      },
    });
  }

  /** Events that concern the threads themselves; the others go to the control plane. */
  #onEvent(event: StoreEvent): void {
    if (event.event === 'allocate' || event.event === 'delete') {
      this.#pool.run(event.task).catch((error: unknown) => {
        log.warn(`a ${event.event} in the pool failed`, { err: error });
      });
    } else if (event.event === 'range') {
      const { task } = event;
      this.#pool.run(task).then(
        () => this.toDispatch.rangeDone(task.id, true),
        (error: unknown) => {
          log.warn(`a ${task.kind} in the pool failed`, { path: task.path, err: error });
          this.toDispatch.rangeDone(task.id, false);
        },
      );
    } else if (event.event === 'deleteExpired') {
      this.#toHa({ type: 'deleteExpired' });
    } else if (event.event === 'fatal') {
      this.#die(event.reason);
    } else {
      this.#options.handlers.onEvent(event);
    }
  }

  #die(reason: string): void {
    if (this.#fatal) return;
    this.#fatal = true;
    this.links.cursors.set(StoreCursor.storeFailed, 1);
    this.#options.handlers.onFatal(reason);
  }
}

type StoreEvent =
  | { readonly event: 'allocate' | 'delete'; readonly task: PoolTask }
  | { readonly event: 'range'; readonly task: RangeTask }
  | { readonly event: 'fatal'; readonly reason: string }
  /** On a slave, whose log the ha thread owns. */
  | { readonly event: 'deleteExpired' }
  | { readonly event: 'other' };
