// A bench of a feature: our broker and, beside it, other brokers, each given the same load in turn; one round that does not count, then
// several, of which the medians are printed side by side with ratios. The load runs in this process, the brokers in theirs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileSystemOf, machineFacts, ROOT } from '../run/machine.js';
import { median } from '../run/table.js';
import { BrokerProcess } from './broker-process.js';
import { JavaProcess } from './java-process.js';
import { optionOf, peersOf, type Target } from './peers.js';

export interface Figure {
  readonly label: string;
  readonly digits: number;
  readonly isMoreBetter: boolean;
}

export interface Size {
  readonly isSmoke: boolean;
  readonly seconds: number;
  /** From 0; topics of a round are its own. */
  readonly round: number;
  scale(full: number, smoke: number): number;
}

/** What one broker has between rounds. */
export interface Session {
  /** The figures in the order of the bench's. */
  measure(size: Size): Promise<readonly number[]>;
  close(): void;
}

export interface FeatureBench {
  readonly bench: string;
  readonly title: string;
  readonly firstPort: number;
  /** One after another, each with a broker of its own. */
  readonly series: readonly {
    readonly name: string;
    readonly properties: Readonly<Record<string, string | number>>;
  }[];
  readonly figures: readonly Figure[];
  open(target: Target, size: Size): Promise<Session>;
}

interface Row {
  readonly series: string;
  readonly broker: string;
  /** A list for each figure, a value for each round. */
  readonly rounds: readonly (readonly number[])[];
}

const JAVA_PORT = 22_100;
const LOG_FILE_BYTES = 256 * 1024 * 1024;
const SMOKE_LOG_FILE_BYTES = 8 * 1024 * 1024;
const CELL_WIDTH = 36;
const COMMON = { flushDiskType: 'ASYNC_FLUSH', waitTimeMillsInSendQueue: 2000 };

export async function runFeature(bench: FeatureBench, args: readonly string[]): Promise<void> {
  const rows: Row[] = [];
  for (const [i, series] of bench.series.entries()) {
    // A smoke test is quick: the last series has all that the others have.
    if (args.includes('--smoke') && i < bench.series.length - 1) continue;
    rows.push(...(await runSeries(bench, i, args)));
    process.stderr.write(`  ${series.name} done\n`);
  }
  const table = tableOf(bench.figures, rows);
  const command = `npm run bench -- ${[bench.bench, ...args].join(' ')}`;
  const json = optionOf(args, 'json') ?? join(ROOT, 'bench/out', `${bench.bench}.json`);
  mkdirSync(dirname(json), { recursive: true });
  const content = {
    title: bench.title,
    command,
    machine: machineFacts(),
    store: fileSystemOf(process.env['BENCH_DIR'] ?? tmpdir()),
    figures: bench.figures.map(({ label }) => label),
    results: rows,
  };
  writeFileSync(json, `${JSON.stringify(content, null, 1)}\n`);
  const smoke = args.includes('--smoke') ? '; SMOKE: no figures' : '';
  process.stdout.write(`\n${bench.bench}: ${bench.title}${smoke}\n${table}\n  figures ${json}\n`);
}

async function runSeries(bench: FeatureBench, i: number, args: readonly string[]): Promise<Row[]> {
  const isSmoke = args.includes('--smoke');
  const series = bench.series[i];
  if (series === undefined) return [];
  const processOf = (port: number) => ({
    name: bench.bench,
    port,
    properties: { ...COMMON, ...series.properties },
    commitLogFileBytes: isSmoke ? SMOKE_LOG_FILE_BYTES : LOG_FILE_BYTES,
  });
  const profiles = optionOf(args, 'cpu-prof');
  const ours = await BrokerProcess.start({
    ...processOf(bench.firstPort + i * 10),
    nodeFlags: profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
  });
  const kit = isSmoke ? '' : (process.env['COMETMQ_PEER'] ?? '');
  let java: JavaProcess | null = null;
  try {
    java = kit === '' ? null : await JavaProcess.start(kit, processOf(JAVA_PORT));
    const peers = peersOf(args).flatMap((peer) => peerOfSeries(peer, series.name, bench));
    const targets: Target[] = [ours, ...(java === null ? [] : [java]), ...peers];
    return await runTargets(bench, series.name, targets, args);
  } finally {
    await Promise.all([ours.stop(), java?.stop()]);
    ours.remove();
  }
}

/** A peer of a bench with several series says in its name which it is set like: NAME/SERIES. */
function peerOfSeries(peer: Target, series: string, bench: FeatureBench): Target[] {
  if (bench.series.length === 1) return [peer];
  const [name = '', of = ''] = peer.name.split('/');
  return of === series ? [{ ...peer, name }] : [];
}

async function runTargets(
  bench: FeatureBench,
  series: string,
  targets: readonly Target[],
  args: readonly string[],
): Promise<Row[]> {
  const isSmoke = args.includes('--smoke');
  const rounds = Number(optionOf(args, 'rounds') ?? (isSmoke ? 1 : 3));
  const sizeOf = (round: number): Size => ({
    isSmoke,
    seconds: Number(optionOf(args, 'secs') ?? (isSmoke ? 0.2 : 5)),
    round,
    scale: (full, smoke) => (isSmoke ? smoke : full),
  });
  const sessions: Session[] = [];
  for (const target of targets) sessions.push(await bench.open(target, sizeOf(0)));
  const values = targets.map(() => bench.figures.map((): number[] => []));
  // The first round warms both up: just-in-time compilers most of all.
  for (let round = isSmoke ? 1 : 0; round <= rounds; round++) {
    for (const [i, session] of sessions.entries()) {
      const figures = await session.measure(sizeOf(round));
      if (round === 0) continue;
      for (const [j, value] of figures.entries()) values[i]?.[j]?.push(value);
    }
  }
  for (const session of sessions) session.close();
  return targets.map((target, i) => ({
    series,
    broker: target instanceof BrokerProcess ? 'cometmq' : target.name,
    rounds: values[i] ?? [],
  }));
}

function tableOf(figures: readonly Figure[], rows: readonly Row[]): string {
  const lines: string[] = [];
  const width = Math.max(...figures.map(({ label }) => label.length)) + 2;
  for (const series of new Set(rows.map((row) => row.series))) {
    const [ours, ...others] = rows.filter((row) => row.series === series);
    if (ours === undefined) continue;
    const heads = [ours, ...others].map(({ broker }, i) =>
      i === 0 ? broker.padStart(CELL_WIDTH) : `${broker.padStart(CELL_WIDTH)}  times as good`,
    );
    lines.push('', `  ${series.padEnd(width)}${heads.join('')}`);
    figures.forEach((figure, j) => {
      const own = cell(figure, ours, j);
      const theirs = others.map((row) => `${cell(figure, row, j)}  ${ratio(figure, ours, row, j)}`);
      lines.push(`    ${figure.label.padEnd(width - 2)}${own}${theirs.join('')}`);
    });
  }
  lines.push(
    '',
    '  median of the rounds (lowest … highest); times as good: above 1 ours is better',
  );
  return lines.join('\n');
}

function cell({ digits }: Figure, { rounds }: Row, j: number): string {
  const values = rounds[j] ?? [];
  const text = (value: number) => value.toLocaleString('en', { maximumFractionDigits: digits });
  const spread = `${text(Math.min(...values))} … ${text(Math.max(...values))}`;
  return `${text(median(values))} (${spread})`.padStart(CELL_WIDTH);
}

function ratio({ isMoreBetter }: Figure, ours: Row, theirs: Row, j: number): string {
  const [own, other] = [median(ours.rounds[j] ?? []), median(theirs.rounds[j] ?? [])];
  return `${(isMoreBetter ? own / other : other / own).toFixed(2)}x`.padStart(13);
}
