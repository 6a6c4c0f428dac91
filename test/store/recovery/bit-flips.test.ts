// R7 in unit size: single bits flipped anywhere in the log, in queues, in the index, in checkpoint and summary. Never a crash, never a
// wrong body; a flip in the log costs at most the one record; flips in derived files cost nothing. A failure prints the flip.

import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { seededPrng } from '../../../src/base/prng.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { newFolder, removeFolder, removeFolders } from '../golden-store.js';
import {
  type Content,
  close,
  contentOf,
  messages,
  patch,
  readAll,
  type StoredMessage,
  settle,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

const MESSAGES = 250;
const SEED = 20_261_201;

interface Flip {
  readonly path: string;
  readonly position: number;
  readonly bit: number;
}

describe.each(['clean', 'crash'] as const)('one flipped bit after a %s stop', (stop) => {
  const root = newFolder();
  let stored: StoredMessage[] = [];

  it('in the log costs at most its record', () => {
    stored = writeLog(root, messages(MESSAGES));
    settle(root, stop);
    const expected = contentOf(stored);
    const used = (path: string) => usedBytes(path, 0);
    for (const flip of flips('commitlog', 150, used)) {
      const { found, damaged } = openFlipped(flip, []);
      const [lost, wrong] = compare(found, expected);
      expect({ flip, wrong, isWithinBound: lost <= 1 }).toEqual({
        flip,
        wrong: [],
        isWithinBound: true,
      });
      if (lost > 0) expect([flip, damaged > 0]).toEqual([flip, true]);
    }
  });

  it('in a queue costs nothing', () => {
    const expected = contentOf(stored);
    const used = (path: string) => usedBytes(path, 20);
    for (const flip of [
      ...flips('consumequeue/T/0', 60, used),
      ...flips('consumequeue/Q/0', 60, used),
    ]) {
      const { found } = openFlipped(flip, []);
      expect({ flip, queues: found.queues }).toEqual({ flip, queues: expected.queues });
    }
  });

  it('in the index costs nothing', () => {
    const expected = contentOf(stored);
    const keys = Object.keys(expected.byKey);
    for (const flip of flips('index', 100, (path) => statSync(path).size)) {
      const { found } = openFlipped(flip, keys);
      expect({ flip, byKey: found.byKey }).toEqual({ flip, byKey: expected.byKey });
    }
  });

  it('in checkpoint or summary costs nothing', () => {
    const expected = contentOf(stored);
    const files = ['checkpoint', 'storeSummary.json'];
    for (const file of files) {
      const size = file === 'checkpoint' ? 24 : statSync(join(root, file)).size;
      for (const flip of flipsOf(file, size, 30)) {
        const copy = flipped(flip);
        let opened: ReturnType<typeof openStore>;
        try {
          opened = openStore(smallConfig(copy), new ManualClock());
        } catch (error) {
          // A summary that says there was more log than there is can't be told from a lost file.
          expect(String(error)).toContain('storeSummary.json');
          removeFolder(copy);
          continue;
        }
        expect(readAll(copy, opened, []).queues).toEqual(expected.queues);
        close(opened);
        removeFolder(copy);
      }
    }
  });

  function flips(folder: string, count: number, sizeOf: (path: string) => number): Flip[] {
    const names = readdirSync(join(root, folder)).sort();
    return names.flatMap((name) => {
      const path = join(folder, name);
      return flipsOf(path, sizeOf(join(root, path)), Math.ceil(count / names.length));
    });
  }

  function flipped(flip: Flip): string {
    const copy = newFolder();
    cpSync(root, copy, { recursive: true });
    const path = join(copy, flip.path);
    const byte = readFileSync(path)[flip.position] ?? 0;
    patch(path, flip.position, Uint8Array.of(byte ^ (1 << flip.bit)));
    return copy;
  }

  function openFlipped(flip: Flip, keys: readonly string[]): { found: Content; damaged: number } {
    const copy = flipped(flip);
    try {
      const opened = openStore(smallConfig(copy), new ManualClock());
      const found = readAll(copy, opened, keys);
      const damaged = opened.state.damagedRecords + found.damagedReads;
      close(opened);
      return { found, damaged };
    } catch (error) {
      throw new Error(`flip ${JSON.stringify(flip)}`, { cause: error });
    } finally {
      removeFolder(copy);
    }
  }
});

/** Records that are not served where they were, and bodies that are served where they were not. */
function compare(found: Content, expected: Content): [number, string[]] {
  let lost = 0;
  const wrong: string[] = [];
  const bodies = new Set(Object.values(expected.queues).flat());
  for (const [queue, offsets] of Object.entries(expected.queues)) {
    for (const [i, body] of offsets.entries()) if (found.queues[queue]?.[i] !== body) lost++;
  }
  for (const [queue, offsets] of Object.entries(found.queues)) {
    for (const body of offsets) {
      if (body !== null && !bodies.has(body)) wrong.push(`${queue}: ${body}`);
    }
  }
  return [lost, wrong];
}

function flipsOf(path: string, size: number, count: number): Flip[] {
  const prng = seededPrng(SEED);
  return Array.from({ length: count }, () => ({
    path,
    position: prng.nextInt(size),
    bit: prng.nextInt(8),
  }));
}

/** Bytes of a file up to its last one that is not zero. */
function usedBytes(path: string, roundTo: number): number {
  const bytes = readFileSync(path);
  let end = bytes.length;
  while (end > 1 && bytes[end - 1] === 0) end--;
  return roundTo === 0 ? end : Math.ceil(end / roundTo) * roundTo;
}
