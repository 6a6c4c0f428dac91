// Two stores in this process, joined by a real socket, in both ways in which a store runs.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { brokerSettingsOf } from '../../src/broker/broker-settings.js';
import { decodeMessage } from '../../src/message/message-decoder.js';
import { createMessageId } from '../../src/message/message-id.js';
import type { MessageToPut } from '../../src/store/message-store.js';
import { PutMessageStatus } from '../../src/store/put-message.js';
import { defaultStoreConfig, type StoreConfig } from '../../src/store/store-config.js';
import { StoreCursor } from '../../src/store/store-cursors.js';
import { StoreThreads } from '../../src/workers/store-threads.js';
import type { HaAddress } from '../../src/workers/worker-settings.js';
import { testConfig } from '../broker/fakes.js';

type Mode = 'inline' | 'dedicated';

const folders: string[] = [];
const running: StoreThreads[] = [];
afterEach(async () => {
  for (const threads of running.splice(0).reverse()) await threads.shutdown();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(
  mode: Mode,
  brokerRole: StoreConfig['brokerRole'],
  haListener?: HaAddress,
): Promise<StoreThreads> {
  const folder = mkdtempSync(join(tmpdir(), 'cometmq-ha-'));
  folders.push(folder);
  const threads = new StoreThreads({
    mode,
    store: {
      ...defaultStoreConfig(folder),
      mappedFileSizeCommitLog: 64 * 1024,
      mappedFileSizeConsumeQueue: 6000,
      maxHashSlotNum: 500,
      maxIndexNum: 1000,
      brokerRole,
    },
    broker: brokerSettingsOf(testConfig()),
    clock: systemClock,
    messageId: (offset) => createMessageId(Buffer.from([127, 0, 0, 1]), 10_911, offset),
    handlers: {
      connection: () => undefined,
      restate: (frame) => frame,
      onEscalated: () => expect.unreachable('nothing is escalated here'),
      onEvent: () => {},
      onCommitOffset: () => {},
      onFatal: (reason) => expect.unreachable(reason),
    },
    ...(haListener === undefined ? {} : { haListener }),
  });
  await threads.start();
  running.push(threads);
  return threads;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function message(i: number): MessageToPut {
  return {
    topic: 'T',
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: 1,
    bornHost: Buffer.from([10, 0, 0, 1]),
    bornPort: 5,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.alloc(1000, i),
    properties: 'KEYS\u0001k',
    waitStoreMsgOk: true,
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(2);
}

describe.each<Mode>(['inline', 'dedicated'])('a master and a slave, %s', (mode) => {
  it('the slave holds what was acknowledged, over many files, and takes nothing itself', async () => {
    const address = { host: '127.0.0.1', port: await freePort() };
    const master = await open(mode, 'SYNC_MASTER', address);
    const { status } = await master.store.put(message(0));
    expect(status).toBe(PutMessageStatus.SLAVE_NOT_AVAILABLE);
    const slave = await open(mode, 'SLAVE');
    slave.setHaMaster(`127.0.0.1:${address.port}`);
    await until(() => master.links.cursors.get(StoreCursor.slaveCount) === 1);
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => master.store.put(message(i + 1))),
    );
    expect(new Set(results.map((it) => it.status))).toEqual(new Set([PutMessageStatus.PUT_OK]));
    expect(slave.store.maxPhysicalOffset()).toBe(master.store.maxPhysicalOffset());
    await until(() => slave.isDispatched());
    const { records } = await slave.store.get('T', 0, 240, 32);
    const bodies = records.map((record) => decodeMessage(record, 0)?.body[0]);
    expect(bodies).toEqual(Array.from({ length: 32 }, (_, i) => (240 + i) & 0xff));
    const refused = await slave.store.put(message(1));
    expect(refused.status).toBe(PutMessageStatus.SERVICE_NOT_AVAILABLE);
  });

  it('refuses a port that is taken, with its number', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    await expect(open(mode, 'ASYNC_MASTER', { host: '127.0.0.1', port })).rejects.toThrow(
      `can not listen on 127.0.0.1:${port}`,
    );
    await new Promise((resolve) => server.close(resolve));
  });
});
