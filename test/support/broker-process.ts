// Test support: a broker as a process of its own, to be killed and started again on the same store. What it prints goes into a file
// beside the store. COMETMQ_BROKER_MAIN names another build to run (a mutant); without it the project's own dist is run.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemPrng } from '../../src/base/prng.js';

const MAIN =
  process.env['COMETMQ_BROKER_MAIN'] ??
  fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const FIRST_PORT = Number(process.env['COMETMQ_TEST_PORT'] ?? 27_000);
const PORTS = 900;

export type BrokerProperties = Record<string, string | number | boolean>;

/**
 * A port of which the neighbours are free, too: the fast port and the HA port. It is ours until the process ends, also while no
 * broker listens there: the fourth port of the group is held as a sign for other runs.
 */
export async function claimPort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + 2 + 4 * systemPrng.nextInt(PORTS / 4);
    const sign = await listen(port - 1);
    if (sign === null) continue;
    const others = await Promise.all([port - 2, port, port + 1].map(listen));
    for (const server of others) server?.close();
    if (others.every((server) => server !== null)) {
      sign.unref();
      return port;
    }
    sign.close();
  }
}

export class BrokerProcess {
  readonly port: number;
  readonly storeDir: string;
  readonly logPath: string;
  readonly #configPath: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  #exited: Promise<number | null> = Promise.resolve(null);
  #logStart = 0;
  /** When the process was started, by performance.now(). */
  startedMs = 0;

  /** Files go into `dir`; the store into `dir`/store unless a property says otherwise. */
  constructor(
    dir: string,
    port: number,
    properties: BrokerProperties,
    env: Record<string, string> = {},
  ) {
    mkdirSync(dir, { recursive: true });
    this.port = port;
    const all: BrokerProperties = {
      brokerName: 'broker-a',
      brokerIP1: '127.0.0.1',
      listenPort: port,
      storePathRootDir: join(dir, 'store'),
      ...properties,
    };
    this.storeDir = String(all['storePathRootDir']);
    this.logPath = join(dir, 'broker.log');
    this.#configPath = join(dir, 'broker.properties');
    this.#env = { ...process.env, ...env };
    const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    writeFileSync(this.#configPath, `${lines.join('\n')}\n`);
  }

  start(): void {
    const log = openSync(this.logPath, 'a');
    this.#logStart = statSync(this.logPath).size;
    this.startedMs = performance.now();
    const args = [MAIN, 'broker', '-c', this.#configPath];
    const child = spawn(process.execPath, args, { stdio: ['ignore', log, log], env: this.#env });
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code) => resolve(code));
    });
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** What the process printed since its last start. */
  output(): string {
    return readFileSync(this.logPath).subarray(this.#logStart).toString('utf8');
  }

  /** The exit code; null when a signal ended it. */
  exited(): Promise<number | null> {
    return this.#exited;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.isRunning) this.#child?.kill(signal);
    return this.#exited;
  }
}

/** Null when the port is taken. */
function listen(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, () => resolve(server));
  });
}
