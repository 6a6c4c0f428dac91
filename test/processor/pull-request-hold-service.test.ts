import { beforeEach, describe, expect, it } from 'vitest';
import { TagFilter } from '../../src/processor/pull-filter.js';
import {
  type HeldPull,
  PullRequestHoldService,
} from '../../src/processor/pull-request-hold-service.js';

let service: PullRequestHoldService;
let ready: HeldPull[];

beforeEach(() => {
  service = new PullRequestHoldService();
  service.sweep(0, () => 0, []);
  ready = [];
});

function hold(over: Partial<HeldPull> = {}): HeldPull {
  const pull: HeldPull = {
    connectionId: 1,
    record: Buffer.alloc(0),
    topic: 'T',
    queueId: 0,
    queueOffset: 10,
    filter: null,
    deadlineMs: 15_000,
    ...over,
  };
  service.hold(pull);
  return pull;
}

describe('PullRequestHoldService', () => {
  it('lets a pull go when a message arrives in its queue, and only in its queue', () => {
    const pull = hold();
    hold({ queueId: 1 });
    service.arrived('T', 0, 11, 0, 0, ready);
    expect(ready).toEqual([pull]);
    expect(service.count).toBe(1);
  });

  it('keeps a pull whose filter refuses the tag, and lets it go for the right one', () => {
    hold({ filter: new TagFilter([42]) });
    service.arrived('T', 0, 11, 0, 7, ready);
    expect(ready.length).toBe(0);
    service.arrived('T', 0, 12, 0, 42, ready);
    expect(ready.length).toBe(1);
  });

  it('keeps a pull that already stands behind the new record', () => {
    hold({ queueOffset: 11 });
    service.arrived('T', 0, 11, 0, 0, ready);
    expect(ready.length).toBe(0);
  });

  it('ends a hold when its time is over, not earlier and not at the next sweep', () => {
    hold({ deadlineMs: 1200 });
    expect(service.maxSleepMs(1000)).toBe(200);
    service.sweep(1199, () => 0, ready);
    expect(ready.length).toBe(0);
    service.sweep(1200, () => 0, ready);
    expect(ready.length).toBe(1);
    expect(service.maxSleepMs(1200)).toBe(Number.POSITIVE_INFINITY);
  });

  it('finds a missed arrival at the sweep every 5 s', () => {
    hold();
    service.sweep(4999, () => 11, ready);
    expect(ready.length).toBe(0);
    service.sweep(5000, () => 11, ready);
    expect(ready.length).toBe(1);
  });

  it('forgets the pulls of a closed connection', () => {
    hold({ connectionId: 1 });
    hold({ connectionId: 2 });
    service.connectionClosed(1);
    expect(service.count).toBe(1);
    service.arrived('T', 0, 11, 0, 0, ready);
    expect(ready.map((pull) => pull.connectionId)).toEqual([2]);
  });
});
