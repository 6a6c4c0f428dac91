import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ConsumeQueue,
  CqAppend,
  GapPolicy,
} from '../../../src/store/consumequeue/consume-queue.js';
import { MappedFilePool } from '../../../src/store/consumequeue/queue-file.js';
import {
  correctMinOffset,
  deleteExpiredFiles,
  recoverQueue,
  truncateQueue,
} from '../../../src/store/consumequeue/queue-recovery.js';
import { newFolder, removeFolders, storeConfig } from '../golden-store.js';

afterAll(removeFolders);

/** 20 entries a file. */
function newQueue(root = newFolder(), pool = new MappedFilePool()): ConsumeQueue {
  const config = storeConfig(root, { mappedFileSizeConsumeQueue: 390 });
  return new ConsumeQueue('T', 3, config, pool);
}

function fill(queue: ConsumeQueue, count: number, from = 0): void {
  for (let i = from; i < from + count; i++) queue.append(i * 100, 100, 0, i, i);
}

function entries(queue: ConsumeQueue, count = 2): (readonly [bigint, number, bigint])[] {
  const folder = queue.files.directory;
  const names = readdirSync(folder).sort();
  const bytes = Buffer.concat(names.map((name) => readFileSync(join(folder, name))));
  return Array.from({ length: count }, (_, i) => [
    bytes.readBigInt64BE(i * 20),
    bytes.readInt32BE(i * 20 + 8),
    bytes.readBigInt64BE(i * 20 + 12),
  ]);
}

describe('ConsumeQueue.append', () => {
  it('rounds the file size up to whole entries and rolls over when a file is full', () => {
    const queue = newQueue();
    fill(queue, 41);
    expect(queue.files.files.map((file) => file.fileFromOffset)).toEqual([0, 400, 800]);
    expect(queue.files.files.map((file) => file.sizeBytes)).toEqual([400, 400, 400]);
    expect([queue.minOffset, queue.maxOffset, queue.maxPhysicOffset]).toEqual([0, 41, 4_100]);
  });

  it('drops a record that the queue reaches past', () => {
    const queue = newQueue();
    fill(queue, 5);
    expect(queue.append(400, 100, 0, 9, 5)).toBe(CqAppend.DONE);
    expect(queue.maxOffset).toBe(5);
  });

  it('drops an entry that was built before, though its record is new', () => {
    const queue = newQueue();
    fill(queue, 5);
    queue.append(9_000, 100, 0, 9, 3);
    expect([queue.maxOffset, queue.maxPhysicOffset]).toEqual([5, 500]);
  });

  it('appends at the end when entries are missing before, as Java does', () => {
    const queue = newQueue();
    fill(queue, 5);
    queue.append(9_000, 100, 0, 9, 8);
    expect([queue.maxOffset, queue.gapCount]).toEqual([6, 1]);
    expect(entries(queue, 6)[5]).toEqual([9_000n, 100, 9n]);
  });

  it('reports missing entries when asked to, and writes nothing', () => {
    const queue = newQueue();
    fill(queue, 5);
    queue.gapPolicy = GapPolicy.REPORT;
    expect(queue.append(9_000, 100, 0, 9, 8)).toBe(CqAppend.GAP);
    expect([queue.maxOffset, queue.maxPhysicOffset]).toEqual([5, 500]);
  });

  it('does not look at the place of a record with queue offset 0', () => {
    const queue = newQueue();
    fill(queue, 5);
    queue.append(9_000, 100, 0, 9, 0);
    expect(queue.maxOffset).toBe(6);
  });

  it('fills the history of a queue that begins in the middle of a file', () => {
    const queue = newQueue();
    queue.append(65_536, 300, -1, -5, 22);
    expect([queue.minOffset, queue.maxOffset]).toEqual([22, 23]);
    expect(queue.files.files.map((file) => file.fileFromOffset)).toEqual([400]);
    expect(entries(queue, 4)).toEqual([
      [0n, 2_147_483_647, 0n],
      [0n, 2_147_483_647, 0n],
      [65_536n, 300, -5n],
      [0n, 0, 0n],
    ]);
  });

  it('keeps the sign of a tags code in all 64 bits', () => {
    const queue = newQueue();
    queue.append(0, 100, -1, -0x8000_0000, 0);
    queue.append(100, 100, 0, 0x7fff_ffff, 1);
    expect(entries(queue)).toEqual([
      [0n, 100, -2_147_483_648n],
      [100n, 100, 2_147_483_647n],
    ]);
  });
});

describe('reading a queue', () => {
  it('gives entries up to the end of their file', () => {
    const queue = newQueue();
    fill(queue, 25);
    expect(queue.locate(17)).toBe(true);
    expect((queue.limit - queue.position) / 20).toBe(3);
    expect(queue.locate(20) && (queue.limit - queue.position) / 20).toBe(5);
    expect(queue.locate(25)).toBe(false);
    expect(queue.rollNextFile(17)).toBe(20);
  });

  it('keeps no more files mapped than the pool has room for', () => {
    const pool = new MappedFilePool(4);
    const queue = newQueue(newFolder(), pool);
    fill(queue, 400);
    expect(pool.mappedCount).toBeLessThanOrEqual(4);
    for (let i = 0; i < 400; i += 7) {
      expect(queue.locate(i)).toBe(true);
      expect(queue.buffer.readInt32BE(queue.position + 16)).toBe(i);
    }
    expect(pool.mappedCount).toBeLessThanOrEqual(4);
    queue.close();
    expect(pool.mappedCount).toBe(0);
  });
});

describe('recovery of a queue', () => {
  it('finds the end of the entries again', () => {
    const root = newFolder();
    const queue = newQueue(root);
    fill(queue, 65);
    queue.close();
    const again = newQueue(root);
    again.files.load();
    recoverQueue(again);
    expect([again.maxOffset, again.maxPhysicOffset]).toEqual([65, 6_500]);
    again.append(6_500, 100, 0, 65, 65);
    expect(again.maxOffset).toBe(66);
  });

  it('does not take fillers for the end of the log', () => {
    const root = newFolder();
    const queue = newQueue(root);
    queue.append(65_536, 300, 0, 0, 2);
    truncateQueue(queue, 65_536);
    queue.close();
    const again = newQueue(root);
    again.files.load();
    recoverQueue(again);
    expect(again.maxPhysicOffset).toBe(-1);
    again.append(65_536, 300, 0, 0, 2);
    expect(again.maxOffset).toBe(3);
  });

  it('cuts what leads behind the end of the log, over files, and zeroes it', () => {
    const queue = newQueue();
    fill(queue, 50);
    truncateQueue(queue, 1_500);
    expect([queue.maxOffset, queue.maxPhysicOffset]).toEqual([15, 1_500]);
    expect(queue.files.files.length).toBe(1);
    expect(entries(queue, 16)[15]).toEqual([0n, 0, 0n]);
  });

  it('leaves a queue without entries at the end of the log, as Java does', () => {
    const queue = newQueue();
    fill(queue, 3);
    truncateQueue(queue, 0);
    expect([queue.maxOffset, queue.maxPhysicOffset, queue.lastPhysicalEnd()]).toEqual([0, 0, -1]);
  });
});

describe('the first offset of a queue', () => {
  it('is the first entry of the first file that the log still has', () => {
    const queue = newQueue();
    fill(queue, 30);
    correctMinOffset(queue, 701);
    expect(queue.minOffset).toBe(8);
  });

  it('stays when no entry of the first file qualifies', () => {
    const queue = newQueue();
    fill(queue, 30);
    correctMinOffset(queue, 2_500);
    expect(queue.minOffset).toBe(0);
  });

  it('moves on when files go whose last record is gone; the last file stays', () => {
    const queue = newQueue();
    fill(queue, 60);
    expect(deleteExpiredFiles(queue, 1_900)).toBe(0);
    expect(deleteExpiredFiles(queue, 2_000)).toBe(1);
    expect(queue.minOffset).toBe(20);
    expect(deleteExpiredFiles(queue, 1_000_000)).toBe(1);
    expect(queue.files.files.length).toBe(1);
    expect(existsSync(join(queue.files.directory, '0'.repeat(20)))).toBe(false);
  });
});
