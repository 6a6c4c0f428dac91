import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProperties } from '../../src/message/message-properties.js';
import { PropertyScan } from '../../src/message/property-scan.js';
import { goldenJson } from '../golden-data.js';

const NAMES = ['WAIT', 'TAGS', 'KEYS', 'DELAY', 'TRAN_MSG', 'UNIQ_KEY'];
const [WAIT, TAGS, , DELAY] = [0, 1, 2, 3];
const scan = new PropertyScan(NAMES);

describe('PropertyScan', () => {
  it('finds what decodeProperties finds, in any text', () => {
    const piece = fc.constantFrom(
      ...NAMES,
      '\u0001',
      '\u0002',
      'true',
      '主',
      'x',
      'WAI',
      'TAGSS',
      '',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(9), (pieces, before) => {
        expectAgreement(pieces.join(''), before);
      }),
      { numRuns: 3000 },
    );
  });

  it('finds what decodeProperties finds in the records of Java', () => {
    const { stores } = goldenJson<{
      stores: Record<string, { dump: { messages: { propsRaw: string }[] } }>;
    }>('golden.json');
    for (const store of Object.values(stores)) {
      for (const { propsRaw } of store.dump.messages) expectAgreement(propsRaw, 3);
    }
  });

  it('tells where a pair lies, so that it can be cut out', () => {
    const text = Buffer.from('a\u0001b\u0002WAIT\u0001true\u0002c\u0001d');
    scan.scan(text, 0, text.length);
    const pair = text.toString('utf8', scan.pairStart(WAIT), scan.valueEnd(WAIT));
    expect(pair).toBe('WAIT\u0001true');
    expect(scan.valueEquals(WAIT, Buffer.from('true'))).toBe(true);
    expect(scan.valueEquals(WAIT, Buffer.from('truE'))).toBe(false);
    expect(scan.valueEquals(TAGS, Buffer.alloc(0))).toBe(false);
  });

  it('counts repeated names and keeps the last value', () => {
    const text = Buffer.from('TAGS\u0001a\u0002TAGS\u0001b');
    scan.scan(text, 0, text.length);
    expect(scan.occurrences(TAGS)).toBe(2);
    expect(scan.valueText(TAGS)).toBe('b');
  });

  it.each([
    ['3', 3],
    ['18', 18],
    ['', -1],
    ['x', -1],
    ['-3', -1],
    ['1234567890', -1],
  ])('reads the number %j as %i', (value, number) => {
    const text = Buffer.from(`DELAY\u0001${value}`);
    scan.scan(text, 0, text.length);
    expect(scan.valueInt(DELAY, -1)).toBe(number);
  });

  it('forgets the text before', () => {
    const text = Buffer.from('WAIT\u0001true');
    scan.scan(text, 0, text.length);
    scan.scan(text, 0, 0);
    expect(NAMES.map((_, i) => scan.valueText(i))).toEqual(NAMES.map(() => null));
    expect(scan.pairCount).toBe(0);
  });
});

function expectAgreement(text: string, before: number): void {
  const bytes = Buffer.from(text);
  const buffer = Buffer.concat([Buffer.alloc(before, 2), bytes, Buffer.from('WAIT\u0001no')]);
  scan.scan(buffer, before, bytes.length);
  const properties = decodeProperties(text);
  for (const [i, name] of NAMES.entries()) {
    expect(scan.valueText(i)).toBe(properties.get(name) ?? null);
    expect(scan.has(i)).toBe(properties.has(name));
  }
}
