// npm run bench -- profile [--thread main|commitlog|dispatch|flush|ha] [--flush ASYNC_FLUSH|SYNC_FLUSH] [--case 4x64|e2e] [--secs 8]
// Runs a load on our broker with --cpu-prof, which node writes for each thread, and for each thread prints the ten functions with the
// most time of their own and writes a flame picture to bench/out.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrokerProcess } from '../broker/broker-process.js';
import type { LoadCase, LoadResult } from '../broker/load-case.js';
import { machineFacts, machineLine, ROOT } from '../run/machine.js';
import { awake, type CpuProfile, frameTree, selfTimes, threadOf } from './cpu-profile.js';
import { flameHtml } from './flame-html.js';

const PORT = 29_210;
const TOP = 10;
const SAMPLE_US = 500;
const LOG_FILE_BYTES = 256 * 1024 * 1024;

const args = process.argv.slice(2);
const isSmoke = args.includes('--smoke');
const flushDiskType = optionOf('flush') ?? 'ASYNC_FLUSH';
const wanted = optionOf('thread');
const out = join(ROOT, 'bench/out');
mkdirSync(out, { recursive: true });

const broker = await BrokerProcess.start({
  name: 'profile',
  port: PORT,
  properties: { flushDiskType },
  nodeFlags: ['--cpu-prof', `--cpu-prof-interval=${SAMPLE_US}`],
  commitLogFileBytes: isSmoke ? LOG_FILE_BYTES / 32 : LOG_FILE_BYTES,
});
try {
  const result = runLoad();
  await broker.stop();
  const about = `${flushDiskType}, ${describe(result)}; ${machineLine(machineFacts())}`;
  process.stdout.write(`${about}\n`);
  for (const file of readdirSync(broker.folder).filter((name) => name.endsWith('.cpuprofile'))) {
    report(join(broker.folder, file), about, result);
  }
} finally {
  await broker.stop();
  broker.remove();
}

function runLoad(): LoadResult {
  const isEndToEnd = optionOf('case') === 'e2e';
  const loadCase: LoadCase = {
    name: 'profile',
    kind: isEndToEnd ? 'end-to-end' : 'produce',
    port: PORT,
    topic: 'BenchmarkTest',
    queues: 4,
    connections: isEndToEnd ? 1 : 4,
    window: isEndToEnd ? 1024 : 64,
    bodyBytes: 256,
    batch: 1,
    serialize: 'json',
    rate: isEndToEnd ? 5000 : 0,
    warmUpMs: isSmoke ? 100 : 1000,
    durationMs: isSmoke ? 300 : Number(optionOf('secs') ?? 8) * 1000,
    intervalMs: 500,
    brokerPid: broker.pid,
    syncFolder: broker.syncFolder,
  };
  const script = fileURLToPath(new URL('../broker/load-main.js', import.meta.url));
  const child = spawnSync(process.execPath, [script, JSON.stringify(loadCase)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: loadCase.durationMs + 30_000,
  });
  if (child.status !== 0) throw new Error('the load failed');
  return JSON.parse(child.stdout) as LoadResult;
}

function report(path: string, about: string, { fromUs, toUs }: LoadResult): void {
  const profile = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
  const thread = threadOf(frameTree(profile));
  if (wanted === undefined ? thread === 'pool' : wanted !== thread) return;
  const tree = frameTree(profile, fromUs, toUs);
  const root = awake(tree);
  const top = selfTimes(root).slice(0, TOP);
  const share = ((root.totalUs / tree.totalUs) * 100).toFixed(0);
  process.stdout.write(`\n${thread}: awake ${share} % of ${(tree.totalUs / 1e6).toFixed(1)} s\n`);
  for (const { name, place, selfUs } of top) {
    const part = root.totalUs === 0 ? 0 : (selfUs / root.totalUs) * 100;
    process.stdout.write(`  ${part.toFixed(1).padStart(5)} %  ${name.padEnd(32)} ${place}\n`);
  }
  const base = join(out, `profile-${thread}`);
  writeFileSync(
    `${base}.html`,
    flameHtml(`CometMQ, thread ${thread}: awake ${share} % of the time`, about, root, top),
  );
  copyFileSync(path, `${base}.cpuprofile`);
  process.stdout.write(`  picture ${base}.html\n`);
}

function describe({ rate, latency, brokerCpuUsPerMessage }: LoadResult): string {
  return `${rate.toLocaleString('en')} messages a second, p99 ${latency.p99Ms.toFixed(2)} ms, ${brokerCpuUsPerMessage ?? '-'} µs of CPU each`;
}

function optionOf(name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? undefined : args[at + 1];
}
