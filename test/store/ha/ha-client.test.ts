import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { writeFrameHeader } from '../../../src/store/ha/ha-frame.js';
import { StoreCursor } from '../../../src/store/store-cursors.js';
import {
  appendBytes,
  contentOf,
  FILE_BYTES,
  goldenStreams,
  openMaster,
  openSlave,
  type Slave,
} from './ha-fixture.js';

function frame(at: number, body: Buffer): Buffer {
  const header = Buffer.alloc(12);
  writeFrameHeader(header, at, body.length);
  return Buffer.concat([header, body]);
}

/** Lets the slave dial, and its connection stand. */
function link(slave: Slave) {
  slave.client.setMaster('10.0.0.1:10912');
  slave.client.doWork();
  const last = slave.links.at(-1)!;
  last.events.onConnect?.();
  return last;
}

function reportsOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 8 }, (_, i) => Number(bytes.readBigInt64BE(i * 8)));
}

describe('a slave', () => {
  it('reports to a Java master what the Java slave reported, in its order, and ends with the same log', () => {
    const clock = new ManualClock();
    const slave = openSlave(clock);
    const [first, second] = goldenStreams();
    const log: Buffer[] = [];
    for (const stream of [first!, second!]) {
      const { transport, events } = link(slave);
      // Our first report does not wait 5 s.
      const reports = reportsOf(transport.take());
      let nowMs = 0;
      for (const event of stream.events) {
        clock.advance(event.t - nowMs);
        nowMs = event.t;
        if (event.hex === undefined || event.dir === 'c2s') continue;
        const bytes = Buffer.from(event.hex, 'hex');
        // One frame at a time: Java reports after each.
        for (let at = 0; at < bytes.length; ) {
          const end = at + 12 + bytes.readInt32BE(at + 8);
          log.push(bytes.subarray(at + 12, end));
          events.onBytes(bytes.subarray(at, end));
          reports.push(...reportsOf(transport.take()));
          at = end;
        }
      }
      const moves = (list: readonly number[]) => list.filter((it, i) => it !== list[i - 1]);
      expect(moves(reports)).toEqual(moves(stream.slaveReports));
      events.onClose('closed');
      clock.advance(1000);
    }
    const all = Buffer.concat(log);
    expect(slave.cursors.get(StoreCursor.logMinOffset)).toBe(65_536);
    expect(slave.cursors.get(StoreCursor.wroteOffset)).toBe(65_536 + all.length);
    expect(contentOf(slave, 65_536, 65_536 + all.length).equals(all)).toBe(true);
  });

  it('reports every 5 s though nothing comes, and leaves a master that is silent for 20 s', () => {
    const clock = new ManualClock();
    const slave = openSlave(clock);
    const { transport } = link(slave);
    expect(reportsOf(transport.take())).toEqual([0]);
    clock.advance(5000);
    slave.client.doWork();
    expect(transport.take().length).toBe(0);
    clock.advance(1);
    slave.client.doWork();
    expect(reportsOf(transport.take())).toEqual([0]);
    clock.advance(15_000);
    slave.client.doWork();
    expect(transport.isClosed).toBe(true);
    clock.advance(1000);
    slave.client.doWork();
    expect(slave.links.length).toBe(2);
  });

  it('tries again 5 s after a connection that never stood', () => {
    const clock = new ManualClock();
    const slave = openSlave(clock);
    slave.client.setMaster('10.0.0.1:10912');
    slave.client.doWork();
    clock.advance(5001);
    slave.client.doWork();
    expect(slave.links[0]?.transport.isClosed).toBe(true);
    clock.advance(4999);
    slave.client.doWork();
    expect(slave.links.length).toBe(1);
    clock.advance(1);
    slave.client.doWork();
    expect(slave.links.length).toBe(2);
  });

  it('takes frames in any pieces', () => {
    const slave = openSlave(new ManualClock());
    const { transport, events } = link(slave);
    const bodies = [
      Buffer.alloc(100, 1),
      Buffer.alloc(0),
      Buffer.alloc(5000, 2),
      Buffer.alloc(7, 3),
    ];
    let at = 0;
    const frames = bodies.map((body) => {
      const bytes = frame(at, body);
      at += body.length;
      return bytes;
    });
    const stream = Buffer.concat(frames);
    for (let i = 0; i < stream.length; i += 37) events.onBytes(stream.subarray(i, i + 37));
    expect(slave.log.wroteOffset).toBe(5107);
    expect(reportsOf(transport.take()).at(-1)).toBe(5107);
    expect(contentOf(slave, 0, 5107).equals(Buffer.concat(bodies))).toBe(true);
  });

  it('closes on a frame that does not begin where its log ends, and appends nothing of it', () => {
    const slave = openSlave(new ManualClock());
    const { transport, events } = link(slave);
    events.onBytes(frame(0, Buffer.alloc(100, 1)));
    events.onBytes(frame(200, Buffer.alloc(100, 2)));
    expect(transport.isClosed).toBe(true);
    expect(slave.log.wroteOffset).toBe(100);
  });

  it('closes on a length that no frame has', () => {
    const slave = openSlave(new ManualClock());
    const { transport, events } = link(slave);
    const bytes = frame(0, Buffer.alloc(0));
    bytes.writeInt32BE(-1, 8);
    events.onBytes(bytes);
    expect(transport.isClosed).toBe(true);
  });
});

describe('a slave that compares its history', () => {
  const OWN = Buffer.alloc(FILE_BYTES + 40_000, 7);

  it('asks for its last bytes once more, takes what is the same, and goes on behind them', () => {
    const slave = openSlave(new ManualClock(), 1000);
    appendBytes(slave, 0, OWN);
    const { transport, events } = link(slave);
    expect(reportsOf(transport.take())).toEqual([OWN.length - 1000]);
    events.onBytes(frame(OWN.length - 1000, Buffer.alloc(600, 7)));
    expect(reportsOf(transport.take())).toEqual([OWN.length - 400]);
    events.onBytes(
      frame(OWN.length - 400, Buffer.concat([Buffer.alloc(400, 7), Buffer.from('new')])),
    );
    expect(reportsOf(transport.take())).toEqual([OWN.length + 3]);
    expect(contentOf(slave, OWN.length, OWN.length + 3).toString()).toBe('new');
  });

  it('never merges another history', () => {
    const slave = openSlave(new ManualClock(), 1000);
    appendBytes(slave, 0, OWN);
    const { transport, events } = link(slave);
    const other = Buffer.alloc(1500, 7);
    other[999] = 8;
    events.onBytes(frame(OWN.length - 1000, other));
    expect(transport.isClosed).toBe(true);
    expect(slave.log.wroteOffset).toBe(OWN.length);
  });

  it('knows after two heartbeats that it holds more than its master', () => {
    const slave = openSlave(new ManualClock(), 1000);
    appendBytes(slave, 0, OWN);
    const { transport, events } = link(slave);
    const end = OWN.length - 300;
    events.onBytes(frame(OWN.length - 1000, Buffer.alloc(700, 7)));
    events.onBytes(frame(end, Buffer.alloc(0)));
    expect(transport.isClosed).toBe(false);
    events.onBytes(frame(end, Buffer.alloc(0)));
    expect(transport.isClosed).toBe(true);
    expect(reportsOf(transport.take()).at(-1)).toBe(end);
  });

  it('follows a master of ours through breaks at any byte', () => {
    const clock = new ManualClock();
    const master = openMaster(clock);
    const slave = openSlave(clock, 16 * 1024);
    const content = Buffer.alloc(3 * FILE_BYTES - 5);
    for (let i = 0; i < content.length; i++) content[i] = (i * 31 + (i >> 8)) & 0xff;
    let written = 0;
    for (let round = 0; written < content.length; round++) {
      const there = link(slave);
      const here = master.connect();
      const until = Math.min(content.length, written + 7919);
      appendBytes(master, written, content.subarray(written, until));
      written = until;
      let last = false;
      while (!last) {
        here.events.onBytes(there.transport.take());
        while (master.service.doWork() > 0);
        const bytes = here.transport.take();
        last = bytes.length === 0;
        // Every third link breaks in the middle of what was sent.
        const cut = round % 3 === 2 ? Math.floor(bytes.length / 2) : bytes.length;
        there.events.onBytes(bytes.subarray(0, cut));
        if (cut < bytes.length) break;
      }
      here.events.onClose('broken');
      there.events.onClose('broken');
      clock.advance(6000);
    }
    const end = slave.log.wroteOffset;
    expect(end).toBeGreaterThan(content.length - 7919);
    expect(contentOf(slave, 0, end).equals(content.subarray(0, end))).toBe(true);
    expect(master.pushed()).toBeLessThanOrEqual(content.length);
  });
});
