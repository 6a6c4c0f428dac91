// Test support: a small store on disk with all its agents in this thread, and a clock of one's own.

import { ManualClock } from '../../src/base/clock.js';
import { brokerSettingsOf } from '../../src/broker/broker-settings.js';
import { createMessageId } from '../../src/message/message-id.js';
import { defaultStoreConfig, type StoreConfig } from '../../src/store/store-config.js';
import { StoreThreads } from '../../src/workers/store-threads.js';
import { testConfig } from '../broker/fakes.js';

export interface InlineStore {
  readonly threads: StoreThreads;
  readonly clock: ManualClock;
}

export async function inlineStore(
  folder: string,
  changes: Partial<StoreConfig> = {},
  clock = new ManualClock(),
): Promise<InlineStore> {
  const threads = new StoreThreads({
    mode: 'inline',
    store: {
      ...defaultStoreConfig(folder),
      mappedFileSizeCommitLog: 64 * 1024,
      mappedFileSizeConsumeQueue: 6000,
      maxHashSlotNum: 500,
      maxIndexNum: 1000,
      ...changes,
    },
    broker: brokerSettingsOf(testConfig()),
    clock,
    messageId: (offset) => createMessageId(Buffer.from([127, 0, 0, 1]), 10_911, offset),
    handlers: {
      connection: () => undefined,
      restate: (frame) => frame,
      onEscalated: (reason) => {
        throw new Error(`escalated: ${reason}`);
      },
      onEvent: () => {},
      onCommitOffset: () => {},
      onFatal: (reason) => {
        throw new Error(reason);
      },
    },
  });
  await threads.start();
  return { threads, clock };
}
