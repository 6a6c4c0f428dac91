// A whole-broker run: starts a broker for each series, puts each case to them in turn, several rounds, keeps the round with the median
// rate (or latency), and writes the report as text, HTML and JSON. Interleaving makes the noise of the machine hit all series alike.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileSystemOf, machineFacts, ROOT } from '../run/machine.js';
import { BrokerProcess } from './broker-process.js';
import type { LoadCase, LoadResult } from './load-case.js';
import { ombJson } from './omb-json.js';
import { optionOf, peersOf, type Target } from './peers.js';
import { type CaseResult, type Report, reportHtml, reportText } from './report.js';

export type CaseShape = Pick<
  LoadCase,
  'name' | 'kind' | 'connections' | 'window' | 'bodyBytes' | 'batch' | 'rate'
> &
  Partial<LoadCase>;

export interface Series {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly bench: string;
  readonly title: string;
  readonly about: string;
  readonly series: readonly Series[];
  readonly cases: readonly CaseShape[];
  readonly smokeCases: readonly string[];
  /** The one series of a smoke run. */
  readonly smokeSeries: string;
  /** Which of the rounds counts: the one with the median of this. */
  readonly byLatency: boolean;
}

const FIRST_PORT = 29_000;
const PORTS_APART = 20;
const LOG_FILE_BYTES = 1024 * 1024 * 1024;
const SMOKE_LOG_FILE_BYTES = 8 * 1024 * 1024;
const LOAD_SLACK_MS = 20_000;

export async function runCases(options: RunOptions, args: readonly string[]): Promise<void> {
  const isSmoke = args.includes('--smoke');
  const only = optionOf(args, 'case')?.split(',');
  const cases = options.cases.filter(({ name }) =>
    isSmoke ? options.smokeCases.includes(name) : (only?.includes(name) ?? true),
  );
  const brokers: BrokerProcess[] = [];
  try {
    const series = options.series.filter(({ name }) => !isSmoke || name === options.smokeSeries);
    const starts = series.map(({ name, properties }, i) =>
      BrokerProcess.start({
        name: name.toLowerCase().replace(/[^a-z]+/g, '-'),
        port: FIRST_PORT + 10 + i * PORTS_APART,
        properties,
        commitLogFileBytes: isSmoke ? SMOKE_LOG_FILE_BYTES : LOG_FILE_BYTES,
      }),
    );
    // One that fails ends the run; those that started are stopped with it.
    for (const start of await Promise.allSettled(starts)) {
      if (start.status === 'fulfilled') brokers.push(start.value);
    }
    await Promise.all(starts);
    const targets: Target[] = [...brokers, ...peersOf(args)];
    const names = [...series.map(({ name }) => name), ...peersOf(args).map(({ name }) => name)];
    const results: CaseResult[] = [];
    for (const shape of cases) {
      results.push(await runCase(shape, targets, options.byLatency, args));
      process.stderr.write(`  ${shape.name} done\n`);
    }
    write(options, names, results, args);
  } finally {
    await Promise.all(brokers.map((broker) => broker.stop()));
    for (const broker of brokers) broker.remove();
  }
}

async function runCase(
  shape: CaseShape,
  targets: readonly Target[],
  byLatency: boolean,
  args: readonly string[],
): Promise<CaseResult> {
  const isSmoke = args.includes('--smoke');
  const rounds = Number(optionOf(args, 'rounds') ?? (isSmoke ? 1 : 3));
  const seconds = Number(optionOf(args, 'secs') ?? (isSmoke ? 0.4 : 5));
  const results: LoadResult[][] = targets.map(() => []);
  const caseOf = ({ host, port, pid, syncFolder }: Target): LoadCase => ({
    topic: 'BenchmarkTest',
    queues: 4,
    serialize: 'json',
    ...shape,
    host,
    port,
    warmUpMs: isSmoke ? 100 : Math.min(2000, seconds * 500),
    durationMs: seconds * 1000,
    intervalMs: isSmoke ? 100 : 500,
    brokerPid: pid,
    syncFolder,
  });
  for (let round = 0; round < rounds; round++) {
    for (const [i, target] of targets.entries()) {
      results[i]?.push(await runLoad(caseOf(target)));
    }
  }
  const key = (it: LoadResult) => (byLatency ? it.latency.p50Ms : it.rate);
  const first = targets[0];
  if (first === undefined) throw new Error('there is no broker to run on');
  return {
    loadCase: caseOf(first),
    results: results.map((rows) => {
      const sorted = rows.sort((a, b) => key(a) - key(b));
      return sorted[sorted.length >> 1] as LoadResult;
    }),
  };
}

/** The load is a process of its own. */
function runLoad(loadCase: LoadCase): Promise<LoadResult> {
  const script = fileURLToPath(new URL('./load-main.js', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(loadCase)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: loadCase.warmUpMs + loadCase.durationMs + LOAD_SLACK_MS,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(JSON.parse(output) as LoadResult);
      else reject(new Error(`the load of ${loadCase.name} ended with ${code ?? signal}`));
    });
  });
}

function write(
  { bench, title, about }: RunOptions,
  series: readonly string[],
  cases: readonly CaseResult[],
  args: readonly string[],
): void {
  const report: Report = {
    title,
    about,
    series,
    cases,
    machine: machineFacts(),
    store: fileSystemOf(process.env['BENCH_DIR'] ?? tmpdir()),
    command: `npm run bench -- ${[bench, ...args].join(' ')}`,
  };
  const html = optionOf(args, 'html') ?? join(ROOT, 'bench/out', `${bench}.html`);
  const json = optionOf(args, 'json') ?? join(ROOT, 'bench/out', `${bench}.json`);
  mkdirSync(dirname(html), { recursive: true });
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(html, reportHtml(report));
  const results = cases.flatMap(({ loadCase, results: rows }) =>
    rows.map((result, i) => ombJson(series[i] ?? '', loadCase, result)),
  );
  const { machine, store, command } = report;
  writeFileSync(json, `${JSON.stringify({ title, command, machine, store, results }, null, 1)}\n`);
  process.stdout.write(
    `\n${bench}: ${title}\n${reportText(report)}\n  picture ${html}\n  figures ${json}\n`,
  );
}
