import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setFaults } from '../../../src/native/fs.js';
import { FlushAgent, type FlushRegion } from '../../../src/store/flush/flush-agent.js';
import { LogFiles } from '../../../src/store/mapped/log-files.js';
import { StoreCheckpoint } from '../../../src/store/store-checkpoint.js';
import { defaultStoreConfig } from '../../../src/store/store-config.js';
import { createStoreCursors, StoreCursor } from '../../../src/store/store-cursors.js';
import { storePaths } from '../../../src/store/store-paths.js';
import { newFolder, removeFolders } from '../golden-store.js';
import { openLog, requestOf } from '../log-fixture.js';

const FILE_BYTES = 16_384;

afterEach(() => {
  setFaults('');
  removeFolders();
});

/** An agent over files that only note what is synced; fail is asked before each sync. */
function agentOf(
  flushDiskType: 'ASYNC_FLUSH' | 'SYNC_FLUSH',
  fail: (n: number) => boolean = () => false,
) {
  const cursors = createStoreCursors();
  const clock = new ManualClock();
  const syncs: [number, number][] = [];
  const events: string[] = [];
  let count = 0;
  const openRegion = (fileFromOffset: number): FlushRegion => {
    events.push(`open ${fileFromOffset}`);
    return {
      sync: (position, lengthBytes) => {
        if (fail(++count)) throw new Error('EIO');
        syncs.push([fileFromOffset + position, fileFromOffset + position + lengthBytes]);
      },
      release: () => events.push(`release ${fileFromOffset}`),
    };
  };
  const checkpoint = { physicMsgTimestamp: 0, write: () => {}, flush: () => {}, close: () => {} };
  const config = {
    ...defaultStoreConfig('/unused'),
    flushDiskType,
    mappedFileSizeCommitLog: FILE_BYTES,
  };
  const agent = new FlushAgent({
    config,
    cursors,
    clock,
    checkpoint,
    openRegion,
    onFlushed: () => events.push('flushed'),
    onFailed: () => events.push('failed'),
  });
  const write = (to: number, wanted = to) => {
    cursors.set(StoreCursor.wroteOffset, to);
    cursors.set(StoreCursor.storeTimestamp, 1000 + to);
    if (wanted > 0) cursors.set(StoreCursor.flushWanted, wanted);
  };
  const flushed = () => cursors.get(StoreCursor.flushedWhere);
  return { agent, cursors, clock, syncs, events, checkpoint, write, flushed };
}

test('SYNC_FLUSH: one sync covers everything that is written, not only what is wanted', () => {
  const { agent, syncs, events, checkpoint, write, flushed } = agentOf('SYNC_FLUSH');
  write(5000, 100);
  expect(agent.hasWork()).toBe(true);
  expect(agent.doWork()).toBe(1);
  expect(syncs).toEqual([[0, 5000]]);
  expect(flushed()).toBe(5000);
  expect(checkpoint.physicMsgTimestamp).toBe(6000);
  expect(events).toEqual(['open 0', 'flushed']);
  expect(agent.hasWork()).toBe(false);
  expect(agent.doWork()).toBe(0);
});

test('SYNC_FLUSH: what nobody waits for is synced within 10 ms', () => {
  const { agent, clock, syncs, write } = agentOf('SYNC_FLUSH');
  write(300, 0);
  expect(agent.hasWork()).toBe(false);
  expect(agent.doWork()).toBe(0);
  expect(agent.maxSleepMs()).toBe(10);
  clock.advance(10);
  expect(agent.maxSleepMs()).toBe(0);
  expect(agent.doWork()).toBe(1);
  expect(syncs).toEqual([[0, 300]]);
});

test('walks over the ends of files and opens each once', () => {
  const { agent, syncs, events, write, flushed } = agentOf('SYNC_FLUSH');
  write(100);
  agent.doWork();
  write(FILE_BYTES * 2 + 7);
  agent.doWork();
  expect(syncs).toEqual([
    [0, 100],
    [100, FILE_BYTES],
    [FILE_BYTES, FILE_BYTES * 2],
    [FILE_BYTES * 2, FILE_BYTES * 2 + 7],
  ]);
  expect(events.filter((event) => event.startsWith('open'))).toEqual([
    'open 0',
    `open ${FILE_BYTES}`,
    `open ${FILE_BYTES * 2}`,
  ]);
  expect(flushed()).toBe(FILE_BYTES * 2 + 7);
});

test('ASYNC_FLUSH: every 500 ms when 4 pages are dirty, and everything every 10 s', () => {
  const { agent, clock, syncs, write } = agentOf('ASYNC_FLUSH');
  write(16_383);
  expect(agent.hasWork()).toBe(false);
  clock.advance(499);
  expect(agent.doWork()).toBe(0);
  clock.advance(1);
  expect(agent.doWork()).toBe(0);
  write(16_384);
  expect(agent.doWork()).toBe(0);
  clock.advance(500);
  expect(agent.doWork()).toBe(1);
  write(16_385);
  for (let ms = 1_000; ms < 9_500; ms += 500) {
    clock.advance(500);
    expect(agent.doWork()).toBe(0);
  }
  clock.advance(500);
  expect(agent.doWork()).toBe(1);
  expect(syncs).toEqual([
    [0, 16_384],
    [16_384, 16_385],
  ]);
});

test('the first failed sync ends the store: nothing is acknowledged behind it and nothing is tried again', () => {
  const { agent, cursors, clock, events, checkpoint, syncs, write, flushed } = agentOf(
    'SYNC_FLUSH',
    (n) => n === 2,
  );
  write(100);
  agent.doWork();
  write(200);
  expect(agent.doWork()).toBe(0);
  expect(flushed()).toBe(100);
  expect(cursors.get(StoreCursor.storeFailed)).toBe(1);
  expect(checkpoint.physicMsgTimestamp).toBe(1100);
  expect(events.filter((event) => event === 'failed')).toHaveLength(1);
  write(300);
  clock.advance(60_000);
  expect(agent.hasWork()).toBe(false);
  expect(agent.doWork()).toBe(0);
  agent.close();
  expect(syncs).toEqual([[0, 100]]);
  expect(flushed()).toBe(100);
});

test('a failure in the second of two files keeps the first', () => {
  const { agent, cursors, flushed, write } = agentOf('SYNC_FLUSH', (n) => n === 2);
  write(FILE_BYTES + 10);
  agent.doWork();
  expect(flushed()).toBe(FILE_BYTES);
  expect(cursors.get(StoreCursor.storeFailed)).toBe(1);
});

test('closing flushes the rest, whatever is due', () => {
  const { agent, syncs, events, write, flushed } = agentOf('ASYNC_FLUSH');
  write(10);
  agent.close();
  expect(syncs).toEqual([[0, 10]]);
  expect(flushed()).toBe(10);
  expect(events.at(-1)).toBe('release 0');
});

test('a log that begins behind 0 is flushed from its beginning', () => {
  const { agent, cursors, syncs, write } = agentOf('SYNC_FLUSH');
  cursors.set(StoreCursor.logMinOffset, FILE_BYTES * 3);
  write(FILE_BYTES * 3 + 20);
  agent.doWork();
  expect(syncs).toEqual([[FILE_BYTES * 3, FILE_BYTES * 3 + 20]]);
});

test('with real files: syncs the log and its folder, and an injected EIO stops it', () => {
  const { log, cursors, config, clock } = openLog({ flushDiskType: 'SYNC_FLUSH' });
  const files = new LogFiles(config);
  const checkpoint = new StoreCheckpoint(storePaths(config).checkpoint);
  const agent = new FlushAgent({
    config,
    cursors,
    clock,
    checkpoint,
    openRegion: (fileFromOffset) => files.openDurably(fileFromOffset),
    onFlushed: () => {},
  });
  const put = () => {
    log.append(requestOf());
    log.publishWroteOffset();
    cursors.set(StoreCursor.flushWanted, log.lastWroteEnd);
  };
  put();
  expect(agent.doWork()).toBe(1);
  expect(checkpoint.physicMsgTimestamp).toBe(log.lastStoreTimestamp);
  const good = log.lastWroteEnd;
  setFaults('msync@1=EIO');
  put();
  agent.doWork();
  expect(cursors.get(StoreCursor.flushedWhere)).toBe(good);
  expect(cursors.get(StoreCursor.storeFailed)).toBe(1);
  agent.close();
  log.close();
});

test('a file that is missing on disk fails the store rather than being acknowledged', () => {
  const { log, cursors, config, clock } = openLog({ flushDiskType: 'SYNC_FLUSH' });
  log.append(requestOf());
  log.publishWroteOffset();
  const elsewhere = new LogFiles({ ...config, storePathRootDir: newFolder() });
  const agent = new FlushAgent({
    config,
    cursors,
    clock,
    checkpoint: { physicMsgTimestamp: 0, write: () => {}, flush: () => {}, close: () => {} },
    openRegion: (fileFromOffset) => elsewhere.openDurably(fileFromOffset),
    onFlushed: () => {},
  });
  agent.close();
  expect(cursors.get(StoreCursor.storeFailed)).toBe(1);
  expect(cursors.get(StoreCursor.flushedWhere)).toBe(0);
});
