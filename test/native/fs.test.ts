import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropCache, setFaults, syncDirectory } from '../../src/native/fs.js';
import { MappedRegion } from '../../src/native/mapped-region.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cometmq-fs-'));
});
afterEach(() => {
  setFaults('');
  rmSync(directory, { recursive: true });
});

describe('syncDirectory', () => {
  it('syncs a folder and names one that it can not', () => {
    syncDirectory(directory);
    const path = join(directory, 'none');
    expect(() => syncDirectory(path)).toThrow(expect.objectContaining({ code: 'ENOENT', path }));
  });

  it('throws what the disk answers', () => {
    setFaults('fsync@1=EIO');
    expect(() => syncDirectory(directory)).toThrow(
      expect.objectContaining({ code: 'EIO', errno: 5, syscall: 'fsync', path: directory }),
    );
  });
});

describe('dropCache', () => {
  it('leaves the content as it is', () => {
    const path = join(directory, 'f');
    writeFileSync(path, Buffer.alloc(10_000, 'x'));
    dropCache(path);
    expect(readFileSync(path, 'latin1')).toBe('x'.repeat(10_000));
  });
});

describe('setFaults', () => {
  it('refuses a table that it can not read, and keeps the one before', () => {
    setFaults('msync@1=EIO');
    for (const spec of ['msync', 'nothing=EIO', 'msync@0=EIO', 'msync=ENOTHING', 'msync@x=EIO']) {
      expect(() => setFaults(spec)).toThrow(/fault table/);
    }
    const region = MappedRegion.create(join(directory, 'f'), 4096);
    expect(() => region.sync(0, 1)).toThrow(/EIO/);
    region.release();
  });

  it('counts each kind of call by itself and makes every call slow where no number is given', () => {
    const region = MappedRegion.create(join(directory, 'f'), 4096);
    setFaults('msync=20ms,msync@2=ENOSPC');
    const begun = performance.now();
    region.sync(0, 1);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(20);
    syncDirectory(directory);
    expect(() => region.sync(0, 1)).toThrow(/ENOSPC/);
    region.release();
  });
});
