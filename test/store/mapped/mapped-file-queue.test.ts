import { afterEach, expect, test } from 'vitest';
import { LogFiles } from '../../../src/store/mapped/log-files.js';
import { MappedFileQueue } from '../../../src/store/mapped/mapped-file-queue.js';
import { defaultStoreConfig } from '../../../src/store/store-config.js';
import { newFolder, removeFolders } from '../golden-store.js';

const SIZE = 4096;

afterEach(removeFolders);

function logFiles(count: number): LogFiles {
  const files = new LogFiles({ ...defaultStoreConfig(newFolder()), mappedFileSizeCommitLog: SIZE });
  for (let i = 0; i < count; i++) files.openOrCreate(i * SIZE).release();
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

test('only the file that is appended to has bytes', () => {
  const queue = new MappedFileQueue(logFiles(1));
  queue.load(SIZE);
  expect(queue.last?.buffer.length).toBe(0);
  queue.openLast();
  expect(queue.last?.buffer.length).toBe(SIZE);
  queue.close();
  expect(queue.last?.buffer.length).toBe(0);
});
