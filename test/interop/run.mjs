// Unmodified Java 4.9.7 clients against the built servers: the scenarios of the peer kit that may stand beside the checkout.
//
//   node test/interop/run.mjs           the quick size: all scenarios on `start`, then the cheap ones on `namesrv` + `broker`
//                                       with SYNC_FLUSH
//   node test/interop/run.mjs --smoke   a few, on `start`
//   node test/interop/run.mjs NAME...   these, on `start`
//
// The kit is at ../shared/peer or where COMETMQ_PEER says. Without it, without Java, or with COMETMQ_INTEROP=off one line says that
// nothing was run, and that is no failure. The last line is `N passed, N failed`.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCENARIOS, SECOND_ROUND, SMOKE } from './scenarios.mjs';
import { freePort, startServer, stopServer } from './servers.mjs';

const peer =
  process.env.COMETMQ_PEER ?? fileURLToPath(new URL('../../../shared/peer/peer', import.meta.url));
const ROUND_TIMEOUT_MS = 240_000;
const JOBS = 2;
const SMALL_FILES = ['--set', 'mappedFileSizeCommitLog=67108864', '--set', 'logLevel=warn'];
/** What the kit wants of a broker: a busy machine must not turn sends away, and checks of transactions come soon. */
const WANTED = [
  ...['--set', 'waitTimeMillsInSendQueue=2000', '--set', 'enablePropertyFilter=true'],
  ...['--set', 'transactionCheckInterval=5000', '--set', 'transactionTimeOut=3000'],
];

let passed = 0;
let failed = 0;

async function main(args) {
  const reason = whyNot();
  if (reason !== null) {
    console.log(`interop skipped: ${reason}`);
    if (!args.includes('--smoke')) summary();
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'cometmq-interop-'));
  const names = args.filter((arg) => !arg.startsWith('--'));
  try {
    if (args.includes('--smoke')) await onStart(SMOKE, folder);
    else if (names.length > 0) await onStart(names, folder);
    else {
      await onStart(SCENARIOS, folder);
      await onNamesrvAndBroker(SECOND_ROUND, folder);
    }
  } catch (error) {
    console.log(`FAIL ${error.message}`);
    failed++;
  }
  if (failed === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`stores and logs are kept: ${folder}`);
  summary();
}

function whyNot() {
  if (process.env.COMETMQ_INTEROP === 'off') return 'COMETMQ_INTEROP=off';
  if (spawnSync('java', ['-version']).status !== 0) return 'no java on PATH';
  if (!existsSync(peer)) return `no peer kit at ${peer} (COMETMQ_PEER says where it is)`;
  if (spawnSync(peer, ['setup'], { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
    return 'the peer kit could not be set up';
  }
  return null;
}

async function onStart(names, folder) {
  console.log(`# ${names.length} scenarios on cometmq start`);
  const data = join(folder, 'start');
  const namesrvPort = await freePort();
  const port = await freePort([-2, 0, 1]);
  const ports = ['--namesrv-port', `${namesrvPort}`, '--port', `${port}`];
  const args = ['start', '--data', data, ...ports, ...SMALL_FILES, ...WANTED];
  const server = await startServer('start', args, folder, 2);
  await runScenarios(names, namesrvPort);
  count(await stopServer(server, join(data, 'store')));
}

async function onNamesrvAndBroker(names, folder) {
  console.log(`# ${names.length} scenarios on cometmq namesrv and cometmq broker, SYNC_FLUSH`);
  const namesrvPort = await freePort();
  const port = await freePort([-2, 0, 1]);
  const store = join(folder, 'broker');
  const namesrv = await startServer(
    'namesrv',
    [
      ...['namesrv', '--set', `listenPort=${namesrvPort}`, '--set', 'bindAddress=127.0.0.1'],
      ...['--set', `kvConfigPath=${join(folder, 'kvConfig.json')}`, '--set', 'logLevel=warn'],
    ],
    folder,
  );
  const broker = await startServer(
    'broker',
    [
      ...['broker', '-n', `127.0.0.1:${namesrvPort}`, '--set', `listenPort=${port}`],
      ...['--set', 'bindAddress=127.0.0.1', '--set', `storePathRootDir=${store}`],
      ...['--set', 'flushDiskType=SYNC_FLUSH', ...SMALL_FILES, ...WANTED],
    ],
    folder,
  );
  await runScenarios(names, namesrvPort);
  count(await stopServer(broker, store));
  count(await stopServer(namesrv));
}

/** Shows the kit's lines and adds up its last one; a kit that does not come to it counts as a failure. */
function runScenarios(names, namesrvPort) {
  const server = ['--namesrv', `127.0.0.1:${namesrvPort}`, '--wait', '30'];
  const args = ['scenario', ...names, ...server, '--jobs', `${JOBS}`];
  return new Promise((resolve) => {
    const kit = spawn(peer, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const timer = setTimeout(() => kit.kill('SIGKILL'), ROUND_TIMEOUT_MS);
    let out = '';
    kit.stdout.on('data', (chunk) => {
      out += chunk;
      process.stdout.write(chunk);
    });
    kit.on('close', (code) => {
      clearTimeout(timer);
      const sums = /^(\d+) passed, (\d+) failed/m.exec(out);
      if (sums === null) console.log(`FAIL the peer kit ended with ${code} and no result`);
      passed += Number(sums?.[1] ?? 0);
      failed += Number(sums?.[2] ?? 1);
      resolve();
    });
  });
}

function count(isPassed) {
  if (isPassed) passed++;
  else failed++;
}

function summary() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
