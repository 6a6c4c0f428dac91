// The cases of recovery.json for a queue of one file are in recovery-variants.test.ts; here those over several files, and the edges.

import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { offsetByTime, storeTimestampInQueue } from '../../../src/store/get/offset-by-time.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import { goldenJson } from '../../golden-data.js';
import { newFolder, removeFolders, storeConfig, unpack } from '../golden-store.js';
import { FIRST_STORE_TIME, message, smallConfig, writeLog } from '../small-store.js';

afterAll(removeFolders);

const T = FIRST_STORE_TIME;

/** A queue of entries 10 ms apart, 20 a file, whose files were changed when their last record was stored. */
function setup(count = 50) {
  const root = newFolder();
  const config = smallConfig(root);
  writeLog(
    root,
    Array.from({ length: count }, (_, i) => message(i, 'T', 0)),
  );
  const { table } = openStore(config, new ManualClock());
  const log = new RecoveryLog(config);
  log.load();
  const queue = table.findOrCreate('T', 0);
  const mtime = (path: string) => T + (Number(path.slice(-20)) / 20 + 19) * 10;
  const find = (time: number) => offsetByTime(queue, log, time, mtime);
  return { queue, log, find };
}

describe('offsetByTime', () => {
  const { queue, log, find } = setup();

  it.each([
    ['before the first message', T - 1, 0],
    ['at a message', T + 170, 17],
    ['nearer to the one before', T + 174, 17],
    ['as near to both: the one before', T + 175, 17],
    ['nearer to the one behind', T + 176, 18],
    ['at the first message of a file', T + 200, 20],
    ['at the last message of a file', T + 190, 19],
    ['between two files: only the younger one is looked at', T + 191, 20],
    ['after the last message: the last, not the end', T + 10_000, 49],
  ])('%s', (_name, time, offset) => {
    expect(find(time)).toBe(offset);
  });

  it('answers 0 for a queue without entries', () => {
    expect(offsetByTime(setup(0).queue, log, T)).toBe(0);
  });

  it('passes over entries whose records are gone', () => {
    const made = setup();
    const second = made.log.files[1]?.fileFromOffset ?? 0;
    made.log.files.shift();
    const offset = made.find(T + 400);
    made.queue.locate(offset);
    expect(made.queue.buffer.readUInt32BE(made.queue.position + 4)).toBeGreaterThanOrEqual(second);
  });

  it('answers what was left of a file of which nothing is to be searched', () => {
    const made = setup(5);
    made.queue.minLogicOffset = 5 * 20;
    // Nothing is probed: (0 - 1) / 20 with truncation, as in Java.
    expect(made.find(T + 20)).toBe(-0);
  });

  it('tells the store time of an entry, and -1 where there is none', () => {
    expect(storeTimestampInQueue(queue, log, 17)).toBe(T + 170);
    expect(storeTimestampInQueue(queue, log, 50)).toBe(-1);
  });
});

describe('the golden queue over four files', () => {
  it('gives what Java gave', () => {
    const { variants } = goldenJson<{
      variants: { name: string; result: { rollByTime: [number, number, number, number][] } }[];
    }>('recovery.json');
    const config = storeConfig(unpack('kill9'));
    const { table } = openStore(config, new ManualClock());
    const log = new RecoveryLog(config);
    log.load();
    const queue = table.findOrCreate('GoldenRoll', 0);
    // The archive keeps whole seconds; these are within the bounds that Java's answers leave.
    const changed = [1796133109090, 1796133109240, 1796133109380, 1796133109524];
    const mtime = (path: string) => changed[Number(path.slice(-20)) / 6_000] ?? 0;
    for (const [i, time, at, behind] of variants[0]?.result.rollByTime ?? []) {
      expect(storeTimestampInQueue(queue, log, i)).toBe(time);
      expect([i, offsetByTime(queue, log, time, mtime)]).toEqual([i, at]);
      expect([i, offsetByTime(queue, log, time + 1, mtime)]).toEqual([i, behind]);
    }
    table.close();
    log.close();
  });
});
