// Room: filter. The byte scan beside a plain Map made by the rule of storage 3.3.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PropertyLookup } from '../../src/filter/property-lookup.js';
import { goldenJson } from '../golden-data.js';

const micro = goldenJson<{
  propsDecode: readonly { readonly in: string; readonly out: Record<string, string> }[];
}>('micro.json');

/** Split by pairs, then by the first name end; a pair without name or value is none. */
function decode(text: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const pair of text.split('\x02')) {
    const at = pair.indexOf('\x01');
    if (at > 0 && at < pair.length - 1) map.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return map;
}

describe('PropertyLookup', () => {
  test.each(micro.propsDecode)('finds in $in what Java finds', ({ in: text, out }) => {
    const lookup = new PropertyLookup().resetToText(text);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'k', 'ab', '', 'z']) {
      expect(lookup.get(name)).toBe(out[name] ?? null);
    }
  });

  test('finds in any text exactly what a Map of its pairs holds', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      'ab',
      'ba',
      'é',
      '标',
      '\x01',
      '\x01',
      '\x02',
      '1',
      '😀',
    );
    const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const lookup = new PropertyLookup().resetToText(text);
        const map = decode(text);
        for (const name of [...map.keys(), 'a', 'zz']) {
          expect(lookup.get(name)).toBe(map.get(name) ?? null);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('finds each of many pairs, and the last of those with the same name', () => {
    const lookup = new PropertyLookup();
    for (const count of [15, 16, 17, 64, 65, 3_000]) {
      const pairs = Array.from({ length: count }, (_, i) => `n${i % 2_000}\x01v${i}`);
      lookup.resetToText(pairs.join('\x02'));
      const map = decode(pairs.join('\x02'));
      for (const [name, value] of map) expect(lookup.get(name)).toBe(value);
      expect(lookup.get(`n${count}`)).toBe(map.get(`n${count}`) ?? null);
      expect(lookup.get('n')).toBe(null);
    }
  });

  test('reads only its part of the bytes', () => {
    const bytes = Buffer.from('x\x01no\x02a\x01yes\x02b\x01no', 'utf8');
    const lookup = new PropertyLookup().reset(bytes, 5, 6);
    expect(lookup.get('a')).toBe('yes');
    expect(lookup.get('b')).toBe(null);
    expect(lookup.get('x')).toBe(null);
    expect(lookup.reset(bytes, 5, 4).get('a')).toBe('ye');
  });

  test('tells messages apart across lookups by its generation', () => {
    const one = new PropertyLookup().resetToText('a\x011');
    const other = new PropertyLookup().resetToText('a\x012');
    expect(other.generation).not.toBe(one.generation);
    const before = one.generation;
    expect(one.resetToText('a\x013').generation).not.toBe(before);
  });
});
