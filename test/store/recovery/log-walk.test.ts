// R6 in unit size: the last record of a store is cut at every byte of it. The log then ends where that record began, nothing of it is
// served, and its queue offset is given again. bugreports 8 (damaged tail) is among them.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { newFolder, removeFolder, removeFolders } from '../golden-store.js';
import {
  close,
  contentOf,
  LOG_FILE_BYTES,
  logPath,
  message,
  patch,
  readAll,
  type StoredMessage,
  settle,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

/** A store whose last record has a body of the given size, in a folder to copy from. */
function makeStore(
  stop: 'clean' | 'crash',
  bodyBytes: number,
): { root: string; stored: StoredMessage[] } {
  const root = newFolder();
  const items = Array.from({ length: 20 }, (_, i) => message(i));
  const stored = writeLog(root, [...items, message(20, 'T', 0, bodyBytes)]);
  settle(root, stop);
  return { root, stored };
}

describe.each([
  ['clean', 30, 3],
  ['crash', 30, 1],
  ['crash', 4_096, 61],
] as const)('a log torn after a %s stop, body of %i bytes', (stop, bodyBytes, step) => {
  it('ends where the torn record began, wherever it is torn', () => {
    const { root, stored } = makeStore(stop, bodyBytes);
    const last = stored.at(-1)!;
    const whole = readFileSync(
      logPath(root, last.physicalOffset - (last.physicalOffset % LOG_FILE_BYTES)),
    );
    const expected = contentOf(stored.slice(0, -1));
    for (let cut = 0; cut < last.sizeBytes; cut += step) {
      const at = (last.physicalOffset % LOG_FILE_BYTES) + cut;
      const isChanged = whole.subarray(at, at + last.sizeBytes - cut).some((byte) => byte !== 0);
      if (!isChanged) continue;
      const copy = newFolder();
      cpSync(root, copy, { recursive: true });
      patch(
        logPath(copy, last.physicalOffset - (last.physicalOffset % LOG_FILE_BYTES)),
        at,
        Buffer.alloc(last.sizeBytes - cut),
      );
      const opened = openStore(smallConfig(copy), new ManualClock());
      expect([cut, opened.state.maxOffset]).toEqual([cut, last.physicalOffset]);
      expect([cut, opened.state.queueOffsets.get('T-0')]).toEqual([cut, last.queueOffset]);
      expect(readAll(copy, opened, ['k20']).queues).toEqual(expected.queues);
      expect(readAll(copy, opened, ['k20']).byKey).toEqual({ k20: [] });
      close(opened);
      removeFolder(copy);
    }
  });

  it('keeps the last record when nothing is torn', () => {
    const { root, stored } = makeStore(stop, bodyBytes);
    const opened = openStore(smallConfig(root), new ManualClock());
    expect(opened.state.damagedRecords).toBe(0);
    expect(readAll(root, opened, ['k20']).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });
});

describe('the rule for torn properties', () => {
  it('keeps a last record whose properties hold NUL but do not end with it', () => {
    const root = newFolder();
    const odd = { ...message(1), properties: 'a\u0001x\0\0y' };
    const stored = writeLog(root, [message(0), odd]);
    const opened = openStore(smallConfig(root), new ManualClock());
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });

  it('keeps a record whose properties end with NUL when another follows', () => {
    const root = newFolder();
    const odd = { ...message(0), properties: 'a\u0001x\0' };
    const stored = writeLog(root, [odd, message(1)]);
    const opened = openStore(smallConfig(root), new ManualClock());
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });

  it('keeps a last record without properties', () => {
    const root = newFolder();
    const stored = writeLog(root, [message(0), { ...message(1), properties: '' }]);
    const opened = openStore(smallConfig(root), new ManualClock());
    expect(readAll(root, opened, []).queues).toEqual(contentOf(stored).queues);
    close(opened);
  });
});

describe('a log cut by recovery', () => {
  it('holds zero behind its end, so that nothing cut comes back', () => {
    const { root, stored } = makeStore('crash', 100);
    const last = stored.at(-1)!;
    patch(logPath(root, 0), last.physicalOffset + 90, Buffer.alloc(last.sizeBytes - 90));
    close(openStore(smallConfig(root), new ManualClock()));
    const log = readFileSync(logPath(root, 0));
    expect(log.subarray(last.physicalOffset).every((byte) => byte === 0)).toBe(true);
    const queue = readFileSync(join(root, 'consumequeue/T/0', '0'.repeat(20)));
    expect(queue.subarray(last.queueOffset * 20).every((byte) => byte === 0)).toBe(true);
  });
});
