// R1: kill -9 under SYNC_FLUSH. R1_CYCLES kills (gate: 100). Mutant: reuse-offset, see README.md.

import { expect, it } from 'vitest';
import { describeReport, killLoop } from './kill-loop.js';
import { restartLimitMs, seedOfRun, sizeOf, tell } from './sizes.js';

const CYCLES = sizeOf('R1_CYCLES', 5);
const MS_A_CYCLE = 30_000;

it(
  `loses nothing that was acknowledged in ${CYCLES} kills under SYNC_FLUSH`,
  async () => {
    const seed = seedOfRun();
    const report = await killLoop({
      flushDiskType: 'SYNC_FLUSH',
      cycles: CYCLES,
      seed,
      restartLimitMs,
      ratePerSecond: sizeOf('R1_RATE', 150),
    });
    tell(`R1 seed ${seed}: ${describeReport(report)}`);
    expect(report.violations).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(CYCLES * 10);
  },
  (CYCLES + 2) * MS_A_CYCLE,
);
