import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileWithBackup, writeFileAtomic } from '../../src/base/json-file.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'json-file-'));
  path = join(folder, 'config', 'table.json');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('writeFileAtomic', () => {
  it('makes the folder, replaces the file and keeps the one before as backup', async () => {
    await writeFileAtomic(path, 'one');
    expect(existsSync(`${path}.bak`)).toBe(false);
    await writeFileAtomic(path, 'two');
    await writeFileAtomic(path, 'three');
    expect(readFileSync(path, 'utf8')).toBe('three');
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('two');
    expect(readdirSync(join(folder, 'config')).sort()).toEqual(['table.json', 'table.json.bak']);
  });

  it('ends with the last text when many are written at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => writeFileAtomic(path, `text ${i}`)));
    expect(readFileSync(path, 'utf8')).toBe('text 19');
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('text 18');
  });

  it('gives the file the mode that was asked for, whatever a crash left behind', async () => {
    await writeFileAtomic(path, 'one');
    writeFileSync(`${path}.tmp`, 'half a te', { mode: 0o644 });
    await writeFileAtomic(path, 'two', 0o600);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('goes on after what a crash left behind', async () => {
    await writeFileAtomic(path, 'one');
    writeFileSync(`${path}.tmp`, 'half a te');
    writeFileSync(`${path}.bak.tmp`, 'left');
    await writeFileAtomic(path, 'two');
    expect(readFileWithBackup(path)).toBe('two');
    expect(readdirSync(join(folder, 'config')).sort()).toEqual(['table.json', 'table.json.bak']);
  });

  it('leaves the old file in place when it fails, and says which file', async () => {
    writeFileSync(join(folder, 'config'), 'a file where a folder should be');
    await expect(writeFileAtomic(path, 'x')).rejects.toMatchObject({ code: 'FILE_IO' });
    await expect(writeFileAtomic(path, 'x')).rejects.toThrow(path);
    expect(readFileSync(join(folder, 'config'), 'utf8')).toContain('a file');
  });
});

describe('readFileWithBackup', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  it('is null only when there is neither a file nor a backup', () => {
    expect(readFileWithBackup(path)).toBeNull();
  });

  it.each([
    ['cut in half', '{"a":'],
    ['empty', ''],
    ['full of zeros', '\0'.repeat(40)],
    ['with an old tail', '{"a":1}}}'],
  ])('takes the backup when the file is %s (bug report 4)', async (_what, damage) => {
    await writeFileAtomic(path, '{"a":0}');
    await writeFileAtomic(path, '{"a":1}');
    writeFileSync(path, damage);
    expect(readFileWithBackup(path, isJson)).toBe('{"a":0}');
  });

  it('takes the backup when the file is missing', async () => {
    await writeFileAtomic(path, '{"a":0}');
    await writeFileAtomic(path, '{"a":1}');
    rmSync(path);
    expect(readFileWithBackup(path, isJson)).toBe('{"a":0}');
  });

  it('never starts as empty when both are damaged', async () => {
    await writeFileAtomic(path, '{"a":0}');
    await writeFileAtomic(path, '{"a":1}');
    writeFileSync(path, '{');
    writeFileSync(`${path}.bak`, '');
    expect(() => readFileWithBackup(path, isJson)).toThrow(/neither the file nor its backup/);
  });

  it('refuses blank and zeroed files even without a parser', async () => {
    await writeFileAtomic(path, ' \n');
    expect(() => readFileWithBackup(path)).toThrow(path);
  });
});
