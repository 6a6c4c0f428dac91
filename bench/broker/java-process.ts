// The Java broker as a process of its own, by the peer kit that COMETMQ_PEER names (its program or its folder), with the properties of ours.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrokerProcessOptions, opened, propertiesOf } from './broker-process.js';
import type { Target } from './peers.js';

const STOP_MS = 30_000;
const HEAP = '1g';
/** The kit keeps the logs of a broker under its file's name; one name, so that they do not pile up. */
const FILE = 'cometmq-bench.properties';

export class JavaProcess implements Target {
  readonly name = 'java';
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly pid: number;
  readonly syncFolder = '';
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    // The kit's script becomes the Java process.
    this.pid = child.pid ?? 0;
    this.#child = child;
    this.#folder = folder;
  }

  /** Also listens on port - 2 and port + 1. */
  static async start(kit: string, options: BrokerProcessOptions): Promise<JavaProcess> {
    const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'cometmq-bench-java-'));
    mkdirSync(join(folder, 'store'));
    const config = join(folder, FILE);
    writeFileSync(config, propertiesOf(options, join(folder, 'store')));
    const log = join(folder, 'broker.log');
    const output = openSync(log, 'w');
    const program = statSync(kit).isDirectory() ? join(kit, 'peer') : kit;
    const child = spawn(program, ['broker', config], {
      stdio: ['ignore', output, output],
      cwd: folder,
      env: { PEER_HEAP: HEAP, ...process.env },
    });
    process.once('exit', () => child.kill('SIGKILL'));
    await opened(options.port, child, log);
    return new JavaProcess(options.port, child, folder);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(late);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
