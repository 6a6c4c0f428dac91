import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { javaHashCode } from '../../../src/base/java-hash.js';
import { indexKeyHash } from '../../../src/store/dispatch/dispatch-request.js';
import { IndexFile } from '../../../src/store/index/index-file.js';
import { IndexService, localTimeName } from '../../../src/store/index/index-service.js';
import { goldenJson } from '../../golden-data.js';
import { newFolder, removeFolders, storeConfig } from '../golden-store.js';
import { patch } from '../small-store.js';

afterAll(removeFolders);

const BEGIN = 1_700_000_000_000;

function newFile(maxIndexNum = 10, slots = 4, end = 0, endTime = 0): IndexFile {
  const config = storeConfig(newFolder(), { maxHashSlotNum: slots, maxIndexNum });
  return IndexFile.create(join(config.storePathRootDir, '20260101000000000'), config, end, endTime);
}

function select(file: IndexFile, hash: number, max = 64, begin = 0, end = 2 ** 50): number[] {
  const offsets: number[] = [];
  file.select(offsets, hash, max, begin, end);
  return offsets;
}

describe('the hash of a key', () => {
  it('is what Java computes, and 0 where there is no absolute value', () => {
    const { strings } = goldenJson<{ strings: { s: string; indexKeyHash: number }[] }>(
      'micro.json',
    );
    for (const { s, indexKeyHash: expected } of strings) {
      const [topic, ...key] = s.split('#');
      if (key.length > 0)
        expect([s, indexKeyHash(topic ?? '', key.join('#'))]).toEqual([s, expected]);
    }
    // "polygenelubricants" hashes to Integer.MIN_VALUE; with a topic before it another text does.
    expect(minValueKey()).toBe(0);
  });
});

describe('IndexFile', () => {
  it('holds one key less than maxIndexNum', () => {
    const file = newFile(10);
    let count = 0;
    while (file.put(count, count * 100, BEGIN)) count++;
    expect([count, file.indexCount, file.isFull]).toEqual([9, 10, true]);
    file.close();
  });

  it('presets its bounds and lets the first key overwrite the lower ones', () => {
    const file = newFile(10, 4, 5_000, BEGIN);
    expect([file.beginPhysicalOffset, file.endPhysicalOffset, file.beginTimestamp]).toEqual([
      5_000,
      5_000,
      BEGIN,
    ]);
    expect(file.indexCount).toBe(1);
    file.put(7, 6_000, BEGIN + 2_500);
    expect([file.beginPhysicalOffset, file.beginTimestamp]).toEqual([6_000, BEGIN + 2_500]);
    // The time of the first entry is counted from the preset, as in Java.
    expect(select(file, 7, 64, BEGIN + 4_500, BEGIN + 4_500)).toEqual([6_000]);
    file.close();
  });

  it('gives colliding hashes newest first, and all keys that share a slot apart', () => {
    const file = newFile(10, 4);
    for (const [hash, offset] of [
      [3, 100],
      [7, 200],
      [3, 300],
      [11, 400],
    ] as const) {
      file.put(hash, offset, BEGIN);
    }
    expect(select(file, 3)).toEqual([300, 100]);
    expect(select(file, 7)).toEqual([200]);
    expect(select(file, 3, 1)).toEqual([300]);
    expect(select(file, 15)).toEqual([]);
    expect(file.hashSlotCount).toBe(1);
    file.close();
  });

  it('compares times by the second, counted from its beginning', () => {
    const file = newFile();
    file.put(3, 100, BEGIN);
    file.put(3, 200, BEGIN - 5_000);
    file.put(3, 300, BEGIN + 1_999);
    expect(select(file, 3, 64, BEGIN + 1_000, BEGIN + 1_000)).toEqual([300]);
    // A time before the beginning counts as the beginning.
    expect(select(file, 3, 64, BEGIN, BEGIN)).toEqual([200, 100]);
    file.close();
  });

  it('stops a walk at the first entry before the range, as Java does', () => {
    const file = newFile();
    file.put(3, 100, BEGIN);
    file.put(3, 200, BEGIN + 5_000);
    file.put(3, 300, BEGIN);
    expect(select(file, 3, 64, BEGIN + 5_000, BEGIN + 5_000)).toEqual([]);
    file.close();
  });

  it('ends every walk, whatever stands in the chain', () => {
    const config = storeConfig(newFolder(), { maxHashSlotNum: 4, maxIndexNum: 10 });
    const path = join(config.storePathRootDir, '20260101000000000');
    const file = IndexFile.create(path, config, 0, 0);
    for (let i = 0; i < 5; i++) file.put(3, i, BEGIN);
    expect(file.isConsistent(1_000)).toBe(true);
    // Entry 3 now says that entry 5 was before it.
    const entryAt = (entry: number) => 40 + 4 * 4 + entry * 20;
    patch(path, entryAt(3) + 16, Uint8Array.of(0, 0, 0, 5));
    expect(select(file, 3)).toEqual([4, 3, 2]);
    expect(file.isConsistent(1_000)).toBe(false);
    file.close();
  });
});

describe('IndexService', () => {
  it('enters a record once, also when it is dispatched again across a full file', () => {
    const config = storeConfig(newFolder(), { maxHashSlotNum: 4, maxIndexNum: 4 });
    const index = new IndexService(config, { clock: new ManualClock(BEGIN) });
    index.putKeys([1, 2], 2, 0, BEGIN);
    index.putKeys([1, 2], 2, 100, BEGIN);
    for (let i = 0; i < 3; i++) index.putKeys([1, 2], 2, 100, BEGIN);
    index.putKeys([1], 1, 0, BEGIN);
    expect(index.files.map((file) => file.indexCount - 1)).toEqual([3, 1]);
    expect(index.lastPhysicalOffset).toBe(100);
    index.close();
  });

  it('names files by local time, and always later than the one before', () => {
    const config = storeConfig(newFolder(), { maxHashSlotNum: 4, maxIndexNum: 2 });
    const index = new IndexService(config, { clock: new ManualClock(BEGIN) });
    for (let i = 0; i < 3; i++) index.putKeys([1], 1, i, BEGIN);
    const first = localTimeName(BEGIN);
    expect(readdirSync(index.directory).sort()).toEqual([
      first,
      String(BigInt(first) + 1n),
      String(BigInt(first) + 2n),
    ]);
    index.close();
  });

  it('moves the checkpoint when a file got full, and only then', () => {
    const config = storeConfig(newFolder(), { maxHashSlotNum: 4, maxIndexNum: 3 });
    const checkpoint = {
      indexMsgTimestamp: 0,
      flushes: 0,
      flush() {
        this.flushes++;
      },
    };
    const index = new IndexService(config, { clock: new ManualClock(BEGIN), checkpoint });
    for (let i = 0; i < 2; i++) index.putKeys([i], 1, i, BEGIN + i);
    expect(checkpoint.indexMsgTimestamp).toBe(0);
    index.putKeys([2], 1, 2, BEGIN + 2);
    expect([checkpoint.indexMsgTimestamp, checkpoint.flushes]).toEqual([BEGIN + 1, 1]);
    index.close();
  });

  it('drops files whose records are gone, and never the last', () => {
    const config = storeConfig(newFolder(), { maxHashSlotNum: 4, maxIndexNum: 3 });
    const index = new IndexService(config, { clock: new ManualClock(BEGIN) });
    for (let i = 0; i < 6; i++) index.putKeys([i], 1, i * 100, BEGIN);
    expect(index.deleteExpired(100)).toBe(0);
    expect(index.deleteExpired(101)).toBe(1);
    expect(index.deleteExpired(10_000)).toBe(1);
    expect(index.files.length).toBe(1);
    index.close();
  });

  it('lets a reader in another thread follow what the owner makes and deletes', () => {
    const config = storeConfig(newFolder(), { maxHashSlotNum: 4, maxIndexNum: 3 });
    const owner = new IndexService(config, { clock: new ManualClock(BEGIN) });
    const reader = new IndexService(config, { clock: new ManualClock(BEGIN) });
    for (let i = 0; i < 6; i++) owner.putKeys([indexKeyHash('T', `k${i}`)], 1, i * 100, BEGIN);
    reader.refresh();
    expect(reader.query('T', 'k5', 10, 0, 2 ** 50).physicalOffsets).toEqual([500]);
    owner.deleteExpired(101);
    reader.refresh();
    expect(reader.query('T', 'k0', 10, 0, 2 ** 50).physicalOffsets).toEqual([]);
    expect(reader.files.length).toBe(owner.files.length);
    owner.close();
    reader.close();
  });
});

/** The index hash of a key whose `topic#key` hashes to Integer.MIN_VALUE: its last three characters are solved for. */
function minValueKey(): number {
  for (let i = 0; i < 10_000_000; i++) {
    const start = `T#k${i}`;
    const need = (-0x8000_0000 - Math.imul(javaHashCode(start), 31 * 31 * 31)) >>> 0;
    if (need >= 0xd000 * 961) continue;
    const units = [Math.floor(need / 961), Math.floor((need % 961) / 31), need % 31];
    const key = `k${i}${String.fromCharCode(...units)}`;
    expect(javaHashCode(`T#${key}`)).toBe(-0x8000_0000);
    return indexKeyHash('T', key);
  }
  throw new Error('no such key');
}
