// How long a published record waits until the worker has it, by the pause before it and the empty rounds the worker looks on before it sleeps.

import { setTimeout as sleep } from 'node:timers/promises';
import { trial } from './harness.js';
import { RingPair } from './ring-pair.js';

/** The broker's agent runner has 60 (src/workers/agent-runner.ts). */
const IDLE_ROUNDS = [1, 60, 1000, Number.POSITIVE_INFINITY];
const PAUSES_US = [0, 20, 200];
const RECORD_BYTES = 64;

await trial('from publish in one thread to the record taken in another', async (run) => {
  const payload = run.bytes(RECORD_BYTES);
  const byPause = new Map<number, { name: string; isBaseline: boolean; nanoseconds: number[] }[]>();
  for (const rounds of IDLE_ROUNDS) {
    const pair = await RingPair.start(rounds, true);
    for (const pauseUs of PAUSES_US) {
      const count = run.scale(pauseUs === 0 ? 5000 : 1500, 10);
      const rows = byPause.get(pauseUs) ?? [];
      rows.push({
        name: nameOf(rounds),
        isBaseline: rounds === 1,
        nanoseconds: oneWay(pair, payload, pauseUs, count),
      });
      byPause.set(pauseUs, rows);
      await sleep(1);
    }
    await pair.stop();
  }
  for (const [pauseUs, rows] of byPause) {
    run.latencies(pauseUs === 0 ? 'no pause' : `a pause of ${pauseUs} µs`, rows);
  }
});

function nameOf(rounds: number): string {
  if (rounds === 1) return 'sleeps at the first empty round';
  return Number.isFinite(rounds) ? `sleeps after ${rounds} empty rounds` : 'never sleeps';
}

function oneWay(pair: RingPair, payload: Buffer, pauseUs: number, count: number): number[] {
  const nanoseconds: number[] = [];
  for (let i = -Math.ceil(count / 10); i < count; i++) {
    const pauseEnd = process.hrtime.bigint() + BigInt(pauseUs) * 1000n;
    while (process.hrtime.bigint() < pauseEnd);
    const from = process.hrtime.bigint();
    const takenAt = pair.spinRoundTrip(payload);
    if (i >= 0) nanoseconds.push(Number(takenAt - from));
  }
  return nanoseconds;
}
