import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldNames, HeaderScan } from '../../src/processor/header-scan.js';
import { encodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest, SerializeType } from '../../src/protocol/remoting-command.js';

interface GoldenFrame {
  readonly name: string;
  readonly ser: string;
  readonly code: number;
  readonly opaque: number;
  readonly hex: string;
}

const golden = readFileSync(new URL('../golden/frames.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as GoldenFrame);

const NAMES = ['topic', 'b', 'i', 'queueId', 'e', 'text'];
const names = new FieldNames(NAMES.map((name) => [name]));

function scanOf(frame: Buffer): HeaderScan | null {
  const scan = new HeaderScan(names);
  const padded = Buffer.concat([Buffer.from('xx'), frame, Buffer.from('yy')]);
  return scan.scan(padded, 2, frame.length) ? scan : null;
}

describe('HeaderScan', () => {
  it('reads code, opaque and body of every captured frame as the capture says', () => {
    let scanned = 0;
    for (const { hex, code, opaque, ser } of golden) {
      const frame = Buffer.from(hex, 'hex');
      const scan = scanOf(frame);
      if (scan === null) continue;
      scanned++;
      expect([scan.code, scan.opaque, scan.serializeType]).toEqual([
        code,
        opaque,
        ser === 'JSON' ? 0 : 1,
      ]);
      const headerLength = frame.readInt32BE(4) & 0xffffff;
      expect(scan.bodyLength).toBe(frame.length - 8 - headerLength);
      expect(scan.bodyStart).toBe(2 + 8 + headerLength);
    }
    expect(scanned).toBeGreaterThan(golden.length * 0.9);
  });

  it('reads every send and pull request that was captured', () => {
    const requests = golden.filter(({ name }) => /^(SEND|PULL)_.*request/.test(name));
    expect(requests.length).toBeGreaterThan(20);
    for (const { hex } of requests) expect(scanOf(Buffer.from(hex, 'hex'))).not.toBeNull();
  });

  it('gives back any text in either serialization, escapes and all', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.boolean(),
        fc.integer({ min: -2147483648, max: 2147483647 }),
        (text, binary, opaque) => {
          const command = createRequest(310, { a: 'p', text, topic: 'T', e: '12' });
          command.opaque = opaque;
          command.serializeType = binary ? SerializeType.ROCKETMQ : SerializeType.JSON;
          command.body = Buffer.from('body');
          const scan = scanOf(encodeFrame(command))!;
          const expected = Buffer.from(text, 'utf8').toString('utf8');
          expect(scan.text(NAMES.indexOf('text')) ?? '').toBe(expected);
          expect(scan.text(NAMES.indexOf('topic'))).toBe('T');
          expect(scan.integer(NAMES.indexOf('e'))).toBe(12);
          expect(scan.opaque).toBe(opaque);
          expect(scan.bodyLength).toBe(4);
        },
      ),
    );
  });

  it('takes any key order and blanks between tokens', () => {
    const json =
      ' "opaque" : 7 , "extFields" : { "topic" : "T" , "i":"a\\u0001b\\n\\ud83d\\ude00" }, "code":310,"flag":2';
    const header = Buffer.from(`{${json}}`, 'utf8');
    const frame = Buffer.alloc(8 + header.length);
    frame.writeInt32BE(4 + header.length, 0);
    frame.writeInt32BE(header.length, 4);
    header.copy(frame, 8);
    const scan = scanOf(frame)!;
    expect([scan.code, scan.opaque, scan.flag]).toEqual([310, 7, 2]);
    expect(scan.text(NAMES.indexOf('i'))).toBe('a\u0001b\n😀');
    expect(scan.has(NAMES.indexOf('b'))).toBe(false);
  });

  it.each(['12a', '', '-', '9007199254740993', '1.5', ' 1'])('refuses %j as an integer', (text) => {
    const scan = scanOf(encodeFrame(createRequest(1, { queueId: text })))!;
    expect(scan.integer(NAMES.indexOf('queueId'))).toBeNaN();
  });

  it('never reads beyond the header, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 120 }), fc.nat(1), (bytes, type) => {
        const frame = Buffer.from(bytes);
        frame.writeInt32BE((type << 24) | (frame.length - 8), 4);
        const scan = scanOf(frame);
        if (scan !== null) expect(scan.bodyStart).toBe(2 + frame.length);
      }),
      { numRuns: 2000 },
    );
  });
});
