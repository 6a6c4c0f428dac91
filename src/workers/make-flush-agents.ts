// Room: workers; runs in the flush thread.

import type { Clock } from '../base/clock.js';
import type { Agent } from '../ring/agent.js';
import { FlushAgent } from '../store/flush/flush-agent.js';
import { LogFiles } from '../store/mapped/log-files.js';
import { StoreCheckpoint } from '../store/store-checkpoint.js';
import { storePaths } from '../store/store-paths.js';
import type { BrokerLinks } from './thread-plan.js';
import type { WorkerSettings } from './worker-settings.js';

export function makeFlushAgents(
  settings: WorkerSettings,
  links: BrokerLinks,
  clock: Clock,
): readonly Agent[] {
  const { store } = settings;
  const logFiles = new LogFiles(store);
  const followsFlush = store.flushDiskType === 'SYNC_FLUSH';
  return [
    new FlushAgent({
      config: store,
      cursors: links.cursors,
      clock,
      checkpoint: new StoreCheckpoint(storePaths(store).checkpoint),
      openRegion: (fileFromOffset) => logFiles.openDurably(fileFromOffset),
      onFlushed: () => {
        links.wakes.main.wake();
        if (followsFlush) links.wakes.dispatch.wake();
      },
    }),
  ];
}
