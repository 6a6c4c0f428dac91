import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeProperties,
  encodeProperties,
  encodePropertiesInOrder,
} from '../../src/message/message-properties.js';
import { goldenJson } from '../golden-data.js';

interface Micro {
  readonly propsDecode: { readonly in: string; readonly out: Record<string, string> }[];
  readonly hashMapOrder: { readonly insert: string[] | string; readonly encoded?: string }[];
}

const micro = goldenJson<Micro>('micro.json');

describe('decodeProperties', () => {
  it.each(micro.propsDecode)('reads %j as Java does', ({ in: text, out }) => {
    expect(Object.fromEntries(decodeProperties(text))).toEqual(out);
  });

  it('reads what was encoded', () => {
    const part = fc
      .string({ minLength: 1 })
      .filter((text) => !text.includes('\u0001') && !text.includes('\u0002'));
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part)), (pairs) => {
        const properties = new Map(pairs);
        expect(decodeProperties(encodeProperties(properties))).toEqual(properties);
        expect(decodeProperties(`${encodePropertiesInOrder(properties)}\u0002`)).toEqual(
          properties,
        );
      }),
    );
  });
});

describe('encodeProperties', () => {
  it('writes the texts that Java writes, without a separator at the end', () => {
    const cases = micro.hashMapOrder.filter((it) => it.encoded !== undefined);
    expect(cases.length).toBeGreaterThan(3);
    for (const { insert, encoded } of cases) {
      const properties = new Map([...insert].map((name) => [name, 'v']));
      expect(encodeProperties(properties)).toBe(encoded);
    }
  });
});
