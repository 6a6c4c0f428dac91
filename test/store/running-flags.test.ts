import { expect, test } from 'vitest';
import { RunningFlags } from '../../src/store/running-flags.js';

test('has Java’s bits', () => {
  const flags = new RunningFlags();
  expect(flags.bits).toBe(0);
  flags.setReadable(false);
  flags.setWritable(false);
  flags.setLogicsQueueError(true);

  flags.setDiskFull(true);
  expect(flags.bits).toBe(23);
});

test('any flag but "not readable" stops the log; a full disk does not stop the queues', () => {
  const flags = new RunningFlags();
  flags.setReadable(false);
  expect(flags.isReadable()).toBe(false);
  expect(flags.isWritable()).toBe(true);
  flags.setDiskFull(true);
  expect([flags.isWritable(), flags.isConsumeQueueWritable()]).toEqual([false, true]);
  flags.setDiskFull(false);
  flags.setLogicsQueueError(true);
  expect([flags.isWritable(), flags.isConsumeQueueWritable()]).toEqual([false, false]);
});

test('two threads over the same memory see each other’s flags', () => {
  const one = new RunningFlags();
  const other = new RunningFlags(one.memory);
  one.setDiskFull(true);
  other.setWritable(false);
  other.setDiskFull(false);
  expect(one.bits).toBe(2);
});
