import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readInt64 } from '../../../src/message/message-layout.js';
import { LogFiles } from '../../../src/store/mapped/log-files.js';
import { LogReader } from '../../../src/store/mapped/log-reader.js';
import { StoreCursor } from '../../../src/store/store-cursors.js';
import { removeFolders } from '../golden-store.js';
import { bodyForRecord, FILE_BYTES, logFileNames, openLog, requestOf } from '../log-fixture.js';

afterEach(removeFolders);

/** Three files, each with one record of 10,000 bytes. */
function threeFiles() {
  const fixture = openLog();
  for (let i = 0; i < 3; i++) fixture.log.append(requestOf({ body: bodyForRecord(10_000) }));
  fixture.log.publishWroteOffset();
  return fixture;
}

test('shows each record where it lies, up to the end of what was published', () => {
  const { log, cursors, config } = threeFiles();
  const reader = new LogReader(new LogFiles(config), cursors);
  for (const physicalOffset of [FILE_BYTES * 2, 0, FILE_BYTES]) {
    expect(reader.locate(physicalOffset)).toBe(true);
    expect(readInt64(reader.buffer, reader.position + 28)).toBe(physicalOffset);
  }
  expect(reader.locate(FILE_BYTES + 100)).toBe(true);
  expect([reader.position, reader.limit]).toEqual([100, FILE_BYTES]);
  expect(reader.locate(FILE_BYTES * 2 + 100)).toBe(true);
  expect([reader.position, reader.limit]).toEqual([100, 10_000]);
  log.append(requestOf());
  expect(reader.locate(FILE_BYTES * 2 + 10_000)).toBe(false);
  log.publishWroteOffset();
  expect(reader.locate(FILE_BYTES * 2 + 10_000)).toBe(true);
  reader.close();
});

test('reads no further than the cursor that it was given', () => {
  const { cursors, config } = threeFiles();
  const reader = new LogReader(config, cursors, StoreCursor.flushedWhere);
  expect(reader.locate(0)).toBe(false);
  cursors.set(StoreCursor.flushedWhere, 10_000);
  expect(reader.locate(0)).toBe(true);
  expect(reader.limit).toBe(10_000);
  expect(reader.locate(10_000)).toBe(false);
  reader.close();
});

test('lets go of the views of files that the log has lost, and no others', () => {
  const { log, cursors, config } = threeFiles();
  const reader = new LogReader(config, cursors);
  for (const physicalOffset of [0, FILE_BYTES, FILE_BYTES * 2]) reader.locate(physicalOffset);
  reader.locate(0);
  const lost = reader.buffer;
  const path = log.dropOldestFile();
  expect(path).toBe(join(config.storePathRootDir, 'commitlog', '0'.repeat(20)));
  unlinkSync(path ?? '');
  // Who still holds bytes of it is not disturbed by looking for others.
  expect(reader.locate(FILE_BYTES * 3)).toBe(false);
  expect(reader.locate(0)).toBe(false);
  expect(lost.length).toBe(FILE_BYTES);
  reader.refresh();
  // The view is gone, not left to point at freed memory.
  expect(lost.length).toBe(0);
  expect(reader.openFileCount).toBe(2);
  expect(reader.locate(0)).toBe(false);
  expect(reader.minOffset).toBe(FILE_BYTES);
  expect(reader.locate(FILE_BYTES)).toBe(true);
  reader.close();
});

test('a file that went away before the reader heard of it is no error', () => {
  const { log, cursors, config } = threeFiles();
  const reader = new LogReader(config, cursors);
  unlinkSync(log.dropOldestFile() ?? '');
  expect(reader.locate(0)).toBe(false);
  expect(reader.minOffset).toBe(FILE_BYTES);
});

test('a file that should be there and is not is an error', () => {
  const { cursors, config, root } = threeFiles();
  const reader = new LogReader(config, cursors);
  unlinkSync(join(root, 'commitlog', logFileNames(root)[1] ?? ''));
  expect(() => reader.locate(FILE_BYTES)).toThrow(/ENOENT/);
});

test('tells whether a range is in memory, cut at the end of its file', () => {
  const { cursors, config } = threeFiles();
  const reader = new LogReader(config, cursors);
  expect(reader.isResident(FILE_BYTES + 100, 9_000)).toBe(true);
  expect(() => reader.isResident(FILE_BYTES + 100, FILE_BYTES)).not.toThrow();
  reader.close();
});
