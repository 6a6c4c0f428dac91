import { describe, expect, it } from 'vitest';
import { quoteFastJson, quoteStandardJson } from '../../src/protocol/json-text.js';

describe('strings', () => {
  it('are escaped in exactly the characters that fastjson escapes', () => {
    const escaped: number[] = [];
    for (let unit = 0; unit < 0xd800; unit++) {
      const text = String.fromCharCode(unit);
      if (quoteFastJson(text) !== `"${text}"`) escaped.push(unit);
      expect(quoteFastJson(`${text}\u001f`)).toBe(`${quoteFastJson(text).slice(0, -1)}\\u001F"`);
      expect(JSON.parse(quoteFastJson(text))).toBe(text);
    }
    const ranges = [range(0, 0x1f), [0x22, 0x5c], range(0x7f, 0x9f), [0x2028, 0x2029]].flat();
    expect(escaped).toEqual(ranges);
  });

  it('have upper-case digits', () => {
    expect(quoteFastJson('\u001f\u000b\u009f\b')).toBe('"\\u001F\\u000B\\u009F\\b"');
    expect(quoteStandardJson('a/ü')).toBe('"a\\/\\u00FC"');
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
