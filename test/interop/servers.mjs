// Starts and stops the built servers for the interop runs: on free ports, in a temporary folder, ended by their process ids.

import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const READY_MS = 30_000;
const STOP_MS = 30_000;
const LOWEST_PORT = 20_000;
const PORT_COUNT = 10_000;

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A port that is free together with those at the distances given: a broker has three in a row. */
export async function freePort(distances = [0]) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORT_COUNT);
    const free = await Promise.all(distances.map((distance) => isFree(port + distance)));
    if (free.every(Boolean)) return port;
  }
  throw new Error('no free ports');
}

/** `cometmq ARGUMENTS`; resolves once it printed its ready line `readyCount` times. */
export async function startServer(name, args, folder, readyCount = 1) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const log = createWriteStream(join(folder, `${name}.log`));
  child.stderr.pipe(log);
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  let out = '';
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.split('boot success').length > readyCount) resolve(true);
    });
  });
  const isReady = await Promise.race([ready, exited.then(() => false), pause(READY_MS)]);
  if (isReady !== true) {
    child.kill('SIGKILL');
    throw new Error(`${name} did not become ready; its log is ${join(folder, `${name}.log`)}`);
  }
  return { name, child, exited };
}

/** Whether the first SIGTERM ends it in time with exit code 0, its store without the abort file. */
export async function stopServer({ name, child, exited }, storeFolder = null) {
  child.kill('SIGTERM');
  const code = await Promise.race([exited, pause(STOP_MS).then(() => 'no end')]);
  if (code === 'no end') {
    child.kill('SIGKILL');
    await exited;
  }
  const isDirty = storeFolder !== null && existsSync(join(storeFolder, 'abort'));
  if (code === 0 && !isDirty) {
    console.log(`PASS ${name} stops cleanly`);
    return true;
  }
  console.log(`FAIL ${name} stops cleanly: ${isDirty ? 'its abort file is left' : `exit ${code}`}`);
  return false;
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
