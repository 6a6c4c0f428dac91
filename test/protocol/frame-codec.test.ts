import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../src/base/errors.js';
import { MAX_FRAME_BYTES } from '../../src/base/limits.js';
import { decodeFrame, encodeFrame, peekRequestCode } from '../../src/protocol/frame-codec.js';
import {
  createRequest,
  createResponse,
  type RemotingCommand,
  SerializeType,
} from '../../src/protocol/remoting-command.js';
import { frameBytes, goldenFrames } from '../golden-data.js';

const frames = goldenFrames();

/** Frames with two fields in one bucket of Java's HashMap: there the order of insertion shows. */
const namesInOneBucket = [
  'CHECK_TRANSACTION_STATE.oneway',
  'CONSUMER_SEND_MSG_BACK.request',
  'END_TRANSACTION.oneway',
  'INVOKE_BROKER_TO_RESET_OFFSET.request',
  'PULL_MESSAGE.request',
  'PUSH_REPLY_MESSAGE_TO_CLIENT.request',
  'QUERY_CONSUME_QUEUE.request',
  'REGISTER_BROKER.oneway',
  'REGISTER_BROKER.request',
  'RESET_CONSUMER_CLIENT_OFFSET.oneway',
  'SEND_MESSAGE.request',
  'UPDATE_AND_CREATE_TOPIC.request',
  'UPDATE_CONSUMER_OFFSET.oneway',
  'UPDATE_CONSUMER_OFFSET.request',
];

describe('the frames that Java 4.9.7 sent', () => {
  it('decode to their codes and encode to the same bytes', () => {
    expect(frames.length).toBe(417);
    for (const frame of frames) {
      const bytes = frameBytes(frame);
      const command = decodeFrame(bytes);
      expect(command.code, frame.name).toBe(frame.code);
      expect(command.opaque, frame.name).toBe(frame.opaque);
      expect(SerializeType[frame.ser], frame.name).toBe(command.serializeType);
      expect(encodeFrame(command).toString('hex'), `${frame.run} ${frame.name}`).toBe(frame.hex);
    }
  });

  it('encode to the same bytes whatever order their fields were put in, but for names in one bucket', () => {
    const differing = new Set<string>();
    for (const frame of frames) {
      const command = decodeFrame(frameBytes(frame));
      if (command.extFields === null) continue;
      command.extFields = Object.fromEntries(Object.entries(command.extFields).reverse());
      if (encodeFrame(command).toString('hex') !== frame.hex) differing.add(frame.name);
    }
    expect([...differing].sort()).toEqual(namesInOneBucket);
  });

  it('show their request code at a glance, wherever they lie in the buffer', () => {
    for (const frame of frames) {
      const bytes = frameBytes(frame);
      expect(peekRequestCode(bytes, 0), frame.name).toBe(frame.code);
      const shifted = Buffer.concat([Buffer.alloc(37, 0x7b), bytes]);
      expect(peekRequestCode(shifted, 37), frame.name).toBe(frame.code);
    }
  });
});

describe('encodeFrame', () => {
  it('writes the ROCKETMQ vector of protocol.md 1.3', () => {
    const command = createRequest(310, {
      a: 'pg',
      b: 'T',
      c: 'TBW102',
      d: '4',
      e: '0',
      f: '0',
      g: '1',
      h: '0',
      i: '',
      j: '0',
      k: 'false',
      m: 'false',
    });
    command.serializeType = SerializeType.ROCKETMQ;
    command.opaque = 5;
    command.language = 0;
    const expected =
      '00000086 01000082 0136 00 0197 00000005 00000000 00000000 0000006D 0001 61 00000002 7067 ' +
      '0001 62 00000001 54 0001 63 00000006 544257313032 0001 64 00000001 34 0001 65 00000001 30 ' +
      '0001 66 00000001 30 0001 67 00000001 31 0001 68 00000001 30 0001 69 00000000 0001 6A 00000001 30 ' +
      '0001 6B 00000005 66616C7365 0001 6D 00000005 66616C7365';
    expect(encodeFrame(command).toString('hex')).toBe(expected.replaceAll(' ', '').toLowerCase());
  });

  it('escapes as fastjson does', () => {
    const command = createResponse(null, 1, 'a\u0001"\\/\u001f\u007f\u009f\u2028主🚀');
    const text = encodeFrame(command).toString('utf8', 8);
    expect(text).toContain('"remark":"a\\u0001\\"\\\\/\\u001F\\u007F\\u009F\\u2028主🚀"');
  });

  it('refuses a frame above the limit', () => {
    const command = createRequest(10, null, Buffer.alloc(MAX_FRAME_BYTES));
    expect(() => encodeFrame(command)).toThrow(/frame length/);
  });

  it('refuses a header that its 24 bits can not name', () => {
    const command = createRequest(10, { a: 'x'.repeat(0x100_0000) });
    expect(() => encodeFrame(command)).toThrow(/header/);
    command.serializeType = SerializeType.ROCKETMQ;
    expect(() => encodeFrame(command)).toThrow(/header/);
  });
});

describe('decodeFrame', () => {
  it('gives back what was encoded, in both encodings', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        const decoded = decodeFrame(encodeFrame(command));
        expect(decoded).toEqual(command);
      }),
    );
  });

  it('throws only catalogue errors on random bytes', () => {
    const anyBytes = fc.uint8Array({ maxLength: 200 });
    const inAFrame = fc.tuple(fc.constantFrom(0, 1, 2, 7), fc.nat(64), anyBytes).map(frameOf);
    fc.assert(
      fc.property(fc.oneof(anyBytes, inAFrame), (bytes) => expectDecodesOrRefuses(bytes)),
      { numRuns: 500 },
    );
  });

  it('throws only catalogue errors on damaged frames', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: frames.length - 1 }),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (index, damage) => {
          const bytes = frameBytes(frames[index] as (typeof frames)[number]);
          for (const [position, value] of damage)
            bytes[4 + (position % (bytes.length - 4))] = value;
          expectDecodesOrRefuses(bytes);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a frame without room for its mark', '0000000100', 'PROTOCOL_FRAME_LENGTH'],
    ['an empty frame', '', 'PROTOCOL_FRAME_LENGTH'],
    ['a length that is not the frame', '000000090000000000', 'PROTOCOL_FRAME_LENGTH'],
    [
      'a header longer than its frame',
      '0000001000ffffff000000000000000000000000',
      'PROTOCOL_HEADER_LENGTH',
    ],
    ['an unknown serialize type', '0000000407000000', 'PROTOCOL_SERIALIZE_TYPE'],
    ['a ROCKETMQ header of two bytes', '00000006010000020000', 'PROTOCOL_HEADER_INVALID'],
  ])('refuses %s', (_what, hex, code) => {
    expect(codeOf(() => decodeFrame(Buffer.from(hex, 'hex')))).toBe(code);
  });

  it.each(['null', '[]', '"x"', '', '{', '{"code":"ten"}', '{"code":2147483648}', '{"code":1.5}'])(
    'refuses the JSON header %s',
    (header) => {
      expect(codeOf(() => decodeFrame(jsonFrame(header)))).toBe('PROTOCOL_HEADER_INVALID');
    },
  );

  it('accepts a negative code and lets the dispatcher refuse it', () => {
    expect(decodeFrame(jsonFrame('{"code":-7}')).code).toBe(-7);
    expect(peekRequestCode(jsonFrame('{"code":-7}'), 0)).toBe(-1);
  });

  it('turns field values that are no strings into text and keeps every digit', () => {
    const header =
      '{"code":1,"extFields":{"a":1,"b":true,"c":null,"d":9007199254740993,"e":9223372036854775807,"f":-1,"g":"x"}}';
    expect(decodeFrame(jsonFrame(header)).extFields).toEqual({
      a: '1',
      b: 'true',
      d: '9007199254740993',
      e: '9223372036854775807',
      f: '-1',
      g: 'x',
    });
  });

  it('reads headers in the dialect of fastjson, and unknown keys are skipped', () => {
    const command = decodeFrame(jsonFrame("{code:'12',language:9,later:{0:1},'opaque':5,}"));
    expect(command).toMatchObject({ code: 12, language: 9, opaque: 5 });
  });

  it('takes a language without a name for OTHER', () => {
    expect(decodeFrame(jsonFrame('{"code":1,"language":"KOTLIN"}')).language).toBe(7);
  });

  it('keeps the last of a repeated key in a ROCKETMQ header', () => {
    const header =
      '0001 00 0197 00000005 00000000 00000000 00000010 0001 61 00000001 31 0001 61 00000001 32';
    const bytes = Buffer.from(header.replaceAll(' ', ''), 'hex');
    expect(decodeFrame(frameOf([1, bytes.length, bytes])).extFields).toEqual({ a: '2' });
  });

  it('keeps a field named __proto__ a field', () => {
    for (const serializeType of [SerializeType.JSON, SerializeType.ROCKETMQ]) {
      const command = createRequest(1, JSON.parse('{"__proto__":"x","a":"y"}'));
      command.serializeType = serializeType;
      const fields = decodeFrame(encodeFrame(command)).extFields;
      expect(Object.entries(fields ?? {}).sort()).toEqual([
        ['__proto__', 'x'],
        ['a', 'y'],
      ]);
    }
  });
});

describe('peekRequestCode', () => {
  it.each([
    '{ "code":1}',
    '{"opaque":1,"code":2}',
    '{"code":"1"}',
    '{"code":1.5}',
    '{"code":12345678}',
  ])('leaves %s to the full decoder', (header) => {
    expect(peekRequestCode(jsonFrame(header), 0)).toBe(-1);
  });

  it('never reads a code from a frame that is cut short', () => {
    const bytes = jsonFrame('{"code":310,"flag":0}');
    for (let length = 0; length <= 8 + 11; length++) {
      expect(peekRequestCode(bytes.subarray(0, length), 0)).toBe(-1);
    }
    expect(peekRequestCode(bytes.subarray(0, 8 + 12), 0)).toBe(310);
  });

  it('agrees with the decoder whenever it answers', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        const peeked = peekRequestCode(encodeFrame(command), 0);
        if (peeked !== -1) expect(peeked).toBe(command.code);
      }),
    );
  });
});

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('主题', '🚀', 'a\u0001b\u0002', '"\\'),
);
const anyCommand: fc.Arbitrary<RemotingCommand> = fc.record({
  code: fc.integer({ min: -32_768, max: 32_767 }),
  language: fc.integer({ min: 0, max: 12 }),
  version: fc.integer({ min: 0, max: 32_767 }),
  opaque: fc.integer(),
  flag: fc.integer(),
  remark: fc.option(text.filter((remark) => remark !== '')),
  extFields: fc.option(
    fc.dictionary(text, text, { minKeys: 1, maxKeys: 30 }).map((fields) => ({ ...fields })),
  ),
  body: fc.option(
    fc.uint8Array({ minLength: 1, maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  ),
  serializeType: fc.constantFrom(SerializeType.JSON, SerializeType.ROCKETMQ),
});

function frameOf([type, headerBytes, content]: [number, number, Uint8Array]): Buffer {
  const frame = Buffer.alloc(8 + content.length);
  frame.writeInt32BE(frame.length - 4, 0);
  frame[4] = type;
  frame.writeUIntBE(headerBytes, 5, 3);
  frame.set(content, 8);
  return frame;
}

function jsonFrame(header: string): Buffer {
  const bytes = Buffer.from(header);
  return frameOf([0, bytes.length, bytes]);
}

function expectDecodesOrRefuses(bytes: Uint8Array): void {
  try {
    decodeFrame(Buffer.from(bytes));
  } catch (error) {
    expect(error).toBeInstanceOf(CometError);
    expect((error as CometError).code).toMatch(/^PROTOCOL_/);
  }
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CometError) return error.code;
    throw error;
  }
  return 'nothing was thrown';
}
