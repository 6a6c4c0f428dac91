import { describe, expect, it } from 'vitest';
import { tagsCode } from '../../src/message/tags-code.js';
import { goldenJson } from '../golden-data.js';

describe('tagsCode', () => {
  it('is the 32-bit hash of Java, whatever the tags (bug report 29)', () => {
    const { strings } = goldenJson<{ strings: { s: string; tagsCode: string }[] }>('micro.json');
    expect(strings.length).toBeGreaterThan(10);
    for (const { s, tagsCode: java } of strings) expect(String(tagsCode(s))).toBe(java);
  });

  it('is 0 without tags', () => {
    expect([tagsCode(null), tagsCode(undefined), tagsCode('')]).toEqual([0, 0, 0]);
  });
});
