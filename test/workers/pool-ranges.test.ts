import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MappedRegion } from '../../src/native/mapped-region.js';
import { PoolRanges } from '../../src/workers/pool-ranges.js';
import { type RangeTask, runTask } from '../../src/workers/pool-tasks.js';

const SIZE = 64 * 1024;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cometmq-ranges-'));
  folders.push(folder);
  const path = join(folder, '00000000000000000000');
  MappedRegion.create(path, SIZE).release();
  return path;
}

describe('PoolRanges', () => {
  it('tells each asker when its own range is done, and how', () => {
    const tasks: RangeTask[] = [];
    const ranges = new PoolRanges((task) => tasks.push(task));
    const done: string[] = [];
    ranges.syncRange('a', SIZE, 0, 10, (ok) => done.push(`a ${ok}`));
    ranges.readRange('b', SIZE, 4096, 10, () => done.push('b'));
    expect(tasks.map(({ kind, path, position }) => [kind, path, position])).toEqual([
      ['sync', 'a', 0],
      ['read', 'b', 4096],
    ]);
    ranges.done(tasks[1]!.id, false);
    ranges.done(tasks[0]!.id, false);
    ranges.done(tasks[0]!.id, true);
    expect(done).toEqual(['b', 'a false']);
  });

  it('works on the spot once the thread stops, and then waits for nobody', () => {
    const ranges = new PoolRanges(() => expect.unreachable('nobody is asked any more'));
    ranges.stop();
    let synced: boolean | null = null;
    ranges.syncRange(newFile(), SIZE, 0, SIZE, (ok) => {
      synced = ok;
    });
    expect(synced).toBe(true);
  });
});

describe('runTask', () => {
  it('brings a range that was dropped from memory back into it', () => {
    const path = newFile();
    const region = MappedRegion.open(path, SIZE);
    region.buffer.fill(7);
    region.sync(0, SIZE);
    runTask({ kind: 'read', id: 1, path, sizeBytes: SIZE, position: 4096, lengthBytes: 8192 });
    expect(region.isResident(4096, 8192)).toBe(true);
    expect(region.buffer[5000]).toBe(7);
    region.release();
  });

  it('has nothing to do for a file that was deleted meanwhile', () => {
    const gone = { id: 1, path: '/nowhere/0', sizeBytes: SIZE, position: 0, lengthBytes: 10 };
    expect(() => runTask({ kind: 'sync', ...gone })).not.toThrow();
    expect(() => runTask({ kind: 'read', ...gone })).not.toThrow();
  });
});
