// The command behind `npm run bench`: lists the benches, runs trials of pieces each in a process of its own and prints them together,
// or hands over to a whole-broker bench (9x) or to the profiler, which print for themselves.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineFacts, machineLine, ROOT } from './machine.js';
import { summarize, tableOf } from './table.js';
import type { TrialResult } from './trial-result.js';

const COMPILED = fileURLToPath(new URL('../', import.meta.url));
const SUFFIX = '.bench.js';
const DEFAULT_TRIALS = 3;

export async function main(args: readonly string[]): Promise<number> {
  const [wanted, ...options] = args;
  const names = benchNames();
  if (wanted === undefined || wanted.startsWith('-')) return list(names);
  if (wanted === 'profile') return run('profile/profile.js', options);
  const chosen =
    wanted === 'all'
      ? names
      : names.filter((name) => wanted.split(',').some((part) => name.startsWith(part)));
  if (chosen.length === 0) {
    process.stderr.write(`No bench is called ${wanted}. There are:\n`);
    list(names);
    return 2;
  }
  process.stdout.write(`${machineLine(machineFacts())}\n`);
  let failures = 0;
  for (const name of chosen) {
    const isWhole = name.startsWith('9');
    const code = isWhole ? run(`${name}${SUFFIX}`, options) : runTrials(name, options);
    if (code !== 0) failures++;
  }
  return failures === 0 ? 0 : 1;
}

function benchNames(): string[] {
  return readdirSync(COMPILED)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort();
}

function list(names: readonly string[]): number {
  process.stdout.write('npm run bench -- NAME[,NAME] | all | profile  [options]\n\n');
  for (const name of names) {
    const source = readFileSync(join(ROOT, 'bench', `${name}.bench.ts`), 'utf8');
    const about = /^\/\/ (.*?)\.(?:\s|$)/m.exec(source)?.[1] ?? '';
    process.stdout.write(`  ${name.padEnd(26)} ${about}\n`);
  }
  process.stdout.write(
    '\nPieces: [--trials 3] [--seed N] [--smoke] [--json FILE]. The 9x run a whole broker: see bench/README.md.\n',
  );
  return 0;
}

/** A bench that prints for itself. */
function run(file: string, options: readonly string[]): number {
  const child = spawnSync(process.execPath, [join(COMPILED, file), ...options], {
    stdio: 'inherit',
    cwd: ROOT,
  });
  return child.status ?? 1;
}

function runTrials(name: string, options: readonly string[]): number {
  const isSmoke = options.includes('--smoke');
  const trials: TrialResult[] = [];
  const count = Number(optionOf(options, 'trials') ?? (isSmoke ? 1 : DEFAULT_TRIALS));
  for (let i = 0; i < count; i++) {
    const child = spawnSync(process.execPath, [join(COMPILED, `${name}${SUFFIX}`), ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (child.status !== 0) {
      process.stderr.write(`${name} ended with ${child.status ?? child.signal}\n`);
      return 1;
    }
    trials.push(JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '') as TrialResult);
  }
  const [first] = trials;
  if (first === undefined) return 1;
  const groups = summarize(trials);
  process.stdout.write(
    `\n${name}: ${first.operation}\n  ${count} trials, each a process of its own; a piece ${first.warmUpMs} ms of warm-up, ` +
      `then ${first.measureMs} ms or more; seed ${first.seed}, input ${first.inputHash}${isSmoke ? '; SMOKE: no figures' : ''}` +
      `${tableOf(groups)}\n`,
  );
  const json = optionOf(options, 'json');
  if (json !== undefined) {
    mkdirSync(join(json, '..'), { recursive: true });
    const content = { name, machine: machineFacts(), ...first, groups, trials };
    writeFileSync(json, `${JSON.stringify(content, null, 1)}\n`);
  }
  return 0;
}

function optionOf(options: readonly string[], name: string): string | undefined {
  const at = options.indexOf(`--${name}`);
  return at < 0 ? undefined : options[at + 1];
}
