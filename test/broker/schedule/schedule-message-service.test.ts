import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { offsetsOf, ScheduleStore, type TestSchedule, testSchedule } from './schedule-store.js';

setLogLevel('silent');

const running: TestSchedule[] = [];

function made(options: Parameters<typeof testSchedule>[0] = {}): TestSchedule {
  const test = testSchedule(options);
  running.push(test);
  return test;
}

async function started(options: Parameters<typeof testSchedule>[0] = {}): Promise<TestSchedule> {
  const test = made(options);
  test.service.load();
  await test.service.start();
  await test.settle();
  return test;
}

afterEach(async () => {
  for (const { service, store } of running.splice(0)) {
    store.release();
    await service.stopDelivering();
  }
});

describe('delivery', () => {
  it('comes when the delay is over, not before, and to the millisecond', async () => {
    const { store, pass } = await started();
    store.schedule(1, 1000, 'a');
    store.schedule(2, 5000, 'b');
    await pass(999);
    expect(store.delivered()).toEqual([]);
    await pass(1, 1);
    expect(store.delivered()).toEqual(['a']);
    await pass(3999);
    expect(store.delivered()).toEqual(['a']);
    await pass(1, 1);
    expect(store.delivered()).toEqual(['a', 'b']);
  });

  it('goes to the real topic and queue, and moves the offset of its level', async () => {
    const { store, service, pass } = await started();
    store.schedule(2, 5000, 'a', { topic: 'Orders', queueId: 7 });
    await pass(5000);
    expect(store.all[0]?.message).toMatchObject({ topic: 'Orders', queueId: 7 });
    expect([...service.delayOffsets]).toEqual([[2, 1]]);
  });

  it('keeps the order of the queue over many pages', async () => {
    const { store, pass } = await started();
    const bodies = Array.from({ length: 1700 }, (_, i) => `m${i}`);
    for (const body of bodies) store.schedule(1, 1000, body);
    await pass(1200);
    expect(store.delivered()).toEqual(bodies);
    expect(store.reads).toBeLessThan(20);
  });

  it('has many puts in flight, but no more than the limit', async () => {
    const { store, service, pass, settle } = await started({ maxPending: 100 });
    for (let i = 0; i < 300; i++) store.schedule(1, 1000, `m${i}`);
    store.holdsPuts = true;
    await pass(1200);
    expect(store.inFlight).toBe(100);
    expect(service.delayOffsets.get(1)).toBeUndefined();
    for (let i = 0; i < 3; i++) {
      store.release();
      await settle();
    }
    expect(store.delivered()).toHaveLength(300);
    expect(store.mostInFlight).toBe(100);
    expect(service.delayOffsets.get(1)).toBe(300);
  });

  it('lets the loop turn in a burst, and other levels have their share of each turn', async () => {
    const { store, service, clock, pass, settle } = await started();
    store.schedule(2, 5000, 'other');
    await pass(4000);
    for (let i = 0; i < 1000; i++) store.schedule(1, 1000, `burst${i}`);
    await pass(900);
    clock.advance(100);
    service.turn();
    expect(store.asked.length).toBeLessThanOrEqual(128);
    await settle();
    expect(store.asked).toHaveLength(1001);
    expect(store.asked.indexOf('other')).toBeLessThan(400);
  });

  it('drops half messages and what can not be read, and goes on behind them', async () => {
    const { store, service, pass } = await started();
    store.schedule(1, 1000, 'half', { topic: 'RMQ_SYS_TRANS_HALF_TOPIC' });
    store.schedule(1, 1000, 'damaged', { isDamaged: true });
    store.schedule(1, 1000, 'good');
    await pass(1100);
    expect(store.delivered()).toEqual(['good']);
    expect(service.delayOffsets.get(1)).toBe(3);
  });

  it('goes on at the beginning of a queue whose old entries expired', async () => {
    const { store, service, pass } = await started();
    store.minScheduled.set(1, 5);
    for (let i = 0; i < 8; i++) store.schedule(1, 1000, `m${i}`);
    await pass(1200);
    expect(store.delivered()).toEqual(['m5', 'm6', 'm7']);
    expect(service.delayOffsets.get(1)).toBe(8);
  });

  it('asks no thread for anything while nothing was appended', async () => {
    const { store, pass } = await started();
    await pass(1000);
    const { reads, looks } = store;
    await pass(5000);
    expect([store.reads, store.looks]).toEqual([reads, looks]);
  });

  it('counts as consumption by SCHEDULE_CONSUMER', async () => {
    const { store, stats, pass } = await started();
    store.schedule(2, 5000, 'a');
    store.schedule(2, 5000, 'b');
    await pass(5000);
    const item = stats.find('QUEUE_GET_NUMS', 'SCHEDULE_TOPIC_XXXX@1@SCHEDULE_CONSUMER');
    expect(item?.value).toBe(2);
  });
});

describe('a put that fails', () => {
  it('is tried again; those behind it are delivered, and the offset waits', async () => {
    const { store, service, pass } = await started();
    store.refusals.set('b', PutMessageStatus.SERVICE_NOT_AVAILABLE);
    for (const body of ['a', 'b', 'c', 'd']) store.schedule(1, 1000, body);
    await pass(3000);
    expect(store.delivered()).toEqual(['a', 'c', 'd']);
    expect(service.delayOffsets.get(1)).toBe(1);
    store.refusals.clear();
    await pass(3000);
    expect(store.delivered()).toEqual(['a', 'c', 'd', 'b']);
    expect(service.delayOffsets.get(1)).toBe(4);
  });

  it('is tried with growing pauses', async () => {
    const { store, pass } = await started();
    store.refusals.set('a', PutMessageStatus.CREATE_MAPEDFILE_FAILED);
    store.schedule(1, 1000, 'a');
    await pass(11_000, 100);
    const tries = store.asked.length;
    expect(tries).toBeGreaterThan(8);
    expect(tries).toBeLessThan(20);
  });
});

describe('the clock', () => {
  const steps = [-3_600_000, 3_600_000, 788_400_000_000];

  it.each(steps)('may be set by %i ms: what is under way keeps its time', async (stepMs) => {
    const { store, clock, pass } = await started();
    store.schedule(2, 5000, 'before');
    await pass(1000);
    clock.stepWallClock(stepMs);
    await pass(3900);
    expect(store.delivered()).toEqual([]);
    await pass(300);
    expect(store.delivered()).toEqual(['before']);
  });

  it.each(steps)('may be set by %i ms: what comes then has its whole delay', async (stepMs) => {
    const { store, clock, pass } = await started();
    clock.stepWallClock(stepMs);
    await pass(500);
    // The log's time never falls.
    const storeTimestamp = Math.max(clock.nowMs(), clock.nowMs() - Math.min(stepMs, 0) - 500);
    store.schedule(2, 5000, 'after', { storeTimestamp });
    await pass(4800);
    expect(store.delivered()).toEqual([]);
    await pass(400);
    expect(store.delivered()).toEqual(['after']);
  });

  it('delivers at once what a wrong clock left for a time beyond its delay', async () => {
    const store = new ScheduleStore(new ManualClock());
    store.schedule(1, 1000, 'a', { storeTimestamp: store.clock.nowMs() + 86_400_000 });
    await started({ store });
    expect(store.delivered()).toEqual(['a']);
  });
});

describe('the saved offsets', () => {
  it('are saved when they are asked for and on disk, and not before', async () => {
    const { store, service, saved, pass, settle } = await started();
    store.flushed = 0;
    store.schedule(1, 1000, 'a');
    await pass(1100);
    service.requestSave();
    await settle();
    expect(saved).toEqual([]);
    store.flushed = null;
    await settle();
    expect(saved).toEqual(['{\n\t"offsetTable":{1:1\n\t}\n}']);
  });

  it('speak of all that was delivered after a clean stop', async () => {
    const { store, service, saved, pass } = await started();
    for (let i = 0; i < 500; i++) store.schedule(1, 1000, `m${i}`);
    store.holdsPuts = true;
    await pass(1000);
    setTimeout(() => store.release(), 20);
    await service.stopDelivering();
    await service.shutdown();
    expect(store.delivered().length).toBeGreaterThan(0);
    expect(offsetsOf(saved.at(-1))).toEqual({ 1: store.delivered().length });
    const stopped = store.delivered().length;
    await pass(500);
    expect(store.delivered()).toHaveLength(stopped);
  });

  it('are not written before they were loaded', async () => {
    const { service, saved } = made();
    service.requestSave();
    service.turn();
    await service.shutdown();
    expect(saved).toEqual([]);
  });

  it('wait with their correction until the queues hold all that the log holds', async () => {
    const test = made();
    const { service, store, saved } = test;
    store.schedule(1, 1000, 'a');
    store.dispatched = 0;
    service.load();
    const start = service.start();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect([store.reads, saved.length]).toEqual([0, 0]);
    store.dispatched = null;
    await start;
    expect(store.reads).toBeGreaterThan(0);
  });
});
