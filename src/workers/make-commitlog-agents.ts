// Room: workers; runs in the commitlog thread.

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
  const { runningFlags } = links;
  const commitLog = new CommitLog({
    config: store,
    runningFlags,
    cursors: links.cursors,
    clock,
    recovered,
    requestNextFile: (path, sizeBytes) =>
      agent.event({ event: 'allocate', task: { kind: 'allocate', path, sizeBytes } }),
  });
  const processor = new SendMessageProcessor(commitLog, tables, {
    ...broker,
    messageIdPrefix: messageIdPrefix(store.storeHostAddress, store.storeHostPort),
    maxMessageSize: store.maxMessageSize,
    internalTopics,
    diskText: () => diskText(store.storePathRootDir),
    prng: systemPrng,
  });
  const paths = storePaths(store);
  const cleaner = new CleanCommitLogService({
    config: store,
    commitLog,
    runningFlags,
    clock,
    commitLogPaths: paths.commitLogs,
    consumeQueuePath: paths.consumeQueue,
    deleteFile: (path) => agent.event({ event: 'delete', task: { kind: 'delete', path } }),
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
    housekeeping: () => cleaner.run(),
  });
  return [agent];
}

/** Java's three ratios; one folder holds all three here. */
function diskText(path: string): string {
  const { blocks, bfree, bavail } = statfsSync(path);
  const used = blocks - bfree;
  const ratio = (used / Math.max(1, used + bavail)).toFixed(2).padStart(5);
  return `CL: ${ratio} CQ: ${ratio} INDEX: ${ratio}`;
}
