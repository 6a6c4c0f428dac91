// How long the tests of this folder run, and by which seed: from the environment, with sizes for CI as defaults.

import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';

export function sizeOf(name: string, ciSize: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return ciSize;
  const size = Number(text);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error(`${name} is "${text}", no number`);
  return size;
}

/** A new seed each time, unless RELIABILITY_SEED gives one; every failure prints it. */
export function seedOfRun(): number {
  return sizeOf('RELIABILITY_SEED', Math.floor(Math.random() * 0x7fff_ffff));
}

/** A machine that is busy with other things may need more. */
export const restartLimitMs = sizeOf('RELIABILITY_RESTART_MS', 3000);

/** Results of a run are worth reading also when it is green. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** COMETMQ_TEST_DIR, or the system's: where syncs are real. */
export function diskDirectory(): string {
  const wanted = process.env['COMETMQ_TEST_DIR'];
  if (wanted === undefined) return tmpdir();
  mkdirSync(wanted, { recursive: true });
  return wanted;
}

/** For stores that are opened by the hundred: in memory, where there is such a place. */
export function fastDirectory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : diskDirectory();
}
