// Room: workers; runs on main. Starts a worker thread and watches over it. A store thread that dies takes the process with it: its
// part of the state is gone, so nothing may be acknowledged any more (policy of reliability, section 2.6).

import { Worker } from 'node:worker_threads';
import type { ThreadName } from './thread-plan.js';
import type { WorkerMessage, WorkerSettings } from './worker-settings.js';

export interface SpawnedWorker {
  readonly name: ThreadName;
  readonly ready: Promise<void>;
  readonly stopped: Promise<void>;
}

/** From src (tests) as from dist the thread runs the compiled file: Node 20 reads no TypeScript. */
function entry(name: ThreadName): URL {
  const url = new URL(`./${name}-worker.js`, import.meta.url);
  return new URL(url.href.replace(/\/src\/workers\//, '/dist/workers/'));
}

/** @param onDeath called once when the thread ends without having been asked to. */
export function spawnWorker(
  name: ThreadName,
  settings: WorkerSettings,
  onDeath: (name: ThreadName, reason: string) => void,
): SpawnedWorker {
  const worker = new Worker(entry(name), {
    workerData: settings,
    name: `cometmq-${name}`,
    execArgv: process.execArgv.filter((argument) => !argument.startsWith('--require')),
  });
  let stoppedCleanly = false;
  let signalReady = (): void => {};
  let signalStopped = (): void => {};
  const ready = new Promise<void>((resolve) => {
    signalReady = resolve;
  });
  const stopped = new Promise<void>((resolve) => {
    signalStopped = resolve;
  });
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'ready') signalReady();
    else stoppedCleanly = true;
  });
  let cause = '';
  worker.on('error', (error) => {
    cause = error.stack ?? String(error);
  });
  worker.on('exit', (code) => {
    if (!stoppedCleanly) onDeath(name, cause === '' ? `exit code ${code}` : cause);
    signalStopped();
  });
  return { name, ready, stopped };
}
