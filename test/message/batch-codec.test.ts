import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../src/base/errors.js';
import { BatchBodyReader, encodeBatchBody } from '../../src/message/batch-codec.js';
import { decodeProperties } from '../../src/message/message-properties.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import { frameBytes, goldenFrames, goldenJson } from '../golden-data.js';

const reader = new BatchBodyReader();

describe('a batch body', () => {
  it('is encoded as Java encodes it', () => {
    const { encodeMessages } = goldenJson<{ encodeMessages: string }>('micro.json');
    const messages = read(Buffer.from(encodeMessages, 'hex'));
    expect(messages.map((message) => message.body.toString())).toEqual(['hello', '世']);
    expect(encodeBatchBody(messages).toString('hex')).toBe(encodeMessages);
  });

  it('is read from the requests of the Java client, and encoded to the same bytes', () => {
    const bodies = goldenFrames()
      .filter((frame) => frame.name === 'SEND_BATCH_MESSAGE.request')
      .map((frame) => decodeFrame(frameBytes(frame)).body as Buffer);
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) {
      const messages = read(body);
      expect(messages.length).toBeGreaterThan(1);
      // The totals of each item are there but never believed.
      expect(encodeBatchBody(messages).toString('hex')).toBe(body.toString('hex'));
    }
  });

  it('gives back what was encoded', () => {
    const text = fc
      .string({ minLength: 1, maxLength: 9 })
      .filter((it) => !it.includes('\u0001') && !it.includes('\u0002'));
    const message = fc.record({
      flag: fc.integer(),
      body: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      properties: fc.array(fc.tuple(text, text)).map((pairs) => new Map(pairs)),
    });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        expect(read(encodeBatchBody(messages))).toEqual(messages);
      }),
    );
  });

  it('is refused when it is cut short or damaged, and never read beyond its end', () => {
    const body = encodeBatchBody([
      { flag: 1, body: Buffer.from('one'), properties: new Map([['a', 'b']]) },
      { flag: 2, body: Buffer.from('two'), properties: new Map() },
    ]);
    const second = encodeBatchBody([{ flag: 2, body: Buffer.from('two'), properties: new Map() }]);
    const whole = new Set([0, body.length - second.length, body.length]);
    for (let length = 0; length <= body.length; length++) {
      const run = () => read(body, length);
      if (whole.has(length)) expect(run).not.toThrow();
      else expect(run).toThrow(/batch body/);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          read(Buffer.from(bytes));
        } catch (error) {
          expect((error as CometError).code).toBe('BATCH_INVALID');
        }
      }),
    );
  });

  it('holds properties of 32,767 bytes and not one more (bug report 24)', () => {
    const message = (length: number) => ({
      flag: 0,
      body: Buffer.alloc(0),
      properties: new Map([['n', 'x'.repeat(length - 2)]]),
    });
    expect(read(encodeBatchBody([message(32_767)])).length).toBe(1);
    expect(() => encodeBatchBody([message(32_768)])).toThrow(CometError);
  });
});

function read(bytes: Buffer, length = bytes.length) {
  const messages: { flag: number; body: Buffer; properties: Map<string, string> }[] = [];
  reader.begin(bytes, 0, length);
  while (reader.next()) {
    const { bodyStart, bodyLength, propertiesStart, propertiesLength } = reader;
    messages.push({
      flag: reader.flag,
      body: Buffer.from(bytes.subarray(bodyStart, bodyStart + bodyLength)),
      properties: decodeProperties(
        bytes.toString('utf8', propertiesStart, propertiesStart + propertiesLength),
      ),
    });
  }
  return messages;
}
