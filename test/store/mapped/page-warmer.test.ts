import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PageWarmer } from '../../../src/store/mapped/page-warmer.js';

const SIZE = 1024 * 1024;
let directory: string;
let path: string;
let warmer: PageWarmer;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cometmq-warmer-'));
  path = join(directory, 'log');
  writeFileSync(path, Buffer.alloc(SIZE, 0xff));
  warmer = new PageWarmer();
});
afterEach(() => {
  warmer.close();
  rmSync(directory, { recursive: true });
});

/** Where the first and the last zero are. */
function zeros(): [number, number] {
  const bytes = readFileSync(path);
  return [bytes.indexOf(0), bytes.lastIndexOf(0)];
}

describe('PageWarmer', () => {
  it('writes zeros behind the position only, from the next whole page on', () => {
    warmer.begin(path, 5000, SIZE);
    expect(zeros()).toEqual([8192, 8192 + 256 * 1024 - 1]);
  });

  it('keeps ahead of the log and never touches what the log has written', () => {
    warmer.begin(path, 0, SIZE);
    for (let position = 0; position < SIZE; position += 1300) {
      writeFileSync(path, Buffer.alloc(1300, 0xaa), { flag: 'r+' });
      warmer.advance(position);
    }
    const bytes = readFileSync(path);
    expect(bytes.subarray(0, 1300).every((byte) => byte === 0xaa)).toBe(true);
    expect(bytes.subarray(1300).every((byte) => byte === 0)).toBe(true);
    expect(bytes.length).toBe(SIZE);
  });

  it('goes on from the position when that has overtaken it', () => {
    warmer.begin(path, 0, SIZE);
    warmer.advance(700_001);
    const bytes = readFileSync(path);
    expect(bytes[600_000]).toBe(0xff);
    expect(bytes[700_001]).toBe(0xff);
    expect(bytes[704_512]).toBe(0);
  });

  it('has nothing to do at the end of a file, and nothing after close', () => {
    warmer.begin(path, SIZE - 100, SIZE);
    warmer.advance(SIZE);
    expect(zeros()).toEqual([-1, -1]);
    warmer.begin(path, 0, SIZE);
    warmer.close();
    warmer.advance(SIZE / 2);
    expect(zeros()[1]).toBe(256 * 1024 - 1);
  });
});
