// Room: workers; runs on main. Starts a worker thread and watches over it. A store thread that dies takes the process with it: its
// part of the state is gone, so nothing may be acknowledged any more.

import { Worker } from 'node:worker_threads';
import { cometError, ErrorCatalogue, type ErrorCode } from '../base/errors.js';
import type { RecoveredState } from '../store/recovery/recover-store.js';
import type { ThreadName } from './thread-plan.js';
import type { ToHaMessage, WorkerMessage, WorkerSettings } from './worker-settings.js';

export interface SpawnedWorker {
  readonly name: ThreadName;
  /** Rejects with what the thread says when it cannot start. The dispatch worker brings what it recovered. */
  readonly ready: Promise<RecoveredState | null>;
  readonly stopped: Promise<void>;
  /** Only the ha thread listens. */
  post(message: ToHaMessage): void;
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
  onEvent: (event: object) => void,
): SpawnedWorker {
  const worker = new Worker(entry(name), { workerData: settings, name: `cometmq-${name}` });
  let phase: 'starting' | 'running' | 'stopped' = 'starting';
  let cause = '';
  let signalStopped = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    signalStopped = resolve;
  });
  const ready = new Promise<RecoveredState | null>((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') {
        phase = 'running';
        resolve(message.recovered);
      } else if (message.type === 'event') {
        onEvent(message.event);
      } else {
        phase = 'stopped';
        if (message.type === 'failed') reject(startError(message.code, message.detail));
      }
    });
    worker.on('exit', (code) => {
      const reason = cause === '' ? `exit code ${code}` : cause;
      if (phase === 'starting') reject(new Error(`the ${name} thread did not start: ${reason}`));
      if (phase === 'running') onDeath(name, reason);
      phase = 'stopped';
      signalStopped();
    });
  });
  worker.on('error', (error) => {
    cause = error.stack ?? String(error);
  });
  return { name, ready, stopped, post: (message) => worker.postMessage(message) };
}

function startError(code: string | null, detail: string): Error {
  return code !== null && code in ErrorCatalogue
    ? cometError(code as ErrorCode, detail)
    : new Error(detail);
}
