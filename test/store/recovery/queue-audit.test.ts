// Queues that lost their beginning before any summary told of them; what the summary tells is tested in recovery-variants.test.ts.

import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { readSummary, summaryPath } from '../../../src/store/recovery/store-summary.js';
import { newFolder, removeFolders } from '../golden-store.js';
import {
  close,
  contentOf,
  message,
  readAll,
  type StoredMessage,
  settle,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

/** A store with its queues and, when asked for, a checkpoint so young that recovery walks little of the log. */
function makeStore(root: string, walksLittle: boolean): StoredMessage[] {
  const quiet = Array.from({ length: 100 }, (_, i) => message(i, 'T', 0));
  const busy = Array.from({ length: 300 }, (_, i) => message(1000 + i, 'T', 1));
  const stored = writeLog(root, [...quiet, ...busy]);
  settle(root, walksLittle ? 'clean' : 'crash');
  unlinkSync(summaryPath(root));
  return stored;
}

describe('a queue without its first file and without a summary', () => {
  it.each([
    ['all of the log is walked', false],
    ['the walk meets none of its records', true],
  ])('is built anew when %s', (_, walksLittle) => {
    const root = newFolder();
    const stored = makeStore(root, walksLittle);
    const folder = join(root, 'consumequeue/T/0');
    unlinkSync(join(folder, readdirSync(folder).sort()[0] ?? ''));
    const opened = openStore(smallConfig(root), new ManualClock());
    expect(opened.state.rebuiltQueues).toEqual(['T/0']);
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });
});

describe('the summary', () => {
  it('is there from the first start on, so that the first crash has one', () => {
    const root = newFolder();
    close(openStore(smallConfig(root), new ManualClock()));
    expect(readSummary(root)?.logMinOffset).toBe(0);
    writeFileSync(join(root, 'abort'), '');
    writeLog(
      root,
      Array.from({ length: 200 }, (_, i) => message(i)),
    );
    close(openStore(smallConfig(root), new ManualClock()));
    expect(readSummary(root)?.queues.get('T')?.get(0)?.[1]).toBe(100);
  });
});
