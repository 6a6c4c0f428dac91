// The baseline's far end: what comes by postMessage is sent back, or counted.

import { parentPort } from 'node:worker_threads';

let left = 0;
parentPort?.on('message', (message: Uint8Array | { expect: number }) => {
  if (!(message instanceof Uint8Array)) {
    left = message.expect;
    return;
  }
  if (left === 0) parentPort?.postMessage(message);
  else if (--left === 0) parentPort?.postMessage('all');
});
parentPort?.postMessage('ready');
