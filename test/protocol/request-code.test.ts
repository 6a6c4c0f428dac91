import { describe, expect, it } from 'vitest';
import { RequestCode, requestCodeName } from '../../src/protocol/request-code.js';
import { goldenFrames } from '../golden-data.js';

describe('request codes', () => {
  it('are those of the frames that Java sent, by name', () => {
    const table: Readonly<Record<string, number>> = RequestCode;
    for (const { name, reqCode } of goldenFrames()) {
      expect(table[name.split('.')[0] ?? ''], name).toBe(reqCode);
      expect(requestCodeName(reqCode)).toBe(name.split('.')[0]);
    }
  });

  it('are 96, no two alike', () => {
    const codes = Object.values(RequestCode);
    expect(codes.length).toBe(96);
    expect(new Set(codes).size).toBe(96);
    expect(requestCodeName(9999)).toBe('UNKNOWN');
  });
});
