import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { LogFiles } from '../../../src/store/mapped/log-files.js';
import { MappedFileQueue } from '../../../src/store/mapped/mapped-file-queue.js';
import { defaultStoreConfig } from '../../../src/store/store-config.js';
import { newFolder, removeFolders } from '../golden-store.js';

const SIZE = 4096;

afterEach(removeFolders);

function logFiles(count: number): LogFiles {
  const files = new LogFiles({ ...defaultStoreConfig(newFolder()), mappedFileSizeCommitLog: SIZE });
  for (let i = 0; i < count; i++) files.ensure(i * SIZE);
  return files;
}

test('takes the files that begin before the end of the log', () => {
  const queue = new MappedFileQueue(logFiles(3));
  queue.load(SIZE + 10);
  expect(queue.count).toBe(2);
  expect(queue.first?.wrotePosition).toBe(SIZE);
  expect(queue.last?.wrotePosition).toBe(10);
});

test('a file made ahead that begins where the log ends is not part of it yet', () => {
  const queue = new MappedFileQueue(logFiles(2));
  queue.load(SIZE);
  expect(queue.count).toBe(1);
});

test('never drops the last file', () => {
  const queue = new MappedFileQueue(logFiles(2));
  queue.load(SIZE * 2);
  expect(queue.dropFirst()?.fileFromOffset).toBe(0);
  expect(queue.dropFirst()).toBeNull();
  expect(queue.first?.fileFromOffset).toBe(SIZE);
});

test('only the file that is appended to is open', () => {
  const queue = new MappedFileQueue(logFiles(1));
  queue.load(SIZE);
  const write = () => queue.last?.write(Buffer.from([7]), 1, 0);
  expect(write).toThrow(/EBADF|ERR_OUT_OF_RANGE|out of range/);
  queue.openLast();
  write();
  expect(readFileSync(queue.last?.path ?? '')[0]).toBe(7);
  queue.close();
  expect(write).toThrow(/EBADF|ERR_OUT_OF_RANGE|out of range/);
});
