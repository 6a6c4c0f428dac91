import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from '../../src/native/file-lock.js';

const ADDON = join(import.meta.dirname, '../../build/Release/cometmq.node');
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cometmq-lock-'));
  path = join(directory, 'lock');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Another process: 'locked' when it gets the lock, else the error's code. */
function otherProcess(): string {
  const script = `
    const addon = require(${JSON.stringify(ADDON)});
    try { addon.lockFile(${JSON.stringify(path)}); console.log('locked'); }
    catch (error) { console.log(error.code); }`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout.trim();
}

describe('lockFile', () => {
  it('leaves the text that Java leaves', () => {
    const lock = lockFile(path);
    expect(readFileSync(path, 'latin1')).toBe('lock');
    lock.release();
  });

  it('keeps other processes out until it is released', () => {
    const lock = lockFile(path);
    expect(otherProcess()).toBe('EAGAIN');
    lock.release();
    expect(otherProcess()).toBe('locked');
  });

  it('keeps a second store of this process out', () => {
    const lock = lockFile(path);
    expect(() => lockFile(path)).toThrow(expect.objectContaining({ code: 'EAGAIN', path }));
    lock.release();
    lockFile(path).release();
  });

  it('is not lost when somebody else of this process opens and closes the file', () => {
    const lock = lockFile(path);
    closeSync(openSync(path, 'r'));
    expect(otherProcess()).toBe('EAGAIN');
    lock.release();
  });

  it('bars and is barred by the kind of lock that Java takes', () => {
    // A lock of the process, as FileChannel.tryLock() takes it: held by Python, which is asked for it and then for a line.
    const hold = `import fcntl,sys
f = open(${JSON.stringify(path)}, 'r+')
try:
  fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
  print('locked')
except OSError as e:
  print('barred')`;
    const python = () => spawnSync('python3', ['-c', hold], { encoding: 'utf8' }).stdout.trim();
    const lock = lockFile(path);
    expect(python()).toBe('barred');
    lock.release();
    expect(python()).toBe('locked');
  });

  it('says which file can not be opened', () => {
    const missing = join(directory, 'no', 'lock');
    expect(() => lockFile(missing)).toThrow(
      expect.objectContaining({ code: 'ENOENT', syscall: 'open', path: missing }),
    );
  });
});
