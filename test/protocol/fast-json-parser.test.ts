import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../src/base/errors.js';
import { FastJsonMap, parseFastJson } from '../../src/protocol/fast-json-parser.js';

describe('parseFastJson', () => {
  it('reads standard JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(withoutBigints(parseFastJson(spaced))).toEqual(JSON.parse(spaced));
      }),
      { numRuns: 500 },
    );
  });

  it('makes a map of an object with a key that is no text', () => {
    const value = parseFastJson('{0:"a", -1 : {{"t":1}:[2]}, "x":true}');
    expect(value).toBeInstanceOf(FastJsonMap);
    expect([...(value as FastJsonMap).keys()]).toEqual([0, -1, 'x']);
    expect([...((value as FastJsonMap).get(-1) as FastJsonMap)]).toEqual([[{ t: 1 }, [2]]]);
  });

  // What fastjson 1.2.69 itself said to these texts.
  it.each([
    ["{'a':1}", { a: 1 }],
    ['{a:1}', { a: 1 }],
    ['[1,,2]', [1, 2]],
    ['[1,2,]', [1, 2]],
    ['{"a":1,}', { a: 1 }],
    ['{,"a":1}', { a: 1 }],
    ['{"a":01}', { a: 1 }],
    ['{"a":+1}', { a: 1 }],
    ['{"a":1e5}', { a: 100_000 }],
    ['{"a":1L}', { a: 1 }],
    ['{"a":1.5F}', { a: 1.5 }],
    ['{"a":NaN}', { a: null }],
    ['{"a":undefined}', { a: null }],
    ['{true:1}', { true: 1 }],
    ['{null:1}', { null: 1 }],
    ['{"a":"x\ny"}', { a: 'x\ny' }],
    ['{"a":"\\x41\\\'\\v\\0"}', { a: "A'\u000b\u0000" }],
  ])('reads %j as fastjson does', (text, value) => {
    expect(parseFastJson(text)).toEqual(value);
  });

  it.each([
    '[',
    '{"a"',
    '{"a" 1}',
    '{"a":.5}',
    '{"a":-}',
    '{"a":tru}',
    '{"a":1} x',
    '{"a":1;"b":2}',
    '"\\u00zz"',
    '{"a":"\\q"}',
    '"open',
  ])('refuses %s as fastjson does', (text) => {
    expect(() => parseFastJson(text)).toThrow(CometError);
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['-0', 0],
  ])('keeps every digit of %s', (text, value) => {
    expect(parseFastJson(text)).toBe(value);
  });

  it('refuses a text that is nested too deep, without running out of stack', () => {
    expect(() => parseFastJson('['.repeat(100_000))).toThrow(/levels/);
    expect(() => parseFastJson('{{'.repeat(100_000))).toThrow(/levels/);
  });

  it('gives a member named __proto__ to the object, not a prototype', () => {
    const value = parseFastJson('{"__proto__":{"polluted":1}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value['polluted']).toBeUndefined();
  });

  it('throws nothing but JSON_INVALID, whatever the text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      ',',
      '1',
      '-',
      'n',
      'null',
      '\\',
      '\\u',
      ' ',
      '.',
    );
    const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (it) => {
        try {
          parseFastJson(it);
        } catch (error) {
          expect((error as CometError).code).toBe('JSON_INVALID');
        }
      }),
      { numRuns: 5000 },
    );
  });
});

/** JSON.parse rounds what we keep. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, withoutBigints(it)]));
}
