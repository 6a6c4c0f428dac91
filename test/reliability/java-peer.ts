// L9: the real Java 4.9.7 broker opens a copy of the store, and the same checker asks it for the same ledger. COMETMQ_PEER names a program
// that runs one in the foreground, `$COMETMQ_PEER broker FILE.properties`; without it this check is left out and said to be.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, cpSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrokerProperties, claimPort } from '../support/broker-process.js';
import { WireClient } from '../support/wire-client.js';
import { type CheckReport, check } from './checker.js';
import type { Bodies, Ledger } from './ledger.js';
import { sleep } from './producer.js';

const START_LIMIT_MS = 60_000;

export const javaPeer: string | undefined = process.env['COMETMQ_PEER'];

/** The store is copied; the broker on it must not run. */
export async function checkWithJava(
  peer: string,
  dir: string,
  storeDir: string,
  properties: BrokerProperties,
  ledger: Ledger,
  bodies: Bodies,
): Promise<CheckReport> {
  const copy = join(dir, 'java-store');
  cpSync(storeDir, copy, { recursive: true });
  const port = await claimPort();
  const file = join(dir, 'reliability-java.properties');
  const all: BrokerProperties = {
    ...properties,
    brokerName: 'broker-a',
    brokerIP1: '127.0.0.1',
    listenPort: port,
    storePathRootDir: copy,
    flushDiskType: 'ASYNC_FLUSH',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const log = openSync(join(dir, 'java.log'), 'a');
  const env = { ...process.env, PEER_HEAP: '512m' };
  const child = spawn(peer, ['broker', file], { stdio: ['ignore', log, log], env });
  closeSync(log);
  const client = new WireClient(port);
  try {
    await answers(client, child);
    const report = await check({ client, ledger, bodies, firstEntry: 0, lookUps: 0, seed: 0 });
    rmSync(copy, { recursive: true, force: true });
    return { ...report, violations: report.violations.map((line) => `L9, Java: ${line}`) };
  } finally {
    client.close();
    await stopped(child);
  }
}

async function answers(client: WireClient, child: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await client.topics();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadlineMs) {
        throw new Error('L9: the Java broker did not open the store; see java.log', {
          cause: error,
        });
      }
      await sleep(200);
    }
  }
}

function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
