// Room: workers; runs in each worker thread. What the four entry files share: make the agents, run them until main asks the thread's
// stage to stop, close them in order, say so.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.js';
import { systemClock } from '../base/clock.js';
import { isCometError } from '../base/errors.js';
import { runAgents } from './agent-runner.js';
import { type MadeAgents, makeAgents } from './make-agents.js';
import { BrokerLinks, StopStage, type ThreadName } from './thread-plan.js';
import type { WorkerMessage, WorkerSettings } from './worker-settings.js';

export function workerMain(name: ThreadName): void {
  assert(parentPort !== null, 'a worker entry was started outside a worker');
  const port = parentPort;
  const tell = (message: WorkerMessage): void => port.postMessage(message);
  const settings = workerData as WorkerSettings;
  const links = new BrokerLinks(settings.memory);
  let made: MadeAgents;
  try {
    made = makeAgents(name, settings, links, systemClock);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    tell({ type: 'failed', code: isCometError(error) ? error.code : null, detail: error.message });
    return;
  }
  tell({ type: 'ready', recovered: made.recovered });
  runAgents(made.agents, links.wakes[name], () => links.stopStage() >= StopStage[name]);
  for (const agent of made.agents) agent.close();
  tell({ type: 'stopped' });
}
