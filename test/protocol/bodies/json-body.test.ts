import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../../src/base/errors.js';
import {
  booleanMember,
  doubleMember,
  encodeJsonBody,
  enumMember,
  intMember,
  longMember,
  mapMember,
  parseJsonBody,
  safeLongMember,
  textMember,
  textOf,
} from '../../../src/protocol/bodies/json-body.js';

describe('the members of a body', () => {
  it('keep their defaults when they are absent or null', () => {
    const body = parseJsonBody('{"n":null}');
    expect(intMember(body, 'n', 7)).toBe(7);
    expect(textMember(body, 'n')).toBeNull();
    expect(booleanMember(body, 'n', true)).toBe(true);
    expect(doubleMember(body, 'x', 0.5)).toBe(0.5);
    expect(mapMember(body, 'x', textOf).size).toBe(0);
    expect(parseJsonBody(null)).toEqual({});
    expect(parseJsonBody('null')).toEqual({});
  });

  it('may be numbers written as text, and enums written as ordinals', () => {
    const body = parseJsonBody('{"n":"12","b":"true","d":"0.5","e":1}');
    expect(intMember(body, 'n')).toBe(12);
    expect(booleanMember(body, 'b')).toBe(true);
    expect(doubleMember(body, 'd')).toBe(0.5);
    expect(enumMember(body, 'e', ['A', 'B'], 'A')).toBe('B');
    expect(enumMember(body, 'n', ['A', 'B'], null)).toBeNull();
  });

  it.each([
    ['-1', -1],
    ['-2', -2],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('keep every digit of %s', (digits, value) => {
    const body = parseJsonBody(`{"offset":${digits}}`);
    expect(longMember(body, 'offset')).toBe(value);
    expect(encodeJsonBody({ offset: longMember(body, 'offset') }).toString()).toBe(
      `{"offset":${digits}}`,
    );
  });

  it.each([
    '18446744073709551615',
    '9223372036854775808',
    '-9223372036854775809',
    '1.5',
    '"x"',
    '{}',
  ])('refuse %s as a 64-bit number and say which one', (value) => {
    expect(() => longMember(parseJsonBody(`{"offset":${value}}`), 'offset')).toThrow(/offset is/);
  });

  it('refuse to round a time or a counter', () => {
    const body = parseJsonBody('{"timestamp":9007199254740993,"n":2147483648}');
    expect(() => safeLongMember(body, 'timestamp')).toThrow(/timestamp/);
    expect(() => intMember(body, 'n')).toThrow(/n is no 32-bit number/);
  });
});

describe('parseJsonBody', () => {
  it.each(['[]', '"x"', '7', '{"a":', '{"a" 1}'])('refuses %s', (text) => {
    expect(() => parseJsonBody(text)).toThrow(CometError);
  });

  it('throws nothing but PROTOCOL_BODY_INVALID, whatever the text', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"a"',
      ':',
      ',',
      '1',
      'true',
      '\\',
      "'",
      'x',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 30 }).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(text, (it) => {
        try {
          parseJsonBody(it);
        } catch (error) {
          expect((error as CometError).code).toBe('PROTOCOL_BODY_INVALID');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
