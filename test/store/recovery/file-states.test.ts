// R8 in unit size: every odd state of a file, for the first, a middle and the last file of the log, of a queue and of the index, after
// a clean stop and after a crash. The store opens with everything in it, or refuses with one sentence that names the file.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { isCometError } from '../../../src/base/errors.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { FILE_STATES, type FileState, makeOdd } from '../../support/odd-file.js';
import { newFolder, removeFolders } from '../golden-store.js';
import {
  close,
  contentOf,
  messages,
  readAll,
  type StoredMessage,
  settle,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

const FOLDERS = ['commitlog', 'consumequeue/T/0', 'consumequeue/Q/0', 'index'];
const PLACES = ['first', 'middle', 'last'] as const;
const MESSAGES = 300;

type Place = (typeof PLACES)[number];

const cases = (['clean', 'crash'] as const).flatMap((stop) =>
  FOLDERS.flatMap((folder) =>
    PLACES.flatMap((place) => FILE_STATES.map((state) => ({ stop, folder, place, state }))),
  ),
);

describe('a store with an odd file', () => {
  it.each(cases)(
    '$state: $place of $folder after a $stop stop',
    ({ stop, folder, place, state }) => {
      const root = newFolder();
      const stored = makeStore(root, stop);
      const path = damage(root, folder, place, state);
      const config = smallConfig(root);
      let opened: ReturnType<typeof openStore>;
      try {
        opened = openStore(config, new ManualClock());
      } catch (error) {
        expect(isCometError(error, 'STORE_DAMAGED')).toBe(true);
        expect(folder).toBe('commitlog');
        expect(['missing', 'empty', 'half', 'longer']).toContain(state);
        expect((error as Error).message).toContain(path);
        return;
      }
      const isExpectedLoss = folder === 'commitlog' && state === 'missing' && place === 'first';
      if (!isExpectedLoss) {
        const expected = contentOf(stored);
        const found = readAll(root, opened, Object.keys(expected.byKey));
        expect(found).toEqual(expected);
        expect(opened.state.queueOffsets.get('T-0')).toBe((MESSAGES * 4) / 10);
      } else {
        // After a crash nothing tells a lost first file from one that was due to go. It is said aloud.
        expect(stop).toBe('crash');
        expect(opened.state.minOffset).toBeGreaterThan(0);
      }
      close(opened);
      if (state === 'foreign' || state === 'subdirectory') expect(existsSync(path)).toBe(true);
    },
  );
});

function makeStore(root: string, stop: 'clean' | 'crash'): StoredMessage[] {
  const stored = writeLog(root, messages(MESSAGES));
  settle(root, stop);
  expect(readdirSync(join(root, 'commitlog')).length).toBeGreaterThanOrEqual(6);
  expect(readdirSync(join(root, 'consumequeue/T/0')).length).toBeGreaterThanOrEqual(6);
  expect(readdirSync(join(root, 'consumequeue/Q/0')).length).toBe(3);
  expect(readdirSync(join(root, 'index')).length).toBeGreaterThanOrEqual(6);
  return stored;
}

/** Makes the damage; the path that it is about. */
function damage(root: string, folder: string, place: Place, state: FileState): string {
  const names = readdirSync(join(root, folder)).sort();
  const at = { first: 0, middle: names.length >> 1, last: names.length - 1 }[place];
  const path = join(root, folder, names[at] ?? '');
  return makeOdd(path, state);
}
