// R8: odd files in a store that our broker wrote: missing, 0 bytes, half, longer, a foreign name, a subdirectory; first, middle and last file of
// the log, of a queue and of the index, and the file that the log has made ahead of need. A broker either starts within 5 s and has
// everything in the ledger, or it refuses with one sentence that names the file, and has everything once the file is put back.
// R8_STOPS is the stops before the damage, of crash and clean. Mutant: drop-odd-files, see README.md.

import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededPrng } from '../../src/base/prng.js';
import { BrokerProcess } from '../support/broker-process.js';
import { FILE_STATES, type FileState, makeOdd } from '../support/odd-file.js';
import { check } from './checker.js';
import { Ledger } from './ledger.js';
import {
  connected,
  copyOf,
  LOG_FILE_BYTES,
  type MadeStore,
  makeStore,
  removeDirectory,
  STORE_PROPERTIES,
  type Stop,
  sendTo,
  TOPIC,
  testPort,
} from './made-store.js';
import { seedOfRun, sizeOf } from './sizes.js';

const STOPS = (process.env['R8_STOPS'] ?? 'crash').split(',') as Stop[];
const START_LIMIT_MS = sizeOf('R8_START_MS', 5000);
const FOLDERS = ['commitlog', `consumequeue/${TOPIC}/0`, 'index'];
const PLACES = ['first', 'middle', 'last'] as const;
const MESSAGES = 400;
const CASE_LIMIT_MS = 60_000;

type Place = (typeof PLACES)[number] | 'next';

const CASES = [
  ...FOLDERS.flatMap((folder) =>
    PLACES.flatMap((place) => FILE_STATES.map((state) => ({ folder, place, state }))),
  ),
  ...FILE_STATES.map((state) => ({ folder: 'commitlog', place: 'next' as const, state })),
];

const seed = seedOfRun();
const prng = seededPrng(seed);

describe.each(STOPS)('after a %s stop', (stop) => {
  let made: MadeStore;

  beforeAll(async () => {
    const sizes = Array.from({ length: MESSAGES }, () => 200 + prng.nextInt(50_000));
    made = await makeStore(stop, seed, sizes);
    for (const folder of FOLDERS) {
      expect(readdirSync(join(made.storeDir, folder)).length).toBeGreaterThanOrEqual(3);
    }
  }, CASE_LIMIT_MS);

  afterAll(() => removeDirectory(made.dir));

  it.each(CASES)(
    'keeps its promises with $state: $place of $folder',
    async ({ folder, place, state }) => {
      const dir = copyOf(made);
      const original = pathOf(made.storeDir, folder, place);
      const path = original.replace(made.storeDir, join(dir, 'store'));
      const odd = makeOdd(path, state);
      const broker = new BrokerProcess(dir, await testPort(), STORE_PROPERTIES);
      try {
        broker.start();
        const isRefused = await refuses(broker);
        const what = `seed ${seed}, ${dir}:\n${broker.output()}`;
        const tookMs = performance.now() - broker.startedMs;
        expect(tookMs, what).toBeLessThan(START_LIMIT_MS);
        if (isRefused) {
          expect(folder, what).toBe('commitlog');
          expect(await broker.exited(), what).toBeGreaterThan(0);
          const naming = broker
            .output()
            .split('\n')
            .filter((line) => line.includes(odd));
          expect(naming, what).toHaveLength(1);
          putBack(original, path);
          broker.start();
          expect(await refuses(broker), what).toBe(false);
          expect(await violationsOf(broker, made, 0), what).toEqual([]);
        } else if (isFirstLost(stop, folder, place, state)) {
          // After a crash nothing tells a lost first file from one that was due to go. It is said aloud, and the rest is there.
          expect(broker.output(), what).toContain(odd);
          expect(await violationsOf(broker, made, LOG_FILE_BYTES), what).toEqual([]);
        } else {
          expect(await violationsOf(broker, made, 0), what).toEqual([]);
          if (state === 'foreign' || state === 'subdirectory') expect(existsSync(odd)).toBe(true);
        }
      } finally {
        await broker.kill();
      }
      removeDirectory(dir);
    },
    CASE_LIMIT_MS,
  );
});

/** `last` is the last file with something in it; the log has one more, made ahead of need. */
function pathOf(storeDir: string, folder: string, place: Place): string {
  const names = readdirSync(join(storeDir, folder)).sort();
  const full = folder === 'commitlog' ? names.slice(0, -1) : names;
  const at = { first: 0, middle: full.length >> 1, last: full.length - 1, next: full.length };
  return join(storeDir, folder, names[at[place]] ?? '');
}

function putBack(original: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(original, path);
}

function isFirstLost(stop: Stop, folder: string, place: Place, state: FileState): boolean {
  const isFirst = folder === 'commitlog' && place === 'first';
  return stop === 'crash' && isFirst && state === 'missing';
}

/** True when the broker ended, false when it answers. */
async function refuses(broker: BrokerProcess): Promise<boolean> {
  try {
    (await connected(broker)).close();
    return false;
  } catch (error) {
    if (broker.isRunning) throw error;
    return true;
  }
}

/** Of everything that lies behind an offset of the log, and of one message more. */
async function violationsOf(
  broker: BrokerProcess,
  made: MadeStore,
  logStart: number,
): Promise<string[]> {
  const client = await connected(broker);
  const ledger = new Ledger();
  for (const entry of made.ledger.entries) {
    if (entry.physicalOffset >= logStart) ledger.add(entry);
  }
  const { last, bodies } = made;
  const next = await sendTo(client, ledger, bodies, 1, 0, last.queueId, 1000);
  while ((await client.maxOffset(TOPIC, last.queueId)) <= next.queueOffset);
  const options = { client, ledger, bodies, firstEntry: 0, lookUps: MESSAGES, seed };
  const { violations } = await check({ ...options, fromMin: logStart > 0 });
  client.close();
  return violations;
}
