// Room: workers. The agents of each thread, made of its settings: in a worker thread by its entry, or all in one thread for `inline`.
// The dispatch worker comes first: it opens and recovers the store, and what it found goes to the others.

import { assert } from '../base/assert.js';
import type { Clock } from '../base/clock.js';
import type { Agent } from '../ring/agent.js';
import type { RecoveredState } from '../store/recovery/recover-store.js';
import { makeCommitLogAgents } from './make-commitlog-agents.js';
import { makeDispatchAgents } from './make-dispatch-agents.js';
import { makeFlushAgents } from './make-flush-agents.js';
import { makeHaAgents } from './make-ha-agents.js';
import type { BrokerLinks, ThreadName } from './thread-plan.js';
import type { ToHaMessage, WorkerSettings } from './worker-settings.js';

export interface MadeAgents {
  readonly agents: readonly Agent[];
  /** The dispatch worker's; null from the others. */
  readonly recovered: RecoveredState | null;
  /** Of the ha thread, which needs the event loop for its sockets (loop-runner.ts). */
  readonly loop?: {
    /** Rejects with CONFIG_INVALID when the port is taken. */
    start(): Promise<void>;
    take(message: ToHaMessage): void;
    setKick(kick: () => void): void;
    hasNobody(): boolean;
  };
}

export function makeAgents(
  name: ThreadName,
  settings: WorkerSettings,
  links: BrokerLinks,
  clock: Clock,
  tellMain: (event: object) => void,
): MadeAgents {
  if (name === 'dispatch') return makeDispatchAgents(settings, links, clock);
  const { recovered } = settings;
  assert(recovered !== null, `the ${name} thread starts after recovery`);
  if (name === 'ha') return makeHaAgents(settings, recovered, links, clock, tellMain);
  const agents =
    name === 'commitlog'
      ? makeCommitLogAgents(settings, recovered, links, clock)
      : makeFlushAgents(settings, links, clock);
  return { agents, recovered: null };
}
