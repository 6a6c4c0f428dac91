// Room: store. Any thread. Where things lie in a store folder (storage.md 1). All names are Java's but for those it does not know:
// storeSummary.json (recovery/store-summary) and quarantine/ (recovery/recovery-log).

import { join } from 'node:path';
import { type CommitLogPaths, commitLogDirectories } from './recovery/recovery-log.js';

export interface StorePaths {
  readonly root: string;
  /** One folder, or several with multi-path; the first takes new files unless multi-path spreads them. */
  readonly commitLogs: readonly string[];
  readonly consumeQueue: string;
  readonly consumeQueueExt: string;
  readonly index: string;
  readonly config: string;
  readonly checkpoint: string;
  readonly abort: string;
  readonly lock: string;
}

export function storePaths(config: CommitLogPaths): StorePaths {
  const root = config.storePathRootDir;
  return {
    root,
    commitLogs: commitLogDirectories(config),
    consumeQueue: join(root, 'consumequeue'),
    consumeQueueExt: join(root, 'consumequeue_ext'),
    index: join(root, 'index'),
    config: join(root, 'config'),
    checkpoint: checkpointPath(root),
    abort: join(root, 'abort'),
    lock: join(root, 'lock'),
  };
}

export function checkpointPath(root: string): string {
  return join(root, 'checkpoint');
}
