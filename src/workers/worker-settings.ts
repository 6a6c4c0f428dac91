// Room: workers. What a worker thread is told at its start: plain data, so that it crosses to the thread. Nothing in it changes while
// the process lives; what can change travels as TABLE records.

import type { RecoveredState } from '../store/recovery/recover-store.js';
import type { StoreConfig } from '../store/store-config.js';
import type { BrokerMemory } from './thread-plan.js';

export interface BrokerSettings {
  readonly clusterName: string;
  readonly brokerIp: string;
  readonly brokerId: number;
  readonly regionId: string;
  readonly traceOn: boolean;
  readonly rejectTransactionMessage: boolean;
  readonly startAcceptSendRequestTimeStamp: number;
  readonly waitTimeMillsInSendQueue: number;
  readonly longPollingEnable: boolean;
  readonly shortPollingTimeMills: number;
  readonly slaveReadEnable: boolean;
  readonly enablePropertyFilter: boolean;
  readonly enableCalcFilterBitMap: boolean;
  readonly maxErrorRateOfBloomFilter: number;
  readonly expectConsumerNumUseFilter: number;
}

/** Where slaves connect. */
export interface HaAddress {
  readonly host: string;
  readonly port: number;
}

export interface WorkerSettings {
  readonly memory: BrokerMemory;
  readonly store: StoreConfig;
  readonly broker: BrokerSettings;
  /** What the dispatch worker found when it opened the store; null for that worker itself, which starts first. */
  readonly recovered: RecoveredState | null;
  /** Null: no slaves are taken. */
  readonly haListener: HaAddress | null;
}

/** What main tells the ha thread of a slave; it has an event loop, so these come by postMessage. */
export type ToHaMessage =
  | { readonly type: 'master'; readonly haServerAddr: string }
  | { readonly type: 'deleteExpired' };

/** What a worker says to its parent, apart from what goes through the rings. */
export type WorkerMessage =
  | { readonly type: 'ready'; readonly recovered: RecoveredState | null }
  /** It could not start: a code of the error catalogue when it was one of those. */
  | { readonly type: 'failed'; readonly code: string | null; readonly detail: string }
  /** As the events of the rings, from the ha thread, which has none. */
  | { readonly type: 'event'; readonly event: object }
  | { readonly type: 'stopped' };
