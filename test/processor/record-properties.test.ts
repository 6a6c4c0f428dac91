import { describe, expect, it } from 'vitest';
import { PropertyLookup } from '../../src/filter/property-lookup.js';
import { lookIntoRecord } from '../../src/processor/record-properties.js';
import { exampleRecord, propertiesOf } from '../support/example-record.js';

const V6 = { address: Buffer.alloc(16, 1), port: 1 };
const lookup = new PropertyLookup();

function look(record: Buffer, padding = 0): string | null {
  const buffer = Buffer.concat([Buffer.alloc(padding, 2), record, Buffer.from('a\u00019\u0002')]);
  return lookIntoRecord(lookup, buffer, padding, record.length).get('a');
}

describe('lookIntoRecord', () => {
  it('finds the properties behind any body, topic and pair of hosts', () => {
    const propertiesText = propertiesOf({ x: '1', a: 'ä b' });
    for (const body of [Buffer.alloc(0), Buffer.alloc(5000, 1)]) {
      for (const topic of ['T', 'T'.repeat(127)]) {
        const fields = { propertiesText, body, topic };
        expect(look(exampleRecord(fields))).toBe('ä b');
        expect(look(exampleRecord({ ...fields, bornHost: V6 }), 7)).toBe('ä b');
        expect(look(exampleRecord({ ...fields, bornHost: V6, storeHost: V6 }), 7)).toBe('ä b');
      }
    }
  });

  it('finds nothing where there are no properties, and nothing behind the record', () => {
    expect(look(exampleRecord({}))).toBeNull();
  });

  it('finds nothing in a record whose lengths do not add up', () => {
    const record = exampleRecord({ propertiesText: propertiesOf({ a: '1' }) });
    const bodyLengthAt = 84;
    for (const length of [-1, 0x7fff_ffff, record.length - 88, record.length - 89, 1000]) {
      const broken = Buffer.from(record);
      broken.writeInt32BE(length, bodyLengthAt);
      expect([length, look(broken)]).toEqual([length, null]);
    }
    const longer = Buffer.from(record);
    longer.writeInt16BE(5, record.length - 6);
    expect(look(longer)).toBeNull();
  });
});
