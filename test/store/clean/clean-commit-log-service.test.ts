import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import {
  CleanCommitLogService,
  isDeleteHour,
} from '../../../src/store/clean/clean-commit-log-service.js';
import { RunningFlags } from '../../../src/store/running-flags.js';
import { defaultStoreConfig, type StoreConfig } from '../../../src/store/store-config.js';
import { StoreCursor } from '../../../src/store/store-cursors.js';
import { removeFolders } from '../golden-store.js';
import { bodyForRecord, FILE_BYTES, NOW_MS, openLog, requestOf } from '../log-fixture.js';

const HOUR_MS = 3_600_000;
const PERCENT = { log: 10, queues: 10 };

afterEach(removeFolders);

/** A cleaner over a row of files, oldest first; the last one is appended to. */
function cleanerOf(fileCount: number, changes: Partial<StoreConfig> = {}) {
  const clock = new ManualClock(NOW_MS);
  const names = Array.from({ length: fileCount }, (_, i) => `f${i}`);
  const commitLog = {
    manualDeletePasses: 0,
    get oldestFile() {
      const first = names[0];
      return names.length > 1 && first !== undefined ? { path: first } : null;
    },
    dropOldestFile: () => (names.length > 1 ? (names.shift() ?? null) : null),
  };
  const deleted: string[] = [];
  const percent = { ...PERCENT };
  const state = { hour: 12, ageHours: 0 };
  const runningFlags = new RunningFlags();
  const service = new CleanCommitLogService({
    config: { ...defaultStoreConfig('/unused'), ...changes },
    commitLog,
    runningFlags,
    clock,
    commitLogPaths: ['log'],
    consumeQueuePath: 'queues',
    deleteFile: (path) => deleted.push(path),
    usedPercentOf: (path) => percent[path as 'log' | 'queues'],
    modifiedMsOf: () => clock.nowMs() - state.ageHours * HOUR_MS,
    hourOf: () => state.hour,
  });
  const runFor = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      clock.advance(1000);
      service.run();
    }
  };
  return { service, clock, commitLog, names, deleted, percent, state, runningFlags, runFor };
}

test('nothing goes before its 72 hours are over, whatever the hour', () => {
  const { deleted, state, runFor } = cleanerOf(5);
  state.hour = 4;
  state.ageHours = 71.99;
  runFor(90_000);
  expect(deleted).toEqual([]);
  state.ageHours = 72;
  runFor(15_000);
  expect(deleted).toEqual(['f0', 'f1', 'f2', 'f3']);
});

test('old files wait for the hour', () => {
  const { deleted, state, runFor } = cleanerOf(3);
  state.ageHours = 100;
  runFor(120_000);
  expect(deleted).toEqual([]);
  state.hour = 4;
  runFor(15_000);
  expect(deleted).toEqual(['f0', 'f1']);
});

test('the last file never goes, and at most 10 go in a pass', () => {
  const { deleted, names, state, runFor } = cleanerOf(13, { cleanResourceInterval: 60_000 });
  state.hour = 4;
  state.ageHours = 100;
  runFor(119_000);
  expect(deleted).toHaveLength(10);
  runFor(60_000);
  expect(deleted).toHaveLength(12);
  expect(names).toEqual(['f12']);
});

test('there is a pause between two files', () => {
  const { service, clock, deleted, state } = cleanerOf(5);
  state.hour = 4;
  state.ageHours = 100;
  clock.advance(60_000);
  service.run();
  service.run();
  expect(deleted).toHaveLength(1);
  clock.advance(99);
  service.run();
  expect(deleted).toHaveLength(1);
  clock.advance(1);
  service.run();
  expect(deleted).toHaveLength(2);
});

test.each([
  [75, 12, []],
  [76, 12, ['f0', 'f1']],
])('%i percent used, at %i o’clock: old files %j go', (used, hour, expected) => {
  const { deleted, percent, state, runFor } = cleanerOf(3);
  percent.log = used;
  state.hour = hour;
  state.ageHours = 100;
  runFor(70_000);
  expect(deleted).toEqual(expected);
});

test('above 85 percent age is ignored, unless that is switched off', () => {
  const forced = cleanerOf(3);
  forced.percent.queues = 86;
  forced.runFor(70_000);
  expect(forced.deleted).toEqual(['f0', 'f1']);
  const gentle = cleanerOf(3, { cleanFileForciblyEnable: false });
  gentle.percent.log = 86;
  gentle.runFor(70_000);
  expect(gentle.deleted).toEqual([]);
});

test('above 90 percent nothing is taken in, until there is room again', () => {
  const { percent, runningFlags, runFor } = cleanerOf(1);
  percent.log = 90;
  runFor(20_000);
  expect(runningFlags.isWritable()).toBe(true);
  percent.log = 91;
  runFor(10_000);
  expect(runningFlags.isWritable()).toBe(false);
  expect(runningFlags.isDiskFull()).toBe(true);
  expect(runningFlags.isConsumeQueueWritable()).toBe(true);
  percent.log = 90;
  runFor(10_000);
  expect(runningFlags.isWritable()).toBe(true);
});

test('a manual request is good for 20 passes outside the hour, and honours the age', () => {
  const { commitLog, deleted, state, runFor } = cleanerOf(4);
  commitLog.manualDeletePasses = 20;
  state.ageHours = 1;
  runFor(70_000);
  expect(deleted).toEqual([]);
  expect(commitLog.manualDeletePasses).toBe(18);
  state.ageHours = 73;
  runFor(15_000);
  expect(deleted).toEqual(['f0', 'f1', 'f2']);
});

test('readers are told before a file is deleted', () => {
  const { log, cursors, clock, config } = openLog({ fileReservedTime: 1 });
  for (let i = 0; i < 3; i++) log.append(requestOf({ body: bodyForRecord(10_000) }));
  log.publishWroteOffset();
  log.requestManualDelete();
  const seen: number[] = [];
  const service = new CleanCommitLogService({
    config,
    commitLog: log,
    runningFlags: new RunningFlags(),
    clock,
    commitLogPaths: ['log'],
    consumeQueuePath: 'queues',
    deleteFile: () => seen.push(cursors.get(StoreCursor.logMinOffset)),
    usedPercentOf: () => 10,
    modifiedMsOf: () => 0,
    hourOf: () => 12,
  });
  for (let i = 0; i < 70; i++) {
    clock.advance(1000);
    service.run();
  }
  expect(seen).toEqual([FILE_BYTES, FILE_BYTES * 2]);
  expect(log.minOffset).toBe(FILE_BYTES * 2);
  expect(log.oldestFile).toBeNull();
  log.close();
});

test('the hours are a list', () => {
  expect([3, 4, 16].map((hour) => isDeleteHour('04;16', hour))).toEqual([false, true, true]);
});
