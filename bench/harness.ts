// What the benches of the pieces share. One process is one trial of one bench file: it makes its input from a fixed seed, runs its
// groups of pieces with tinybench and prints one line of JSON; run/main.ts starts the trials and prints what they say together.
// A piece does many operations a call, because the clock itself costs about as much as one of the fast ones. Each group has one
// baseline. With --smoke everything is tiny: the figures mean nothing then, but the file has run.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';
import { Bench } from 'tinybench';
import { setLogLevel } from '#dist/base/logger.js';
import { type Prng, seededPrng } from '#dist/base/prng.js';
import type { GroupResult, RowResult, TrialResult } from './run/trial-result.js';

const WARM_UP_MS = 250;
const MEASURE_MS = 600;
const LEAST_CALLS = 12;
const DEFAULT_SEED = 497;

export interface Piece {
  readonly name: string;
  /** Operations in one call of fn; the figures are per operation. */
  readonly ops: number;
  /** Bytes that one operation moves, for a rate in MB/s. */
  readonly bytes?: number;
  readonly isBaseline?: boolean;
  readonly fn: () => unknown;
  /** Runs before each call, outside the measured time. */
  readonly beforeEach?: () => void;
}

export class Trial {
  readonly isSmoke: boolean;
  readonly prng: Prng;
  readonly #seed: number;
  readonly #hash = createHash('sha1');
  readonly #groups: GroupResult[] = [];
  #folder: string | null = null;

  constructor(args: readonly string[]) {
    this.isSmoke = args.includes('--smoke');
    const seedAt = args.indexOf('--seed');
    this.#seed = seedAt < 0 ? DEFAULT_SEED : Number(args[seedAt + 1]);
    this.prng = seededPrng(this.#seed);
  }

  /** A size of the full run, or its tiny one. */
  scale(full: number, smoke: number): number {
    return this.isSmoke ? smoke : full;
  }

  /** Random bytes that count as input. */
  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) bytes[i] = this.prng.nextInt(256);
    return this.input(bytes);
  }

  /** What is measured is a function of these bytes: their hash is printed, so that runs can be compared. */
  input<T extends Uint8Array | string>(value: T): T {
    this.#hash.update(value);
    return value;
  }

  /** A folder that is gone when the trial ends. */
  folder(): string {
    this.#folder ??= mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'cometmq-bench-'));
    return this.#folder;
  }

  async group(name: string, pieces: readonly Piece[]): Promise<void> {
    const bench = new Bench({
      time: this.scale(MEASURE_MS, 1),
      iterations: this.scale(LEAST_CALLS, 1),
      warmupTime: this.scale(WARM_UP_MS, 0),
      warmupIterations: this.scale(LEAST_CALLS, 1),
      throws: true,
    });
    for (const { name: task, fn, beforeEach } of pieces) {
      bench.add(task, fn, beforeEach === undefined ? {} : { beforeEach });
    }
    await bench.run();
    const rows = pieces.map((piece): RowResult => {
      const result = bench.getTask(piece.name)?.result;
      if (result?.state !== 'completed') throw new Error(`${piece.name}: ${result?.state}`);
      const { latency } = result;
      const ns = (ms: number) => (ms * 1e6) / piece.ops;
      return {
        ...rowOf(piece),
        p50Ns: ns(latency.p50),
        p99Ns: ns(latency.p99),
        p999Ns: ns(latency.p999),
        samples: latency.samplesCount,
        isLatency: false,
      };
    });
    this.#groups.push({ name, rows });
  }

  /** Rows whose operations were timed one by one, by the bench itself. */
  latencies(
    name: string,
    pieces: readonly { name: string; isBaseline?: boolean; nanoseconds: readonly number[] }[],
  ): void {
    const rows = pieces.map((piece): RowResult => {
      const sorted = [...piece.nanoseconds].sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
      return {
        ...rowOf(piece),
        p50Ns: at(0.5),
        p99Ns: at(0.99),
        p999Ns: at(0.999),
        samples: sorted.length,
        isLatency: true,
      };
    });
    this.#groups.push({ name, rows });
  }

  finish(operation: string): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    const result: TrialResult = {
      operation,
      seed: this.#seed,
      inputHash: this.#hash.digest('hex').slice(0, 10),
      warmUpMs: this.scale(WARM_UP_MS, 0),
      measureMs: this.scale(MEASURE_MS, 1),
      groups: this.#groups,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}

/** @param operation what one operation is, for the heading. */
export async function trial(
  operation: string,
  work: (run: Trial) => void | Promise<void>,
): Promise<void> {
  setLogLevel('error');
  const run = new Trial(process.argv.slice(2));
  try {
    await work(run);
  } finally {
    run.finish(operation);
  }
}

/** Stops a bench whose variants do not do the same. */
export function mustEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${inspect(actual)} is not ${inspect(expected)}`);
}

/** Keeps a result alive, so that the engine can not leave the work out. */
export function keep(value: unknown): void {
  kept = value;
}
export let kept: unknown;

function rowOf(piece: { name: string; bytes?: number; isBaseline?: boolean }) {
  return {
    name: piece.name,
    bytesPerOp: piece.bytes ?? 0,
    isBaseline: piece.isBaseline ?? false,
  };
}
