// Room: workers; runs in each worker thread. What the four entry files share: make the agents, run them until main asks the thread's
// stage to stop, close them in order, say so. A thread with a loop (ha) is not blocked between its turns.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.js';
import { systemClock } from '../base/clock.js';
import { isCometError } from '../base/errors.js';
import type { WakeWord } from '../ring/wake-word.js';
import { runAgents } from './agent-runner.js';
import { LoopRunner } from './loop-runner.js';
import { type MadeAgents, makeAgents } from './make-agents.js';
import { BrokerLinks, stopStageOf, type ThreadName } from './thread-plan.js';
import type { ToHaMessage, WorkerMessage, WorkerSettings } from './worker-settings.js';

export function workerMain(name: ThreadName): void {
  assert(parentPort !== null, 'a worker entry was started outside a worker');
  const port = parentPort;
  const tell = (message: WorkerMessage): void => port.postMessage(message);
  const settings = workerData as WorkerSettings;
  const links = new BrokerLinks(settings.memory);
  const stage = stopStageOf(name, settings.store.brokerRole);
  const shouldStop = () => links.stopStage() >= stage;
  const fail = (error: unknown): void => {
    if (!(error instanceof Error)) throw error;
    tell({ type: 'failed', code: isCometError(error) ? error.code : null, detail: error.message });
  };
  let made: MadeAgents;
  try {
    made = makeAgents(name, settings, links, systemClock, (event) =>
      tell({ type: 'event', event }),
    );
  } catch (error) {
    fail(error);
    return;
  }
  if (made.loop !== undefined) {
    void runOnLoop(made, made.loop, links.wakes[name], shouldStop, tell, fail);
    return;
  }
  tell({ type: 'ready', recovered: made.recovered });
  runAgents(made.agents, links.wakes[name], shouldStop);
  for (const agent of made.agents) agent.close();
  tell({ type: 'stopped' });
}

/** An error of an agent is nobody's promise to handle: it ends the thread. */
async function runOnLoop(
  made: MadeAgents,
  loop: NonNullable<MadeAgents['loop']>,
  wake: WakeWord,
  shouldStop: () => boolean,
  tell: (message: WorkerMessage) => void,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    await loop.start();
  } catch (error) {
    fail(error);
    return;
  }
  const runner = new LoopRunner(made.agents, wake, shouldStop, () => loop.hasNobody());
  loop.setKick(runner.kick);
  const onMessage = (message: ToHaMessage): void => loop.take(message);
  parentPort?.on('message', onMessage);
  tell({ type: 'ready', recovered: made.recovered });
  await runner.run();
  for (const agent of made.agents) agent.close();
  tell({ type: 'stopped' });
  parentPort?.off('message', onMessage);
  parentPort?.unref();
}
