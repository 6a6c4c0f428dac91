// Our broker as a process of its own, dedicated threads, on loopback, its data in a folder that goes with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../run/machine.js';

const READY_MS = 20_000;
const STOP_MS = 20_000;

export interface BrokerProcessOptions {
  readonly name: string;
  readonly port: number;
  readonly properties: Readonly<Record<string, string | number>>;
  /** Of node: profiling. */
  readonly nodeFlags?: readonly string[];
  readonly commitLogFileBytes: number;
}

export class BrokerProcess {
  readonly name: string;
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly syncFolder: string;
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(
    { name, port }: BrokerProcessOptions,
    child: ChildProcess,
    folder: string,
    syncFolder: string,
    startMs: number,
  ) {
    this.name = name;
    this.port = port;
    this.pid = child.pid ?? 0;
    this.folder = folder;
    this.syncFolder = syncFolder;
    this.startMs = startMs;
    this.#child = child;
  }

  static async start(options: BrokerProcessOptions): Promise<BrokerProcess> {
    const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'cometmq-bench-'));
    const syncFolder = join(folder, 'syncs');
    mkdirSync(syncFolder);
    const config = join(folder, 'broker.conf');
    writeFileSync(config, propertiesOf(options, join(folder, 'store')));
    const log = join(folder, 'broker.log');
    const output = openSync(log, 'w');
    const probe = fileURLToPath(new URL('./sync-probe.js', import.meta.url));
    const from = performance.now();
    const child = spawn(
      process.execPath,
      [
        '--import',
        probe,
        ...(options.nodeFlags ?? []),
        join(ROOT, 'dist/cli/main.js'),
        'broker',
        '-c',
        config,
      ],
      {
        stdio: ['ignore', output, output],
        cwd: folder,
        env: { ...process.env, COMETMQ_BENCH_SYNC: syncFolder },
      },
    );
    process.once('exit', () => child.kill('SIGKILL'));
    await opened(options.port, child, log);
    const startMs = performance.now() - from;
    return new BrokerProcess(options, child, folder, syncFolder, startMs);
  }

  /** Cleanly; what the process wrote at its end is in its folder until remove(). */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    child.kill('SIGCONT');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(late);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function propertiesOf(options: BrokerProcessOptions, store: string): string {
  const properties = {
    brokerClusterName: 'BenchCluster',
    brokerName: `bench-${options.name}`,
    brokerId: 0,
    brokerIP1: '127.0.0.1',
    bindAddress: '127.0.0.1',
    listenPort: options.port,
    haListenPort: options.port + 1,
    storePathRootDir: store,
    storePathCommitLog: join(store, 'commitlog'),
    brokerRole: 'ASYNC_MASTER',
    mappedFileSizeCommitLog: options.commitLogFileBytes,
    ...options.properties,
  };
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

export async function opened(port: number, child: ChildProcess, log: string): Promise<void> {
  const end = performance.now() + READY_MS;
  while (performance.now() < end) {
    if (child.exitCode !== null) break;
    if (await canConnect(port)) return;
    await sleep(20);
  }
  child.kill('SIGKILL');
  throw new Error(
    `the broker does not listen on ${port}:\n${readFileSync(log, 'utf8').slice(-2000)}`,
  );
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
