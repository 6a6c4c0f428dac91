import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import {
  formatSummary,
  parseSummary,
  readSummary,
  type StoreSummary,
  summaryPath,
  writeSummary,
} from '../../../src/store/recovery/store-summary.js';
import { newFolder, removeFolders } from '../golden-store.js';

afterAll(removeFolders);

const summary: StoreSummary = {
  isClean: true,
  logMinOffset: 1_048_576,
  logMaxOffset: 2 ** 40,
  queues: new Map([
    ['%RETRY%g', new Map([[0, [1, 2, 3]]])],
    ['T', new Map([[7, [0, 2 ** 40, 2 ** 50]]])],
  ]),
  indexFiles: new Map([['20260101000000000', 5]]),
  deletedTopics: new Map([['old', 77]]),
  rebuild: ['T/7'],
};

describe('the store summary', () => {
  it('comes back from disk as it was written, and leaves no other file', () => {
    const root = newFolder();
    writeSummary(root, summary);
    writeSummary(root, summary);
    expect(readSummary(root)).toEqual(summary);
    expect(existsSync(`${summaryPath(root)}.tmp`)).toBe(false);
  });

  it('counts as none when it is missing or damaged', () => {
    const root = newFolder();
    expect(readSummary(root)).toBe(null);
    const text = formatSummary(summary);
    for (const damaged of [
      '',
      '{',
      '[]',
      'null',
      '{"version":2}',
      text.slice(0, 99),
      text.replace('1048576', '-1'),
    ]) {
      writeFileSync(summaryPath(root), damaged);
      expect([damaged, readSummary(root)]).toEqual([damaged, null]);
    }
  });

  it('leaves out bounds that are no offsets', () => {
    const text = formatSummary(summary).replace('[1,2,3]', '[1,"x",3]');
    expect(parseSummary(text)?.queues.get('%RETRY%g')?.size).toBe(0);
  });
});
