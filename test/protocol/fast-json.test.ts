import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FastJsonMap,
  JavaDouble,
  parseFastJson,
  stringifyFastJson,
  stringifyStandardJson,
} from '../../src/protocol/fast-json.js';

describe('stringifyFastJson', () => {
  it('sorts the members of beans and leaves out nulls', () => {
    expect(stringifyFastJson({ b: 1, a: null, c: undefined, A: [true, null, 'x'] })).toBe(
      '{"A":[true,null,"x"],"b":1}',
    );
  });

  it('keeps the order of maps and writes their keys natively', () => {
    const map = new Map<unknown, unknown>([
      ['z', 1],
      [16, 'a'],
      [0, 'b'],
      [{ topic: 'T', brokerName: 'b', queueId: 0 }, 2n ** 60n],
      ['gone', null],
    ]);
    expect(stringifyFastJson(map)).toBe(
      '{"z":1,16:"a",0:"b",{"brokerName":"b","queueId":0,"topic":"T"}:1152921504606846976}',
    );
  });

  it.each([
    [1, '1.0'],
    [0, '0.0'],
    [-0, '-0.0'],
    [0.1, '0.1'],
    [100, '100.0'],
    [9999999, '9999999.0'],
    [1e7, '1.0E7'],
    [123456789012, '1.23456789012E11'],
    [12345.678e10, '1.2345678E14'],
    [1e21, '1.0E21'],
    [1e-3, '0.001'],
    [1e-7, '1.0E-7'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
  ])('writes the double %d as Java does', (value, text) => {
    expect(stringifyFastJson(new JavaDouble(value))).toBe(text);
  });

  it('writes what parseFastJson reads again', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((it) => !Number.isInteger(it)),
    );
    const name = fc.string({ unit: 'binary' }).filter((it) => it !== '__proto__');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('bean'), tie('map')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      bean: fc.dictionary(name, tie('value'), { maxKeys: 4 }).map((it) => ({ ...it })),
      map: fc
        .array(fc.tuple(fc.oneof(fc.integer(), fc.record({ topic: name })), tie('value')), {
          minLength: 1,
          maxLength: 3,
        })
        .map((entries) => new Map(entries)),
    }));
    fc.assert(
      fc.property(value, (it) => {
        const text = stringifyFastJson(it);
        expect(stringifyFastJson(parseFastJson(text))).toBe(text);
        expect(withPlainMaps(parseFastJson(text))).toEqual(it);
      }),
      { numRuns: 300 },
    );
  });
});

describe('stringifyStandardJson', () => {
  it('quotes keys, sorts maps and escapes all but ASCII', () => {
    const map = new Map<unknown, unknown>([
      [16, '/主'],
      [2, '🚀'],
    ]);
    expect(stringifyStandardJson({ map })).toBe('{"map":{"2":"\\uD83D\\uDE80","16":"\\/\\u4E3B"}}');
  });

  it('can be read by any JSON parser', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'binary' })), (fields) => {
        const text = stringifyStandardJson(new Map(Object.entries(fields)));
        expect(JSON.parse(text)).toEqual({ ...fields });
      }),
    );
  });
});

/** The subclass is a mark of the parser; its content is what counts. */
function withPlainMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainMaps);
  if (value instanceof FastJsonMap) {
    return new Map([...value].map(([key, it]) => [key, withPlainMaps(it)]));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, withPlainMaps(it)]));
}
