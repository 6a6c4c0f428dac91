import { describe, expect, it } from 'vitest';
import { ErrorCatalogue } from '../../src/base/errors.js';
import { ResponseCode, responseCodeName } from '../../src/protocol/response-code.js';
import { goldenFrames } from '../golden-data.js';

describe('response codes', () => {
  it('have a name for every answer that Java gave', () => {
    for (const frame of goldenFrames()) {
      if (frame.name.endsWith('.response'))
        expect(responseCodeName(frame.code)).not.toBe('UNKNOWN');
    }
  });

  it('are all different, and those of the error catalogue are among them', () => {
    const codes = new Set<number>(Object.values(ResponseCode));
    expect(codes.size).toBe(Object.keys(ResponseCode).length);
    for (const entry of Object.values(ErrorCatalogue))
      expect(codes.has(entry.responseCode)).toBe(true);
    expect(responseCodeName(9999)).toBe('UNKNOWN');
  });
});
