import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { seededPrng } from '../../src/base/prng.js';
import { SpscRing } from '../../src/ring/spsc-ring.js';

const CAPACITY = 4096;

function offer(ring: SpscRing, kind: number, payload: Buffer): boolean {
  const at = ring.claim(payload.length);
  if (at < 0) return false;
  payload.copy(ring.bytes, at);
  ring.commit(kind, payload.length);
  ring.publish();
  return true;
}

function take(ring: SpscRing): { kind: number; payload: Buffer } | null {
  const size = ring.peek();
  if (size < 0) return null;
  const at = ring.position();
  const record = { kind: ring.kind(), payload: Buffer.from(ring.bytes.subarray(at, at + size)) };
  ring.next(size);
  ring.release();
  return record;
}

describe('SpscRing', () => {
  it('gives records back whole and in order over many wrap-arounds', () => {
    const producer = SpscRing.create(CAPACITY);
    const consumer = new SpscRing(producer.memory);
    const prng = seededPrng(7);
    const expected: Buffer[] = [];
    let taken = 0;
    for (let i = 0; i < 20_000; i++) {
      const payload = Buffer.alloc(prng.nextInt(900), i & 0xff);
      if (offer(producer, i & 7, payload)) expected.push(payload);
      if (prng.nextInt(3) > 0) {
        const record = take(consumer);
        if (record !== null) expect(record.payload.equals(expected[taken++]!)).toBe(true);
      }
    }
    for (let record = take(consumer); record !== null; record = take(consumer)) {
      expect(record.payload.equals(expected[taken++]!)).toBe(true);
    }
    expect(taken).toBe(expected.length);
    expect(taken).toBeGreaterThan(10_000);
  });

  it('answers -1 when full, loses nothing, and has room again after a release', () => {
    const ring = SpscRing.create(CAPACITY);
    let count = 0;
    while (offer(ring, 1, Buffer.alloc(100, count))) count++;
    expect(count).toBeGreaterThan(30);
    expect(take(ring)!.payload[0]).toBe(0);
    expect(take(ring)!.payload[0]).toBe(1);
    expect(offer(ring, 1, Buffer.alloc(100, 99))).toBe(true);
    for (let i = 2; i < count; i++) expect(take(ring)!.payload[0]).toBe(i);
    expect(take(ring)!.payload[0]).toBe(99);
    expect(take(ring)).toBeNull();
  });

  it('shows nothing before publish and keeps unreleased bytes from the producer', () => {
    const ring = SpscRing.create(CAPACITY);
    const reader = new SpscRing(ring.memory);
    ring.claim(8);
    ring.commit(1, 8);
    expect(reader.peek()).toBe(-1);
    ring.publish();
    expect(reader.peek()).toBe(8);
    reader.next(8);
    expect(reader.peek()).toBe(-1);
    // Stepped over but not released: the whole capacity is not free yet.
    expect(ring.claim(CAPACITY - 8)).toBe(-1);
    reader.release();
    while (ring.claim(CAPACITY - 8) < 0) expect(reader.peek()).toBe(-1);
  });

  it('takes the largest payload at any position, at the second try at the latest', () => {
    for (let lead = 0; lead < CAPACITY / 2; lead += 200) {
      const ring = SpscRing.create(CAPACITY);
      const reader = new SpscRing(ring.memory);
      if (lead > 0) {
        offer(ring, 1, Buffer.alloc(lead));
        take(reader);
      }
      const payload = Buffer.alloc(ring.maxPayloadBytes, 5);
      if (!offer(ring, 2, payload)) {
        expect(reader.peek()).toBe(-1);
        expect(offer(ring, 2, payload)).toBe(true);
      }
      expect(take(reader)!.payload.equals(payload)).toBe(true);
    }
  });

  it('begins again at its start when it runs empty some way in', () => {
    const ring = SpscRing.create(4 * 1024 * 1024);
    const reader = new SpscRing(ring.memory);
    const positions: number[] = [];
    for (let i = 0; i < 30; i++) {
      const at = ring.claim(100_000);
      positions.push(at);
      ring.commit(1, 100_000);
      ring.publish();
      take(reader);
    }
    expect(Math.max(...positions)).toBeLessThan(1.3 * 1024 * 1024);
  });

  it('hands a million bytes between two threads unchanged', async () => {
    const ring = SpscRing.create(1 << 16);
    const producer = new Worker(new URL('../support/ring-producer.mjs', import.meta.url), {
      workerData: { memory: ring.memory, records: 20_000 },
    });
    let next = 0;
    const deadline = Date.now() + 20_000;
    while (next < 20_000 && Date.now() < deadline) {
      const record = take(ring);
      if (record === null) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      expect(record.payload.readInt32LE(0)).toBe(next);
      expect(record.payload.length).toBe(4 + (next % 97));
      expect(record.payload.subarray(4).every((byte) => byte === (next & 0xff))).toBe(true);
      next++;
    }
    await producer.terminate();
    expect(next).toBe(20_000);
  });
});

describe('SpscRing.look', () => {
  it('tells records that were there at the look from those that came later', () => {
    const ring = SpscRing.create(CAPACITY);
    const reader = new SpscRing(ring.memory);
    expect(reader.look()).toBe(false);
    offer(ring, 1, Buffer.from('first'));
    expect(reader.hasSeen()).toBe(false);
    expect(reader.look()).toBe(true);
    offer(ring, 2, Buffer.from('later'));
    expect(take(reader)!.payload.toString()).toBe('first');
    expect(reader.hasSeen()).toBe(false);
    expect(take(reader)!.payload.toString()).toBe('later');
  });
});
