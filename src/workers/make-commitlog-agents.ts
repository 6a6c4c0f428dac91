// Room: workers; runs in the commitlog thread, and ownedLog() in the ha thread of a slave.

import { statfsSync } from 'node:fs';
import type { Clock } from '../base/clock.js';
import { systemPrng } from '../base/prng.js';
import { internalTopicsOf } from '../processor/internal-topics.js';
import { messageIdPrefix } from '../processor/message-id-prefix.js';
import { SendMessageProcessor } from '../processor/send-message-processor.js';
import { TableReplicas } from '../processor/table-replicas.js';
import type { Agent } from '../ring/agent.js';
import { CleanCommitLogService } from '../store/clean/clean-commit-log-service.js';
import { CommitLog } from '../store/commitlog/commit-log.js';
import { type AppendLog, RefusingLog } from '../store/commitlog/refusing-log.js';
import type { RecoveredState } from '../store/recovery/recover-store.js';
import { storePaths } from '../store/store-paths.js';
import { CommitLogAgent } from './commit-log-agent.js';
import type { BrokerLinks } from './thread-plan.js';
import type { WorkerSettings } from './worker-settings.js';

export function makeCommitLogAgents(
  settings: WorkerSettings,
  recovered: RecoveredState,
  links: BrokerLinks,
  clock: Clock,
): readonly Agent[] {
  const { store, broker } = settings;
  const tables = new TableReplicas();
  const internalTopics = internalTopicsOf(store.messageDelayLevel);
  const tellMain = (event: object): void => agent.event(event);
  const { commitLog, housekeeping } =
    store.brokerRole === 'SLAVE'
      ? { commitLog: refusingLog(tellMain), housekeeping: () => {} }
      : ownedLog(settings, recovered, links, clock, tellMain);
  const processor = new SendMessageProcessor(commitLog, tables, {
    ...broker,
    messageIdPrefix: messageIdPrefix(store.storeHostAddress, store.storeHostPort),
    maxMessageSize: store.maxMessageSize,
    internalTopics,
    diskText: () => diskText(store.storePathRootDir),
    prng: systemPrng,
  });
  const agent: CommitLogAgent = new CommitLogAgent({
    links,
    commitLog,
    processor,
    tables,
    clock,
    internalTopics,
    syncFlush: store.flushDiskType === 'SYNC_FLUSH',
    syncReplication: store.brokerRole === 'SYNC_MASTER',
    waitTimeMillsInSendQueue: broker.waitTimeMillsInSendQueue,
    housekeeping,
  });
  return [agent];
}

/** A slave's log belongs to the ha thread (make-ha-agents.ts). */
function refusingLog(tellMain: (event: object) => void): AppendLog {
  return new RefusingLog(() => tellMain({ event: 'deleteExpired' }));
}

interface OwnedLog {
  readonly commitLog: CommitLog;
  /** Expiry of files; to be called about once a second. */
  readonly housekeeping: () => void;
}

/** The log in the hands of the one thread that appends to it. */
export function ownedLog(
  { store }: WorkerSettings,
  recovered: RecoveredState,
  { cursors, runningFlags }: BrokerLinks,
  clock: Clock,
  tellMain: (event: object) => void,
): OwnedLog {
  const commitLog = new CommitLog({
    config: store,
    runningFlags,
    cursors,
    clock,
    recovered,
    requestNextFile: (path, sizeBytes) =>
      tellMain({ event: 'allocate', task: { kind: 'allocate', path, sizeBytes } }),
  });
  const paths = storePaths(store);
  const cleaner = new CleanCommitLogService({
    config: store,
    commitLog,
    runningFlags,
    clock,
    commitLogPaths: paths.commitLogs,
    consumeQueuePath: paths.consumeQueue,
    deleteFile: (path) => tellMain({ event: 'delete', task: { kind: 'delete', path } }),
  });
  return { commitLog, housekeeping: () => cleaner.run() };
}

/** Java's three ratios; one folder holds all three here. */
function diskText(path: string): string {
  const { blocks, bfree, bavail } = statfsSync(path);
  const used = blocks - bfree;
  const ratio = (used / Math.max(1, used + bavail)).toFixed(2).padStart(5);
  return `CL: ${ratio} CQ: ${ratio} INDEX: ${ratio}`;
}
