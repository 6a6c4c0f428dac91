import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { seededPrng } from '../../../src/base/prng.js';
import { encodeReport, HaFrameReader } from '../../../src/store/ha/ha-frame.js';
import {
  appendBytes,
  contentOf,
  FakeTransport,
  FILE_BYTES,
  goldenStreams,
  type Master,
  openMaster,
} from './ha-fixture.js';

/** The bytes of the log that the captured frames carry, and where each of them begins. */
function framesOf(bytes: Buffer): { at: number; body: Buffer }[] {
  const frames: { at: number; body: Buffer }[] = [];
  new HaFrameReader().push(bytes, (at, from, start, size) => {
    frames.push({ at, body: Buffer.from(from.subarray(start, start + size)) });
    return true;
  });
  return frames;
}

function appendAll(master: Master, frames: ReturnType<typeof framesOf>): void {
  for (const { at, body } of frames) {
    if (at + body.length > master.log.wroteOffset) appendBytes(master, at, body);
  }
}

function turn(master: Master): void {
  while (master.service.doWork() > 0);
}

describe('a master of 65536-byte files', () => {
  it('sends to an empty and to a returning slave what the Java master sent, byte for byte and in order', () => {
    const clock = new ManualClock();
    const master = openMaster(clock);
    const [first, second] = goldenStreams();
    for (const stream of [first!, second!]) {
      const sent = stream.events
        .filter(({ dir }) => dir === 's2c')
        .map(({ hex }) => framesOf(Buffer.from(hex ?? '', 'hex')));
      // The heartbeat and what follows it at once were there when the slave came.
      for (const frames of sent.splice(0, 2)) appendAll(master, frames);
      const { transport, events } = master.connect();
      let nowMs = 0;
      let held = Buffer.alloc(0);
      for (const [index, event] of stream.events.entries()) {
        clock.advance(event.t - nowMs);
        nowMs = event.t;
        if (event.hex === undefined) continue;
        const bytes = Buffer.from(event.hex, 'hex');
        if (event.dir === 'c2s') {
          events.onBytes(bytes);
          continue;
        }
        if (index > 3) appendAll(master, framesOf(bytes));
        turn(master);
        held = Buffer.concat([held, transport.take()]);
        expect(held.subarray(0, bytes.length).equals(bytes), `at ${event.t} ms`).toBe(true);
        held = held.subarray(bytes.length);
      }
      expect(held.length).toBe(0);
      expect(master.pushed()).toBe(stream.slaveReports.at(-1));
      expect(master.slaves()).toBe(1);
      events.onClose('closed');
      expect(master.slaves()).toBe(0);
    }
  });

  it('begins at the start of its last file when a slave has nothing, else where the slave ends', () => {
    const master = openMaster(new ManualClock());
    appendBytes(master, 0, Buffer.alloc(FILE_BYTES + 1000, 1));
    const empty = master.connect();
    empty.events.onBytes(encodeReport(0));
    const other = master.connect();
    other.events.onBytes(encodeReport(500));
    turn(master);
    expect(framesOf(empty.transport.take()).map(({ at, body }) => [at, body.length])).toEqual([
      [FILE_BYTES, 1000],
    ]);
    const sent = framesOf(other.transport.take());
    expect(sent.map(({ at, body }) => [at, body.length])).toEqual([
      [500, 32_768],
      [33_268, 32_268],
      [FILE_BYTES, 1000],
    ]);
    const all = Buffer.concat(sent.map(({ body }) => body));
    expect(all.equals(contentOf(master, 500, FILE_BYTES + 1000))).toBe(true);
  });

  it('stops while the slave does not read, and goes on where it was', () => {
    const master = openMaster(new ManualClock());
    appendBytes(master, 0, Buffer.alloc(1000, 1));
    const { transport, events } = master.connect();
    events.onBytes(encodeReport(0));
    transport.isWritable = false;
    turn(master);
    expect(transport.take().length).toBe(0);
    expect(master.service.hasWork()).toBe(false);
    transport.isWritable = true;
    expect(master.service.hasWork()).toBe(true);
    turn(master);
    expect(transport.take().length).toBe(1012);
  });

  it('closes a slave that reports nothing for 20 s, and one that never did', () => {
    const clock = new ManualClock();
    const master = openMaster(clock);
    const { transport, events } = master.connect();
    const stranger = master.connect();
    events.onBytes(encodeReport(0));
    expect(master.slaves()).toBe(1);
    clock.advance(20_000);
    turn(master);
    expect([transport.isClosed, stranger.transport.isClosed]).toEqual([false, false]);
    clock.advance(1);
    turn(master);
    expect([transport.isClosed, stranger.transport.isClosed]).toEqual([true, true]);
    expect(master.slaves()).toBe(0);
    expect(master.service.connectionCount).toBe(0);
  });
});

describe('a report', () => {
  const MAX = Buffer.from('7fffffffffffffff', 'hex');

  it.each([
    ['is Long.MAX_VALUE', MAX],
    ['is negative', Buffer.from('ffffffffffffffff', 'hex')],
    ['is one byte beyond the log', encodeReport(1001)],
  ])('that %s closes the connection and counts for nothing, as the first one', (_, bytes) => {
    const master = openMaster(new ManualClock());
    appendBytes(master, 0, Buffer.alloc(1000, 1));
    const { transport, events } = master.connect();
    events.onBytes(bytes);
    turn(master);
    expect(transport.isClosed).toBe(true);
    expect([master.pushed(), master.slaves()]).toEqual([0, 0]);
    expect(transport.take().length).toBe(0);
  });

  it.each([
    ['beyond what was sent', 1001],
    ['behind an earlier one', 99],
  ])('%s closes the connection, as a later one', (_, value) => {
    const master = openMaster(new ManualClock());
    appendBytes(master, 0, Buffer.alloc(1000, 1));
    const { transport, events } = master.connect();
    events.onBytes(encodeReport(100));
    turn(master);
    appendBytes(master, 1000, Buffer.alloc(1000, 2));
    events.onBytes(encodeReport(value));
    expect(transport.isClosed).toBe(true);
    expect([master.pushed(), master.slaves()]).toEqual([100, 0]);
  });

  it('may come in pieces, or several at once', () => {
    const master = openMaster(new ManualClock());
    appendBytes(master, 0, Buffer.alloc(1000, 1));
    const { events } = master.connect();
    const first = encodeReport(100);
    events.onBytes(first.subarray(0, 3));
    expect(master.slaves()).toBe(0);
    events.onBytes(first.subarray(3));
    expect(master.pushed()).toBe(100);
    turn(master);
    events.onBytes(Buffer.concat([encodeReport(200), encodeReport(300), Buffer.alloc(1)]));
    expect(master.pushed()).toBe(300);
  });

  it('of a slave that ends before the first file that is kept is refused, not met with silence', () => {
    const clock = new ManualClock();
    const master = openMaster(clock);
    appendBytes(master, 2 * FILE_BYTES, Buffer.alloc(1000, 1));
    const { transport, events } = master.connect();
    events.onBytes(encodeReport(500));
    expect(transport.isClosed).toBe(true);
    expect(master.slaves()).toBe(0);
  });

  it('never goes beyond the log, whatever 10,000 strangers send, and an honest slave notices nothing', () => {
    const seed = Date.now() & 0x7fff_ffff;
    const prng = seededPrng(seed);
    const master = openMaster(new ManualClock());
    appendBytes(master, 0, Buffer.alloc(1000, 1));
    const honest = master.connect();
    honest.events.onBytes(encodeReport(1000));
    for (let i = 0; i < 10_000; i++) {
      const stranger = master.connect(new FakeTransport(`10.0.0.${i % 200}:${i}`));
      const junk = Buffer.from(Array.from({ length: 8 }, () => prng.nextInt(256)));
      // Every other one says something that might be true first.
      if (i % 2 === 0) stranger.events.onBytes(encodeReport(prng.nextInt(1001)));
      stranger.events.onBytes(junk);
      stranger.events.onClose('gone');
      master.service.doWork();
      expect(master.pushed(), `seed ${seed}`).toBeLessThanOrEqual(1000);
    }
    expect([master.slaves(), honest.transport.isClosed]).toEqual([1, false]);
  });
});
