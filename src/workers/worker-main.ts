// Room: workers; runs in each worker thread. What the four entry files share: read the settings, run the agents until main asks the
// thread's stage to stop, close them in order, say so.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.js';
import type { Agent } from '../ring/agent.js';
import { runAgents } from './agent-runner.js';
import { BrokerLinks, StopStage, type ThreadName } from './thread-plan.js';
import type { WorkerMessage, WorkerSettings } from './worker-settings.js';

export function workerMain(
  name: ThreadName,
  makeAgents: (settings: WorkerSettings, links: BrokerLinks) => readonly Agent[],
): void {
  assert(parentPort !== null, 'a worker entry was started outside a worker');
  const port = parentPort;
  const tell = (message: WorkerMessage): void => port.postMessage(message);
  const settings = workerData as WorkerSettings;
  const links = new BrokerLinks(settings.memory);
  const agents = makeAgents(settings, links);
  tell({ type: 'ready' });
  runAgents(agents, links.wakes[name], () => links.stopStage() >= StopStage[name]);
  for (const agent of agents) agent.close();
  tell({ type: 'stopped' });
}
