import { beforeEach, describe, expect, it } from 'vitest';
import { PutMessageStatus as S } from '../../src/store/put-message.js';
import { ParkedReplies } from '../../src/workers/parked-replies.js';
import { WaitFor } from '../../src/workers/ring-records.js';

let now: number;
let flushed: number;
let slave: number;
let slaveOk: boolean;
let parked: ParkedReplies;
let done: [string, number][];

beforeEach(() => {
  now = 0;
  flushed = 0;
  slave = 0;
  slaveOk = true;
  done = [];
  parked = new ParkedReplies(
    { syncFlushTimeoutMs: 5000, slaveTimeoutMs: 3000 },
    { flushedWhere: () => flushed, slaveOffset: () => slave, isSlaveOk: () => slaveOk },
    () => now,
  );
});

const park = (name: string, waitFor: number, position: number): void =>
  parked.park(waitFor, position, (status) => done.push([name, status]));

describe('ParkedReplies', () => {
  it('answers at once what waits for nothing or is durable already', () => {
    expect(parked.immediate(WaitFor.NOTHING, 100)).toBe(S.PUT_OK);
    flushed = 100;
    expect(parked.immediate(WaitFor.FLUSHED, 100)).toBe(S.PUT_OK);
    expect(parked.immediate(WaitFor.FLUSHED, 101)).toBeNull();
    expect(parked.immediate(WaitFor.REPLICATED, 1)).toBeNull();
  });

  it('completes in order, exactly those whose record is on disk', () => {
    park('a', WaitFor.FLUSHED, 100);
    park('b', WaitFor.FLUSHED, 200);
    park('c', WaitFor.FLUSHED, 300);
    flushed = 200;
    parked.release();
    expect(done).toEqual([
      ['a', S.PUT_OK],
      ['b', S.PUT_OK],
    ]);
    expect(parked.length).toBe(1);
  });

  it('answers FLUSH_DISK_TIMEOUT when the sync outlives its deadline, not a moment earlier', () => {
    park('a', WaitFor.FLUSHED, 100);
    now = 4999;
    parked.release();
    expect(done).toEqual([]);
    expect(parked.nextDeadlineMs()).toBe(1);
    now = 5000;
    parked.release();
    expect(done).toEqual([['a', S.FLUSH_DISK_TIMEOUT]]);
  });

  it('answers SLAVE_NOT_AVAILABLE without waiting for a slave that is not there', () => {
    slaveOk = false;
    expect(parked.immediate(WaitFor.REPLICATED, 100)).toBe(S.SLAVE_NOT_AVAILABLE);
    // With both waits the flush is still awaited.
    expect(parked.immediate(WaitFor.BOTH, 100)).toBeNull();
    park('a', WaitFor.BOTH, 100);
    flushed = 100;
    parked.release();
    expect(done).toEqual([['a', S.SLAVE_NOT_AVAILABLE]]);
  });

  it('answers FLUSH_SLAVE_TIMEOUT after the slave timeout, which wins over the flush', () => {
    park('a', WaitFor.BOTH, 100);
    flushed = 100;
    now = 3000;
    parked.release();
    expect(done).toEqual([['a', S.FLUSH_SLAVE_TIMEOUT]]);
  });

  it('acknowledges nothing any more once the store failed', () => {
    park('a', WaitFor.FLUSHED, 100);
    park('b', WaitFor.FLUSHED, 200);
    parked.failAll(S.SERVICE_NOT_AVAILABLE);
    flushed = 1000;
    parked.release();
    expect(done).toEqual([
      ['a', S.SERVICE_NOT_AVAILABLE],
      ['b', S.SERVICE_NOT_AVAILABLE],
    ]);
  });

  it('stays small while thousands pass through', () => {
    for (let i = 1; i <= 10_000; i++) {
      park(String(i), WaitFor.FLUSHED, i);
      flushed = i;
      parked.release();
    }
    expect(done.length).toBe(10_000);
    expect(parked.length).toBe(0);
  });
});
