// Frames: encode, decode, cut out of a stream, and the readers that walk message bytes.

import { seededPrng } from '#dist/base/prng.js';
import { BatchBodyReader, encodeBatchBody } from '#dist/message/batch-codec.js';
import { readInt64, writeInt64 } from '#dist/message/message-layout.js';
import { decodeProperties } from '#dist/message/message-properties.js';
import { PropertyScan } from '#dist/message/property-scan.js';
import { decodeFrame, encodeFrame, peekRequestCode } from '#dist/protocol/frame-codec.js';
import { FrameCutter } from '#dist/protocol/frame-cutter.js';
import { SerializeType } from '#dist/protocol/remoting-command.js';
import { keep, mustEqual, type Trial, trial } from './harness.js';
import { PROPERTIES, sendCommand } from './samples.js';

const BODY_BYTES = 256;

await trial('one frame with a body of 256 bytes', async (run) => {
  const body = run.bytes(BODY_BYTES);
  await codec(run, body);
  await cut(run, body);
  await walk(run, body);
});

async function codec(run: Trial, body: Buffer): Promise<void> {
  const json = sendCommand(body);
  const binary = sendCommand(body, SerializeType.ROCKETMQ);
  const frames = { json: encodeFrame(json), binary: encodeFrame(binary) };
  const ops = run.scale(500, 2);
  const times = (work: () => unknown) => () => {
    for (let i = 0; i < ops; i++) keep(work());
  };
  await run.group('encode', [
    {
      name: 'JSON.stringify and Buffer.concat',
      ops,
      isBaseline: true,
      fn: times(() => plainEncode(json)),
    },
    { name: 'encodeFrame, JSON', ops, fn: times(() => encodeFrame(json)) },
    { name: 'encodeFrame, ROCKETMQ', ops, fn: times(() => encodeFrame(binary)) },
  ]);
  const headerEnd = 8 + frames.json.readUIntBE(5, 3);
  mustEqual('opaque', decodeFrame(frames.json).opaque, decodeFrame(frames.binary).opaque);
  await run.group('decode', [
    {
      name: 'JSON.parse of the header alone',
      ops,
      isBaseline: true,
      fn: times(() => JSON.parse(frames.json.toString('utf8', 8, headerEnd))),
    },
    { name: 'decodeFrame, JSON', ops, fn: times(() => decodeFrame(frames.json)) },
    { name: 'decodeFrame, ROCKETMQ', ops, fn: times(() => decodeFrame(frames.binary)) },
    { name: 'peekRequestCode, JSON', ops, fn: times(() => peekRequestCode(frames.json, 0)) },
  ]);
}

async function cut(run: Trial, body: Buffer): Promise<void> {
  const frame = encodeFrame(sendCommand(body));
  const count = run.scale(512, 8);
  const stream = Buffer.concat(Array.from({ length: count }, () => frame));
  const whole = chunksOf(stream, () => 64 * 1024);
  const prng = seededPrng(7);
  const ragged = chunksOf(stream, () => 1 + prng.nextInt(1500));
  const cutter = new FrameCutter();
  let seen = 0;
  const onFrame = () => {
    seen++;
  };
  const cutAll = (chunks: readonly Buffer[]) => () => {
    for (const chunk of chunks) cutter.push(chunk, onFrame);
  };
  cutAll(ragged)();
  mustEqual('frames cut', seen, count);
  const ops = count;
  await run.group('cut out of a stream', [
    { name: 'Buffer.concat, reads of 64 KiB', ops, isBaseline: true, fn: () => concatCut(whole) },
    { name: 'FrameCutter, reads of 64 KiB', ops, fn: cutAll(whole) },
    { name: 'FrameCutter, reads of 1 to 1500 bytes', ops, fn: cutAll(ragged) },
  ]);
}

async function walk(run: Trial, body: Buffer): Promise<void> {
  const text = Buffer.from(PROPERTIES, 'utf8');
  const scan = new PropertyScan(['WAIT', 'DELAY', 'TRAN_MSG', 'KEYS', 'TAGS', 'UNIQ_KEY']);
  const ops = run.scale(500, 2);
  await run.group('look for 6 properties in a text of 4', [
    {
      name: 'decodeProperties: a Map',
      ops,
      isBaseline: true,
      fn: () => {
        for (let i = 0; i < ops; i++) keep(decodeProperties(text.toString('utf8')));
      },
    },
    {
      name: 'PropertyScan',
      ops,
      fn: () => {
        for (let i = 0; i < ops; i++) scan.scan(text, 0, text.length);
      },
    },
  ]);
  const batch = encodeBatchBody(
    Array.from({ length: 32 }, () => ({ flag: 0, body, properties: decodeProperties(PROPERTIES) })),
  );
  const reader = new BatchBodyReader();
  const memory = Buffer.alloc(8);
  await run.group('walk a batch body of 32', [
    {
      name: 'subarrays and readInt32BE',
      ops: 32 * ops,
      isBaseline: true,
      fn: () => {
        for (let i = 0; i < ops; i++) plainWalk(batch);
      },
    },
    {
      name: 'BatchBodyReader',
      ops: 32 * ops,
      fn: () => {
        for (let i = 0; i < ops; i++) {
          reader.begin(batch, 0, batch.length);
          while (reader.next());
        }
      },
    },
  ]);
  await run.group('an int64 there and back', [
    {
      name: 'Buffer and BigInt',
      ops,
      isBaseline: true,
      fn: () => {
        for (let i = 0; i < ops; i++) {
          memory.writeBigInt64BE(BigInt(i));
          keep(Number(memory.readBigInt64BE()));
        }
      },
    },
    {
      name: 'writeInt64, readInt64',
      ops,
      fn: () => {
        for (let i = 0; i < ops; i++) {
          writeInt64(memory, 0, i);
          keep(readInt64(memory, 0));
        }
      },
    },
  ]);
}

/** What one would write without looking at the cost. */
function plainEncode(command: ReturnType<typeof sendCommand>): Buffer {
  const { code, language, version, opaque, flag, extFields, body } = command;
  const header = Buffer.from(JSON.stringify({ code, extFields, flag, language, opaque, version }));
  const prefix = Buffer.alloc(8);
  prefix.writeInt32BE(4 + header.length + (body?.length ?? 0), 0);
  prefix.writeInt32BE(header.length, 4);
  return Buffer.concat([prefix, header, body ?? Buffer.alloc(0)]);
}

function concatCut(chunks: readonly Buffer[]): void {
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const size = 4 + rest.readInt32BE(0);
      keep(Buffer.from(rest.subarray(0, size)));
      rest = rest.subarray(size);
    }
  }
}

function chunksOf(stream: Buffer, sizeBytes: () => number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const size = sizeBytes();
    chunks.push(stream.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function plainWalk(batch: Buffer): void {
  for (let at = 0; at < batch.length; ) {
    const bodyLength = batch.readInt32BE(at + 16);
    const propertiesAt = at + 20 + bodyLength + 2;
    const propertiesLength = batch.readInt16BE(propertiesAt - 2);
    keep(batch.subarray(at + 20, at + 20 + bodyLength));
    keep(batch.subarray(propertiesAt, propertiesAt + propertiesLength));
    at = propertiesAt + propertiesLength;
  }
}
