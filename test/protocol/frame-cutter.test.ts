import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../src/base/errors.js';
import { MAX_FRAME_BYTES } from '../../src/base/limits.js';
import { FrameCutter } from '../../src/protocol/frame-cutter.js';
import { frameBytes, goldenFrames } from '../golden-data.js';

const frames = goldenFrames().map(frameBytes);
const stream = Buffer.concat(frames);

describe('FrameCutter', () => {
  it('cuts the same frames, however the stream is split', () => {
    const cuts = fc.array(fc.nat(stream.length), { maxLength: 60 });
    fc.assert(
      fc.property(cuts, (positions) => {
        const edges = [0, ...positions.sort((a, b) => a - b), stream.length];
        const cutter = new FrameCutter();
        const found: string[] = [];
        for (let i = 1; i < edges.length; i++) {
          // A pooled read buffer: it is overwritten after the push.
          const chunk = Buffer.from(stream.subarray(edges[i - 1], edges[i]));
          cutter.push(chunk, (frame) => found.push(frame.toString('hex')));
          chunk.fill(0xee);
        }
        expect(found).toEqual(frames.map((frame) => frame.toString('hex')));
        expect(cutter.pendingBytes).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('cuts a stream that drips in byte by byte', () => {
    const cutter = new FrameCutter();
    const some = frames.slice(0, 5);
    const found: Buffer[] = [];
    for (const byte of Buffer.concat(some)) {
      cutter.push(Buffer.from([byte]), (frame) => found.push(Buffer.from(frame)));
    }
    expect(found).toEqual(some);
  });

  it('hands on a frame without a copy when it lies whole in a chunk', () => {
    const cutter = new FrameCutter();
    const chunk = Buffer.concat([frames[0] as Buffer, frames[1] as Buffer]);
    const places: number[] = [];
    cutter.push(chunk, (frame) => {
      expect(frame.buffer).toBe(chunk.buffer);
      places.push(frame.byteOffset - chunk.byteOffset);
    });
    expect(places).toEqual([0, frames[0]?.length]);
  });

  it('takes a frame of exactly the limit and no larger one', () => {
    const largest = Buffer.alloc(MAX_FRAME_BYTES);
    largest.writeInt32BE(MAX_FRAME_BYTES - 4, 0);
    const sizes: number[] = [];
    new FrameCutter().push(largest, (frame) => sizes.push(frame.length));
    expect(sizes).toEqual([MAX_FRAME_BYTES]);
    const larger = Buffer.alloc(4);
    larger.writeInt32BE(MAX_FRAME_BYTES - 3, 0);
    expect(() => new FrameCutter().push(larger, fail)).toThrow(/frame length/);
  });

  it.each([0, 1, 3, -1, -0x8000_0000, 0x7fff_ffff])('refuses the length %i', (length) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(length, 0);
    expect(() => new FrameCutter().push(bytes, fail)).toThrow(CometError);
  });

  it.each([
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '1347569952, the peer speaks HTTP/2 or gRPC'],
    ['GET / HTTP/1.1\r\n\r\n', 'the peer speaks HTTP'],
    ['\u0016\u0003\u0001\u0002\u0000', 'the peer speaks TLS'],
    ['SSH-2.0-x\r\n', 'the peer speaks SSH'],
  ])('says of %j what the peer speaks (bug report 12)', (text, hint) => {
    const cutter = new FrameCutter();
    const push = () => cutter.push(Buffer.from(text, 'latin1'), fail);
    expect(push).toThrow(hint);
    expect(cutter.pendingBytes).toBe(0);
  });

  it('holds no more memory than what arrived, whatever length was announced', () => {
    const before = process.memoryUsage().arrayBuffers;
    const cutters = Array.from({ length: 200 }, () => {
      const cutter = new FrameCutter();
      const start = Buffer.alloc(100);
      start.writeInt32BE(MAX_FRAME_BYTES - 4, 0);
      cutter.push(start, fail);
      return cutter;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(cutters.every((cutter) => cutter.pendingBytes === 100)).toBe(true);
  });

  it('cuts nothing more once it was stopped, not even in the same chunk', () => {
    const cutter = new FrameCutter();
    let count = 0;
    cutter.push(Buffer.concat(frames.slice(0, 3)), () => {
      count++;
      cutter.stop();
    });
    cutter.push(frames[0] as Buffer, () => count++);
    expect(count).toBe(1);
    expect(cutter.pendingBytes).toBe(0);
  });

  it('goes on with the next frame when a handler throws on one that was complete', () => {
    const cutter = new FrameCutter();
    const [first, second] = [frames[0] as Buffer, frames[1] as Buffer];
    cutter.push(first.subarray(0, 10), fail);
    const rest = first.subarray(10);
    expect(() =>
      cutter.push(rest, () => {
        throw new Error('handler');
      }),
    ).toThrow('handler');
    const found: Buffer[] = [];
    cutter.push(second, (frame) => found.push(frame));
    expect(found).toEqual([second]);
  });
});

function fail(): void {
  throw new Error('no frame should have come');
}
