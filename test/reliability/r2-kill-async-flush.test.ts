// R2: kill -9 under ASYNC_FLUSH. R2_CYCLES kills (gate: 50). Mutant: trust-checkpoint, see README.md.

import { expect, it } from 'vitest';
import { describeReport, killLoop } from './kill-loop.js';
import { restartLimitMs, seedOfRun, sizeOf, tell } from './sizes.js';

const CYCLES = sizeOf('R2_CYCLES', 3);
const MS_A_CYCLE = 30_000;

it(
  `loses nothing that was acknowledged in ${CYCLES} kills under ASYNC_FLUSH`,
  async () => {
    const seed = seedOfRun();
    const report = await killLoop({
      flushDiskType: 'ASYNC_FLUSH',
      cycles: CYCLES,
      seed,
      restartLimitMs,
      ratePerSecond: sizeOf('R2_RATE', 400),
    });
    tell(`R2 seed ${seed}: ${describeReport(report)}`);
    expect(report.violations).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(CYCLES * 10);
  },
  (CYCLES + 2) * MS_A_CYCLE,
);
