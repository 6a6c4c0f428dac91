import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setFaults } from '../../src/native/fs.js';
import { MappedRegion } from '../../src/native/mapped-region.js';

const SIZE = 256 * 1024;
let path: string;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'cometmq-region-')), '00000000000000000000');
});
afterEach(() => setFaults(''));

describe('MappedRegion', () => {
  it('allocates the whole file before it maps it', () => {
    const region = MappedRegion.create(path, SIZE);
    expect(statSync(path).size).toBe(SIZE);
    expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(SIZE);
    region.release();
  });

  it('writes through to the file and syncs ranges that are not page-aligned', () => {
    const region = MappedRegion.create(path, SIZE);
    region.buffer.write('hello', 5000);
    region.sync(5000, 5);
    expect(readFileSync(path).toString('latin1', 5000, 5005)).toBe('hello');
    expect(region.isResident(5000, 5)).toBe(true);
    region.release();
  });

  it('shares one view in a thread and detaches it at the last release', () => {
    const first = MappedRegion.create(path, SIZE);
    const second = MappedRegion.open(path, SIZE);
    first.buffer[7] = 42;
    first.release();
    expect(second.buffer[7]).toBe(42);
    second.release();
    expect(second.buffer.length).toBe(0);
    expect(second.isReleased).toBe(true);
    second.release();
  });

  it('goes on reading a file that was unlinked while mapped, and maps a new one of that name afresh', () => {
    const old = MappedRegion.create(path, SIZE);
    old.buffer[0] = 1;
    unlinkSync(path);
    const young = MappedRegion.create(path, SIZE);
    expect([old.buffer[0], young.buffer[0]]).toEqual([1, 0]);
    old.release();
    young.release();
  });

  it('says which file is missing, of another length, or in the way', () => {
    expect(() => MappedRegion.open(path, SIZE)).toThrow(
      expect.objectContaining({ code: 'ENOENT', path }),
    );
    writeFileSync(path, 'short');
    expect(() => MappedRegion.open(path, SIZE)).toThrow(
      expect.objectContaining({ code: 'ESIZE', path }),
    );
    expect(() => MappedRegion.create(path, SIZE)).toThrow(
      expect.objectContaining({ code: 'EEXIST' }),
    );
  });

  it('leaves no file behind when the disk is full', () => {
    setFaults('fallocate@1=ENOSPC');
    expect(() => MappedRegion.create(path, SIZE)).toThrow(
      expect.objectContaining({ code: 'ENOSPC', syscall: 'fallocate', path }),
    );
    expect(existsSync(path)).toBe(false);
    MappedRegion.create(path, SIZE).release();
  });

  it('reports a failed sync with its errno, once', () => {
    const region = MappedRegion.create(path, SIZE);
    setFaults('msync@2=EIO');
    region.sync(0, 1);
    expect(() => region.sync(0, 1)).toThrow(
      expect.objectContaining({ code: 'EIO', syscall: 'msync' }),
    );
    // The kernel forgets: a second try says that all is well. That is why nobody retries.
    region.sync(0, 1);
    region.release();
  });

  it('refuses a range outside the file', () => {
    const region = MappedRegion.create(path, SIZE);
    expect(() => region.sync(SIZE - 1, 2)).toThrow(/EINVAL/);
    region.release();
  });

  it('survives twenty readers while files are released and deleted under them', async () => {
    const readers = 20;
    const control = new Int32Array(new SharedArrayBuffer(8 + readers * 4));
    const directory = mkdtempSync(join(tmpdir(), 'cometmq-readers-'));
    const workers = Array.from(
      { length: readers },
      (_, index) =>
        new Worker(new URL('../support/region-reader.mjs', import.meta.url), {
          workerData: { control: control.buffer, directory, sizeBytes: SIZE, index },
        }),
    );
    const ended = workers.map(
      (worker) => new Promise<number>((resolve) => worker.on('exit', resolve)),
    );
    const failures: Error[] = [];
    for (const worker of workers) worker.on('error', (error) => failures.push(error));
    const reads = () => [...control.subarray(2)];
    const until = async (isDone: () => boolean) => {
      while (!isDone() && failures.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 1));
    };
    for (let file = 1; file <= 30; file++) {
      const region = MappedRegion.create(join(directory, String(file)), SIZE);
      region.buffer.fill(file);
      const before = reads();
      Atomics.store(control, 0, file);
      // All threads read the first file; then whoever is on it when the next one comes.
      const wanted = file === 1 ? readers : 4;
      await until(() => reads().filter((n, i) => n > (before[i] ?? 0) + 1).length >= wanted);
      unlinkSync(region.path);
      region.release();
    }
    Atomics.store(control, 1, 1);
    expect(await Promise.all(ended)).toEqual(new Array(readers).fill(0));
    expect(failures).toEqual([]);
    expect(Math.min(...reads())).toBeGreaterThan(0);
  });

  it('gives a new file its name only when all of it is there', () => {
    setFaults('fsync@1=EIO');
    expect(() => MappedRegion.create(path, SIZE)).toThrow(
      expect.objectContaining({ code: 'EIO', syscall: 'fsync' }),
    );
    expect(existsSync(path)).toBe(false);
    // The second sync is the folder's: the name is taken back.
    setFaults('fsync@2=EIO');
    expect(() => MappedRegion.create(path, SIZE)).toThrow(/EIO/);
    expect(existsSync(path)).toBe(false);
  });

  it('leaves no file behind whichever step of making it fails, and opens none that it may not', () => {
    for (const step of ['open', 'fallocate', 'fsync', 'linkat', 'fsync@2']) {
      setFaults(`${step.includes('@') ? step : `${step}@1`}=EIO`);
      expect(() => MappedRegion.create(path, SIZE)).toThrow(/EIO/);
      expect(existsSync(path)).toBe(false);
    }
    setFaults('mmap@1=ENOMEM');
    expect(() => MappedRegion.create(path, SIZE)).toThrow(
      expect.objectContaining({ code: 'ENOMEM', syscall: 'mmap' }),
    );
    // The file was whole by then; it is there for whoever tries again.
    MappedRegion.open(path, SIZE).release();
  });

  it('refuses a file system that cannot allocate, unless it may write the zeros', () => {
    setFaults('fallocate=EOPNOTSUPP');
    expect(() => MappedRegion.create(path, SIZE)).toThrow(/EOPNOTSUPP/);
    expect(existsSync(path)).toBe(false);
    const region = MappedRegion.create(path, SIZE, { writeZeros: true });
    expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(SIZE);
    region.release();
  });

  it('is what a plain write to the file shows at once', () => {
    const region = MappedRegion.create(path, SIZE);
    const fd = openSync(path, 'r+');
    writeSync(fd, 'x', 100);
    closeSync(fd);
    expect(region.buffer[100]).toBe('x'.charCodeAt(0));
    region.release();
  });
});
