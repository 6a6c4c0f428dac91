// The flush thread of 51-group-commit: the broker's FlushAgent in the broker's loop.

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '#dist/base/clock.js';
import { CursorPage } from '#dist/ring/cursor.js';
import { WakeWord } from '#dist/ring/wake-word.js';
import { FlushAgent } from '#dist/store/flush/flush-agent.js';
import { LogFiles } from '#dist/store/mapped/log-files.js';
import type { StoreConfig } from '#dist/store/store-config.js';
import { runAgents } from '#dist/workers/agent-runner.js';

export interface FlushPeerSettings {
  readonly config: StoreConfig;
  readonly cursors: SharedArrayBuffer;
  readonly wake: SharedArrayBuffer;
  readonly stop: SharedArrayBuffer;
}

if (parentPort !== null) {
  const { config, cursors, wake, stop } = workerData as FlushPeerSettings;
  const logFiles = new LogFiles(config);
  const agent = new FlushAgent({
    config,
    cursors: new CursorPage(cursors),
    clock: systemClock,
    checkpoint: { physicMsgTimestamp: 0, write() {}, flush() {}, close() {} },
    openRegion: (fileFromOffset) => logFiles.openDurably(fileFromOffset),
    onFlushed: () => {},
  });
  parentPort.postMessage('ready');
  const stopWord = new Int32Array(stop);
  runAgents([agent], new WakeWord(wake), () => Atomics.load(stopWord, 0) === 1);
  agent.close();
}
