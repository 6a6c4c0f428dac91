// A master and a slave as processes of their own, with a name server between them: what a sender is told while the slave lives, stands
// still, is dead and comes back; and that both logs are the same in the end. The other two pairs, with a Java broker on either side,
// need COMETMQ_PEER (see test/reliability/README.md) and are left out without it.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { loadNamesrvConfig } from '../../src/base/config.js';
import { type RunningNamesrv, startNamesrv } from '../../src/namesrv/main.js';
import { BrokerProcess, claimPort } from '../support/broker-process.js';
import { WireClient } from '../support/wire-client.js';

const TOPIC = 'Replicated';
const FILE_BYTES = 65_536;
const LIMIT_MS = 30_000;

let folder = '';
let namesrv: RunningNamesrv | null = null;
const brokers: BrokerProcess[] = [];
const clients: WireClient[] = [];
const javas: ChildProcess[] = [];
const javaPeer = process.env['COMETMQ_PEER'];

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const broker of brokers.splice(0)) await broker.kill();
  for (const child of javas.splice(0)) {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
  await namesrv?.shutdown();
  rmSync(folder, { recursive: true, force: true });
});

async function openNamesrv(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'cometmq-ha-'));
  const flags = { listenPort: '0', rocketmqHome: folder, kvConfigPath: join(folder, 'kv.json') };
  namesrv = await startNamesrv(loadNamesrvConfig({ flags }).config);
}

async function openBroker(name: string, brokerRole: string, brokerId: number) {
  const port = await claimPort();
  const broker = new BrokerProcess(join(folder, name), port, {
    namesrvAddr: `127.0.0.1:${namesrv?.port}`,
    brokerRole,
    brokerId,
    mappedFileSizeCommitLog: FILE_BYTES,
    mappedFileSizeConsumeQueue: 6000,
    slaveTimeout: 500,
    waitTimeMillsInSendQueue: 5000,
  });
  brokers.push(broker);
  broker.start();
  const client = new WireClient(port);
  clients.push(client);
  await until(() => client.topics().then(() => true));
  return { broker, client };
}

/** In a process group of its own, since a script starts the JVM. */
async function openJava(peer: string, name: string, brokerRole: string, brokerId: number) {
  const port = await claimPort();
  const storeDir = join(folder, name);
  const file = join(folder, `${name}.properties`);
  const properties = {
    brokerName: 'broker-a',
    brokerIP1: '127.0.0.1',
    brokerIP2: '127.0.0.1',
    listenPort: port,
    namesrvAddr: `127.0.0.1:${namesrv?.port}`,
    storePathRootDir: storeDir,
    storePathCommitLog: join(storeDir, 'commitlog'),
    brokerRole,
    brokerId,
    mappedFileSizeCommitLog: FILE_BYTES,
    waitTimeMillsInSendQueue: 5000,
  };
  const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const env = { ...process.env, PEER_HEAP: '512m' };
  javas.push(spawn(peer, ['broker', file], { detached: true, stdio: 'ignore', env }));
  const client = new WireClient(port);
  clients.push(client);
  await until(() => client.topics().then(() => true));
  return { client, storeDir };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + LIMIT_MS; ; await sleep(50)) {
    const done = await isTrue().catch(() => false);
    if (done) return;
    if (performance.now() > endMs) throw new Error(`not within ${LIMIT_MS} ms: ${isTrue}`);
  }
}

async function send(client: WireClient, count: number): Promise<Set<number>> {
  const sends = Array.from({ length: count }, (_, i) =>
    client.send({
      topic: TOPIC,
      queueId: i % 2,
      body: Buffer.alloc(200 + (i % 50), i),
      properties: new Map([['KEYS', `k${i}`]]),
    }),
  );
  return new Set((await Promise.all(sends)).map(({ code }) => code));
}

describe('SYNC_MASTER with a slave', () => {
  it('answers 0, 11 and 12 as the slave lives, is gone or stands still; both logs are the same in the end', async () => {
    await openNamesrv();
    const { client, broker: master } = await openBroker('master', 'SYNC_MASTER', 0);
    expect(await send(client, 10)).toEqual(new Set([11]));
    const { broker: slave, client: reader } = await openBroker('slave', 'SLAVE', 1);
    await until(async () => (await send(client, 1)).has(0));
    expect(await send(client, 500)).toEqual(new Set([0]));
    expect(contentHash(slave)).toBe(contentHash(master));

    await slave.kill('SIGKILL');
    await until(async () => (await send(client, 1)).has(11));
    expect(await send(client, 200)).toEqual(new Set([11]));
    slave.start();
    await until(async () => (await send(client, 1)).has(0));
    expect(await send(client, 300)).toEqual(new Set([0]));

    process.kill(pidOf(slave), 'SIGSTOP');
    expect(await send(client, 20)).toEqual(new Set([12]));
    process.kill(pidOf(slave), 'SIGCONT');
    await until(async () => (await send(client, 1)).has(0));
    await until(async () => contentHash(slave) === contentHash(master));

    // It is read only, and read without its master.
    expect(await send(reader, 1)).toEqual(new Set([14]));
    const ends = await Promise.all([0, 1].map((queueId) => client.maxOffset(TOPIC, queueId)));
    await until(async () => (await reader.topics()).has(TOPIC));
    await master.kill();
    for (const queueId of [0, 1]) {
      let next = 0;
      for (const end = ends[queueId]!; next < end; ) {
        const { code, messages, nextBeginOffset } = await reader.pull('G', TOPIC, queueId, next);
        expect([code, messages[0]?.queueOffset]).toEqual([0, next]);
        next = nextBeginOffset;
      }
    }
  }, 60_000);
});

describe.skipIf(javaPeer === undefined)('with a Java broker on the other side', () => {
  it('a slave of ours holds what its Java master holds', async () => {
    await openNamesrv();
    const master = await openJava(javaPeer ?? '', 'java-master', 'SYNC_MASTER', 0);
    const { broker: slave } = await openBroker('slave', 'SLAVE', 1);
    await until(async () => (await send(master.client, 1)).has(0));
    expect(await send(master.client, 300)).toEqual(new Set([0]));
    await until(async () => contentHash(slave) === contentHash(master));
    await slave.kill();
    slave.start();
    await until(async () => (await send(master.client, 1)).has(0));
    await until(async () => contentHash(slave) === contentHash(master));
  }, 90_000);

  it('a Java slave holds what its master of ours holds', async () => {
    await openNamesrv();
    const { client, broker: master } = await openBroker('master', 'SYNC_MASTER', 0);
    const slave = await openJava(javaPeer ?? '', 'java-slave', 'SLAVE', 1);
    await until(async () => (await send(client, 1)).has(0));
    expect(await send(client, 300)).toEqual(new Set([0]));
    await until(async () => contentHash(slave) === contentHash(master));
  }, 90_000);
});

/** Of all files but those that hold nothing yet: each side makes the next ones ahead as it likes. */
function contentHash({ storeDir }: { readonly storeDir: string }): string {
  const log = join(storeDir, 'commitlog');
  const hash = createHash('sha256');
  for (const name of readdirSync(log).sort()) {
    const bytes = readFileSync(join(log, name));
    if (bytes.some((byte) => byte !== 0)) hash.update(bytes);
  }
  return hash.digest('hex');
}

function pidOf(broker: BrokerProcess): number {
  const pid = broker.pid;
  if (pid === undefined) throw new Error('the broker does not run');
  return pid;
}
