import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage } from '../../src/message/message-decoder.js';
import { bodyCrc, encodeMessage } from '../../src/message/message-encoder.js';
import type { MessageFields } from '../../src/message/message-ext.js';

const V4 = { address: Buffer.from([10, 0, 0, 1]), port: 10911 };
const MESSAGE: MessageFields = {
  queueId: 0,
  flag: 0,
  queueOffset: 0,
  physicalOffset: 0,
  sysFlag: 0,
  bornTimestamp: 0,
  bornHost: V4,
  storeTimestamp: 0,
  storeHost: V4,
  reconsumeTimes: 0,
  preparedTransactionOffset: 0,
  body: Buffer.alloc(0),
  topic: '',
  propertiesText: '',
};

describe('encodeMessage', () => {
  it('needs 91 bytes for the smallest record, and 12 more for each IPv6 host', () => {
    const v6 = { address: Buffer.alloc(16, 1), port: 1 };
    expect(encodeMessage(MESSAGE).length).toBe(91);
    expect(encodeMessage({ ...MESSAGE, bornHost: v6 }).length).toBe(103);
    expect(encodeMessage({ ...MESSAGE, bornHost: v6, storeHost: v6 }).length).toBe(115);
  });

  it('gives a record that decodes to what was encoded', () => {
    const long = fc.maxSafeInteger();
    const host = fc.record({
      address: fc
        .constantFrom(4, 16)
        .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
        .map((bytes) => Buffer.from(bytes)),
      port: fc.integer(),
    });
    const fields = fc.record({
      queueId: fc.integer(),
      flag: fc.integer(),
      queueOffset: long,
      physicalOffset: fc.nat(Number.MAX_SAFE_INTEGER),
      sysFlag: fc.nat(0x70f),
      bornTimestamp: long,
      bornHost: host,
      storeTimestamp: long,
      storeHost: host,
      reconsumeTimes: fc.integer(),
      preparedTransactionOffset: long,
      body: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      topic: fc.string({ maxLength: 31, unit: 'binary' }),
      propertiesText: fc.string({ maxLength: 100, unit: 'binary' }),
    });
    fc.assert(
      fc.property(fields, (message) => {
        const before = Buffer.alloc(7, 0xda);
        const decoded = decodeMessage(Buffer.concat([before, encodeMessage(message)]), 7);
        const v6Bits =
          (message.bornHost.address.length === 16 ? 0x10 : 0) |
          (message.storeHost.address.length === 16 ? 0x20 : 0);
        expect(decoded).toMatchObject({ ...message, sysFlag: (message.sysFlag & ~0x30) | v6Bits });
      }),
    );
  });

  it('refuses a topic or properties that their length fields can not hold', () => {
    expect(() => encodeMessage({ ...MESSAGE, topic: 'x'.repeat(128) })).toThrow(/topic of 128/);
    expect(() => encodeMessage({ ...MESSAGE, propertiesText: '主'.repeat(10_923) })).toThrow(
      /properties of 32769/,
    );
    expect(encodeMessage({ ...MESSAGE, propertiesText: 'x'.repeat(32_767) }).length).toBe(32_858);
  });
});

describe('bodyCrc', () => {
  it('is the vector of protocol.md 11.3', () => {
    expect(bodyCrc(Buffer.from('hi'))).toBe(1_486_039_724);
  });
});
