// Levels on a real store: what comes out at the other end, and what a restart does.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { writeFileAtomic } from '../../../src/base/json-file.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ScheduleMessageService } from '../../../src/broker/schedule/schedule-message-service.js';
import { BrokerStatsManager } from '../../../src/broker/stats/broker-stats-manager.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { encodeProperties } from '../../../src/message/message-properties.js';
import type { StoreThreads } from '../../../src/workers/store-threads.js';
import { inlineStore } from '../../support/inline-store.js';

setLogLevel('silent');

let folder = '';
let clock = new ManualClock();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'level-delivery-'));
  clock = new ManualClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly threads: StoreThreads;
  readonly service: ScheduleMessageService;
  delivered(): Promise<string[]>;
  stop(): Promise<void>;
}

async function run(flushDiskType: 'SYNC_FLUSH' | 'ASYNC_FLUSH' = 'ASYNC_FLUSH'): Promise<Run> {
  const { threads } = await inlineStore(folder, { flushDiskType }, clock);
  const service = new ScheduleMessageService({
    path: join(folder, 'config', 'delayOffset.json'),
    config: {
      messageDelayLevel: '1s 5s',
      scheduleAsyncDeliverMaxPendingLimit: 100,
      enableScheduleMessageStats: false,
    },
    clock,
    store: threads.store,
    stats: new BrokerStatsManager(clock, 'C'),
    writeFile: writeFileAtomic,
  });
  service.load();
  await service.start();
  const delivered = async () => {
    const bodies: string[] = [];
    for (let at = 0; ; ) {
      const { records, nextBeginOffset } = await threads.store.get('T', 1, at, 32);
      if (records.length === 0) return bodies;
      bodies.push(...records.map((it) => String(decodeMessage(it, 0)?.body)));
      at = nextBeginOffset;
    }
  };
  const stop = async () => {
    await service.stopDelivering();
    await threads.shutdown();
    await service.shutdown();
  };
  return { threads, service, delivered, stop };
}

async function send(threads: StoreThreads, body: string): Promise<number> {
  const properties = new Map([
    ['TAGS', 'a'],
    ['DELAY', '1'],
    ['UNIQ_KEY', body],
  ]);
  const { physicalOffset } = await threads.store.put({
    topic: 'T',
    queueId: 1,
    flag: 5,
    sysFlag: 0,
    bornTimestamp: 77,
    bornHost: Buffer.from([10, 0, 0, 9]),
    bornPort: 4321,
    storeHost: { address: Buffer.from([10, 0, 0, 8]), port: 1234 },
    reconsumeTimes: 3,
    preparedTransactionOffset: 0,
    body: Buffer.from(body),
    properties: encodeProperties(properties),
    waitStoreMsgOk: false,
  });
  return physicalOffset;
}

const bodiesOf = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`);

describe('LevelDelivery', () => {
  it('appends the message with its own topic, queue and time; all else is as it was', async () => {
    const { threads, service, delivered, stop } = await run();
    const scheduledAt = await send(threads, 'm0');
    await vi.waitFor(async () => {
      clock.advance(100);
      service.turn();
      expect(await delivered()).toEqual(['m0']);
    }, 10_000);
    const before = decodeMessage(
      (await threads.store.lookMessageByOffset(scheduledAt)) ?? Buffer.alloc(0),
      0,
    );
    const { records } = await threads.store.get('T', 1, 0, 1);
    const after = decodeMessage(records[0] ?? Buffer.alloc(0), 0);
    const { storeTimestamp, physicalOffset, topic, queueId, storeSize, offsetMsgId, ...same } =
      after ?? {};
    expect(before).toMatchObject(same);
    expect({ topic, queueId }).toEqual({ topic: 'T', queueId: 1 });
    expect(storeTimestamp).toBeGreaterThanOrEqual((before?.storeTimestamp ?? 0) + 1000);
    expect(after?.propertiesText).toContain('DELAY\u00011');
    await stop();
  });

  it.each(['ASYNC_FLUSH', 'SYNC_FLUSH'] as const)(
    'repeats nothing and loses nothing over clean restarts in the middle (%s)',
    async (flushDiskType) => {
      const first = await run(flushDiskType);
      for (const body of bodiesOf(700)) await send(first.threads, body);
      await first.stop();
      clock.advance(2000);
      for (let round = 0; round < 4; round++) {
        const { service, stop } = await run(flushDiskType);
        for (let i = 0; i < 3; i++) {
          service.turn();
          await new Promise((resolve) => setImmediate(resolve));
        }
        await stop();
      }
      const last = await run(flushDiskType);
      await vi.waitFor(
        async () => {
          clock.advance(20);
          last.service.turn();
          expect((await last.delivered()).length).toBeGreaterThanOrEqual(700);
        },
        { timeout: 10_000 },
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await last.delivered()).toEqual(bodiesOf(700));
      await last.stop();
    },
    30_000,
  );
});
