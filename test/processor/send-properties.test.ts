import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProperties } from '../../src/message/message-properties.js';
import { SendProperties } from '../../src/processor/send-properties.js';

function read(text: string, keepWait = false): { stored: string; properties: SendProperties } {
  const properties = new SendProperties('C');
  const bytes = Buffer.from(`##${text}##`, 'utf8');
  properties.read(bytes, 2, bytes.length - 2, keepWait);
  return { stored: properties.bytes.toString('utf8', 0, properties.length), properties };
}

describe('SendProperties', () => {
  it('takes WAIT out and puts CLUSTER at the end', () => {
    expect(read('KEYS\u0001k\u0002WAIT\u0001true\u0002TAGS\u0001t').stored).toBe(
      'KEYS\u0001k\u0002TAGS\u0001t\u0002CLUSTER\u0001C',
    );
    expect(read('WAIT\u0001true').stored).toBe('CLUSTER\u0001C');
    expect(read('').stored).toBe('CLUSTER\u0001C');
  });

  it('keeps WAIT on the batch path', () => {
    expect(read('WAIT\u0001true', true).stored).toBe('WAIT\u0001true\u0002CLUSTER\u0001C');
  });

  it('notices what decides the road of the message', () => {
    const { properties } = read('DELAY\u00013\u0002TRAN_MSG\u0001true\u0002WAIT\u0001false');
    expect([properties.delayLevel, properties.transactional, properties.waitStoreMsgOk]).toEqual([
      3,
      true,
      false,
    ]);
    const plain = read('WAITS\u0001false\u0002DELAYED\u00019').properties;
    expect([plain.delayLevel, plain.transactional, plain.waitStoreMsgOk]).toEqual([0, false, true]);
  });

  it('stores what Java would make of any text: the same pairs, without WAIT, with CLUSTER', () => {
    const piece = fc.constantFrom('a', 'WAIT', 'TAGS', 'x', '', '\u0001', '\u0002', 'true', 'é');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        const expected = decodeProperties(text);
        expected.delete('WAIT');
        expected.set('CLUSTER', 'C');
        const stored = decodeProperties(read(text).stored);
        expect(new Map([...stored].sort())).toEqual(new Map([...expected].sort()));
      }),
      { numRuns: 500 },
    );
  });
});
