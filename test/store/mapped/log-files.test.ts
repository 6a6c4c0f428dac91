import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { setFaults } from '../../../src/native/fs.js';
import { MappedRegion } from '../../../src/native/mapped-region.js';
import { LogFiles } from '../../../src/store/mapped/log-files.js';
import { defaultStoreConfig } from '../../../src/store/store-config.js';
import { newFolder, removeFolders } from '../golden-store.js';

const SIZE = 4096;
const name = (start: number) => String(start).padStart(20, '0');

afterEach(() => {
  setFaults('');
  removeFolders();
});

function filesOf(root: string, changes = {}): LogFiles {
  return new LogFiles({ ...defaultStoreConfig(root), mappedFileSizeCommitLog: SIZE, ...changes });
}

test('lists segments of the right name and length, ascending, and nothing else', () => {
  const root = newFolder();
  const files = filesOf(root);
  expect(files.list()).toEqual([]);
  for (const start of [SIZE, 0]) files.ensure(start);
  writeFileSync(join(root, 'commitlog', 'notes'), 'x');
  writeFileSync(join(root, 'commitlog', name(SIZE * 2)), 'short');
  expect(files.list().map((entry) => entry.fileFromOffset)).toEqual([0, SIZE]);
});

test('a file that was made ahead is opened, not made again', () => {
  const root = newFolder();
  const files = filesOf(root);
  const path = files.ensure(0);
  const made = files.open(0);
  made.buffer[7] = 1;
  made.release();
  expect(files.ensure(0)).toBe(path);
  expect(readFileSync(path)[7]).toBe(1);
});

test('a file that is still being made is waited for', () => {
  const root = newFolder();
  const files = filesOf(root);
  mkdirSync(join(root, 'commitlog'));
  const path = join(root, 'commitlog', name(0));
  writeFileSync(path, '');
  // The other thread's work is done while this one opens it: the third open finds the full length.
  let opens = 0;
  const open = MappedRegion.open;
  MappedRegion.open = (...args) => {
    if (++opens === 3) truncateSync(path, SIZE);
    return open(...args);
  };
  try {
    expect(files.ensure(0)).toBe(path);
  } finally {
    MappedRegion.open = open;
  }
  expect(opens).toBe(3);
});

test('no room on the disk is an error that leaves no file', () => {
  const root = newFolder();
  setFaults('fallocate=ENOSPC');
  expect(() => filesOf(root).ensure(0)).toThrow(/ENOSPC/);
  expect(readdirSync(join(root, 'commitlog'))).toEqual([]);
});

test('several folders take turns; a read-only one keeps its files and takes no new ones', () => {
  const root = newFolder();
  const folders = ['a', 'b', 'ro'].map((folder) => join(root, folder));
  const changes = {
    storePathCommitLog: folders.slice(0, 2).join(','),
    readOnlyCommitLogStorePaths: folders[2] ?? '',
    diskSpaceCleanForciblyRatio: 1,
  };
  mkdirSync(folders[2] ?? '');
  MappedRegion.create(join(folders[2] ?? '', name(0)), SIZE).release();
  const files = filesOf(root, changes);
  for (const start of [0, SIZE, SIZE * 2, SIZE * 3]) files.ensure(start);
  expect(readdirSync(folders[0] ?? '')).toEqual([name(SIZE * 2)]);
  expect(readdirSync(folders[1] ?? '')).toEqual([name(SIZE), name(SIZE * 3)]);
  expect(readdirSync(folders[2] ?? '')).toEqual([name(0)]);
  expect(files.list().map((entry) => entry.fileFromOffset)).toEqual([0, SIZE, SIZE * 2, SIZE * 3]);
});
