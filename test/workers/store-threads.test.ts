// The store with its threads, in both ways in which they run: a thread each, and all in one.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { decodeMessage } from '../../src/message/message-decoder.js';
import { createMessageId } from '../../src/message/message-id.js';
import { setFaults } from '../../src/native/fs.js';
import type { MessageToPut } from '../../src/store/message-store.js';
import { PutMessageStatus } from '../../src/store/put-message.js';
import { defaultStoreConfig, type StoreConfig } from '../../src/store/store-config.js';
import { StoreThreads } from '../../src/workers/store-threads.js';
import type { BrokerSettings } from '../../src/workers/worker-settings.js';

const BROKER: BrokerSettings = {
  clusterName: 'C',
  brokerIp: '127.0.0.1',
  brokerId: 0,
  regionId: 'DefaultRegion',
  traceOn: true,
  rejectTransactionMessage: false,
  startAcceptSendRequestTimeStamp: 0,
  waitTimeMillsInSendQueue: 0,
  longPollingEnable: true,
  shortPollingTimeMills: 1000,
  slaveReadEnable: false,
  enablePropertyFilter: false,
  filterSupportRetry: false,
  enableCalcFilterBitMap: false,
  expectConsumerNumUseFilter: 32,
  maxErrorRateOfBloomFilter: 20,
} as BrokerSettings;

const folders: string[] = [];
const running: StoreThreads[] = [];
afterEach(async () => {
  setFaults('');
  for (const threads of running.splice(0)) await threads.shutdown().catch(() => {});
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Mode = 'inline' | 'dedicated';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cometmq-threads-'));
  folders.push(folder);
  return folder;
}

async function open(
  mode: Mode,
  over: Partial<StoreConfig> = {},
  onFatal: (reason: string) => void = (reason) => expect.unreachable(reason),
): Promise<StoreThreads> {
  const store: StoreConfig = {
    ...defaultStoreConfig(over.storePathRootDir ?? newFolder()),
    mappedFileSizeCommitLog: 64 * 1024,
    mappedFileSizeConsumeQueue: 6000,
    maxHashSlotNum: 500,
    maxIndexNum: 1000,
    ...over,
  };
  const threads = new StoreThreads({
    mode,
    store,
    broker: BROKER,
    clock: systemClock,
    messageId: (offset) => createMessageId(Buffer.from([127, 0, 0, 1]), 10911, offset),
    handlers: {
      connection: () => undefined,
      restate: (frame) => frame,
      onEscalated: () => expect.unreachable('nothing is escalated here'),
      onEvent: () => {},
      onCommitOffset: () => {},
      onFatal,
    },
  });
  await threads.start();
  running.push(threads);
  return threads;
}

function message(topic: string, body: string, over: Partial<MessageToPut> = {}): MessageToPut {
  return {
    topic,
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: 1,
    bornHost: Buffer.from([10, 0, 0, 1]),
    bornPort: 5,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(body),
    properties: 'KEYS\u0001k\u0002TAGS\u0001t',
    waitStoreMsgOk: true,
    ...over,
  };
}

async function bodies(threads: StoreThreads, topic: string, from = 0): Promise<string[]> {
  const result = await threads.store.get(topic, 0, from, 32);
  return result.records.map((record) => decodeMessage(record, 0)!.body.toString());
}

describe.each<Mode>(['inline', 'dedicated'])('StoreThreads, %s', (mode) => {
  it('gives back what was put, at the offsets that it said', async () => {
    const { store, ...rest } = await open(mode);
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, i) => store.put(message('T', `body ${i}`))),
    );
    expect(results.map((result) => result.status)).toEqual(
      new Array(40).fill(PutMessageStatus.PUT_OK),
    );
    expect(results.map((result) => result.queueOffset)).toEqual(
      Array.from({ length: 40 }, (_, i) => i),
    );
    const got = await store.get('T', 0, 35, 32);
    expect(got).toMatchObject({
      status: 'FOUND',
      nextBeginOffset: 40,
      minOffset: 0,
      maxOffset: 40,
    });
    const record = await store.lookMessageByOffset(results[7]!.physicalOffset);
    expect(decodeMessage(record!, 0)!.body.toString()).toBe('body 7');
    expect(await store.maxOffsetInQueue('T', 0)).toBe(40);
    const found = await store.queryMessage('T', 'k', 5, 0, Number.MAX_SAFE_INTEGER);
    expect(found.records.length).toBe(5);
    expect(await store.lookMessageByOffset(3)).toBeNull();
    expect(rest).toBeDefined();
  });

  it('rolls over many files and reads through all of them', async () => {
    const threads = await open(mode);
    for (let i = 0; i < 60; i++) await threads.store.put(message('T', String(i).repeat(2000)));
    expect(threads.store.maxPhysicalOffset()).toBeGreaterThan(3 * 64 * 1024);
    for (let i = 0; i < 60; i += 10) {
      expect((await bodies(threads, 'T', i))[0]).toBe(String(i).repeat(2000));
    }
  });

  it('waits for the disk under SYNC_FLUSH, and says FLUSH_DISK_TIMEOUT when it is slower than the deadline', async () => {
    const threads = await open(mode, { flushDiskType: 'SYNC_FLUSH', syncFlushTimeout: 300 });
    const put = await threads.store.put(message('T', 'a'));
    expect(put.status).toBe(PutMessageStatus.PUT_OK);
    if (mode === 'inline') return; // A blocking sync blocks its one thread, deadlines included.
    setFaults('msync=900ms');
    const waited = threads.store.put(message('T', 'b'));
    const hurried = threads.store.put(message('T', 'c', { waitStoreMsgOk: false }));
    expect((await hurried).status).toBe(PutMessageStatus.PUT_OK);
    expect((await waited).status).toBe(PutMessageStatus.FLUSH_DISK_TIMEOUT);
  });

  it('acknowledges nothing more after a sync that failed, and never tries it again', async () => {
    const threads = await open(mode, { flushDiskType: 'SYNC_FLUSH' });
    await threads.store.put(message('T', 'a'));
    setFaults('msync@1=EIO');
    const lost = await threads.store.put(message('T', 'b'));
    expect(lost.status).toBe(PutMessageStatus.SERVICE_NOT_AVAILABLE);
    const later = await threads.store.put(message('T', 'c'));
    expect(later.status).toBe(PutMessageStatus.SERVICE_NOT_AVAILABLE);
    expect(threads.store.isWritable()).toBe(false);
  });

  it('forgets a deleted topic: its queues begin at 0 again', async () => {
    const threads = await open(mode);
    for (let i = 0; i < 5; i++) await threads.store.put(message('Gone', `old ${i}`));
    expect(await threads.store.maxOffsetInQueue('Gone', 0)).toBe(5);
    await threads.store.deleteTopics(['Gone']);
    const again = await threads.store.put(message('Gone', 'new'));
    expect(again.queueOffset).toBe(0);
    expect(await bodies(threads, 'Gone')).toEqual(['new']);
  });

  it('goes on where it was after a clean stop', async () => {
    const folder = newFolder();
    const first = await open(mode, { storePathRootDir: folder });
    for (let i = 0; i < 10; i++) await first.store.put(message('T', `one ${i}`));
    await first.shutdown();
    expect(first.isDispatched()).toBe(true);
    const second = await open(mode, { storePathRootDir: folder });
    const put = await second.store.put(message('T', 'two'));
    expect(put.queueOffset).toBe(10);
    expect(await bodies(second, 'T', 8)).toEqual(['one 8', 'one 9', 'two']);
    expect(existsSync(join(folder, 'commitlog'))).toBe(true);
  });

  it('sends a delayed message to the schedule topic, with where it came from', async () => {
    const threads = await open(mode);
    await threads.store.put(message('T', 'later', { properties: 'DELAY\u000199', queueId: 3 }));
    expect(await threads.store.maxOffsetInQueue('SCHEDULE_TOPIC_XXXX', 17)).toBe(1);
    const stored = await threads.store.get('SCHEDULE_TOPIC_XXXX', 17, 0, 1);
    const { properties } = decodeMessage(stored.records[0]!, 0)!;
    expect(Object.fromEntries(properties)).toMatchObject({
      DELAY: '18',
      REAL_TOPIC: 'T',
      REAL_QID: '3',
    });
  });
});

describe('StoreThreads', () => {
  it('refuses a store that cannot be opened, with the reason', async () => {
    const folder = newFolder();
    const first = await open('dedicated', { storePathRootDir: folder });
    for (let i = 0; i < 60; i++) await first.store.put(message('T', 'x'.repeat(4000)));
    await first.shutdown();
    rmSync(join(folder, 'commitlog', '00000000000000065536'));
    await expect(open('dedicated', { storePathRootDir: folder })).rejects.toThrow(
      /00000000000000065536/,
    );
  });
});
