import { afterEach, expect, test, vi } from 'vitest';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { MappedFile } from '../../../src/store/mapped/mapped-file.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { StoreCursor } from '../../../src/store/store-cursors.js';
import { removeFolders } from '../golden-store.js';
import { bodyForRecord, FILE_BYTES, logFile, openLog, requestOf } from '../log-fixture.js';

const { PUT_OK } = PutMessageStatus;
const FIRST = '0'.repeat(20);

afterEach(removeFolders);

test('what the disk does not take is never published', () => {
  const { log, cursors } = openLog();
  log.append(requestOf());
  log.publishWroteOffset();
  const before = log.wroteOffset;
  log.append(requestOf());
  const write = vi.spyOn(MappedFile.prototype, 'write').mockImplementation(() => {
    throw new Error('EIO: i/o error, write');
  });
  expect(() => log.publishWroteOffset()).toThrow('EIO');
  expect(cursors.get(StoreCursor.wroteOffset)).toBe(before);
  write.mockRestore();
});

test('a roll-over that can not write ends the log: it is no want of a file', () => {
  const { log, cursors } = openLog();
  log.append(requestOf({ body: bodyForRecord(FILE_BYTES - 100) }));
  const write = vi.spyOn(MappedFile.prototype, 'write').mockImplementation(() => {
    throw new Error('EIO: i/o error, write');
  });
  expect(() => log.append(requestOf({ body: bodyForRecord(1_000) }))).toThrow('EIO');
  expect(cursors.get(StoreCursor.wroteOffset)).toBe(0);
  write.mockRestore();
});

test('more than the stage holds is in the file in its order, as are records larger than it', () => {
  const { log, root } = openLog({ mappedFileSizeCommitLog: 8 * 1024 * 1024 });
  const sizes = [400_000, 100, 400_000, 1_200_000, 100, 600_000];
  const starts = sizes.map((size, i) => {
    expect(log.append(requestOf({ body: Buffer.alloc(size, 65 + i) }))).toBe(PUT_OK);
    return log.lastPhysicalOffset;
  });
  log.publishWroteOffset();
  const file = logFile(root, FIRST);
  for (const [i, start] of starts.entries()) {
    const record = decodeMessage(file, start);
    expect(record?.queueOffset).toBe(i);
    expect(record?.body.equals(Buffer.alloc(sizes[i] ?? 0, 65 + i))).toBe(true);
  }
});
