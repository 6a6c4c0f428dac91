import { describe, expect, it } from 'vitest';
import { ArrivalMarks } from '../../../src/broker/schedule/arrival-marks.js';

const DELAY_MS = 10_000;

/** Looks at 100, 200, ... ms, each of which saw the given end and all before it. */
function looked(...ends: number[]): ArrivalMarks {
  const marks = new ArrivalMarks(DELAY_MS, 0, 0);
  for (const [i, end] of ends.entries()) marks.looked(end, (i + 1) * 100, (i + 1) * 100 + 1, true);
  return marks;
}

describe('ArrivalMarks', () => {
  it('believes a timestamp between the look that did not see the entry and the one that did', () => {
    const marks = looked(0, 3, 3, 5);
    expect(marks.dueMs(0, 10_150)).toBe(10_150);
    expect(marks.dueMs(2, 10_100)).toBe(10_100);
    expect(marks.dueMs(4, 10_399)).toBe(10_399);
  });

  it('holds one that is too early or too late to those bounds', () => {
    const marks = looked(0, 3, 3, 5);
    expect(marks.dueMs(1, -99_999)).toBe(10_100);
    expect(marks.dueMs(1, 99_999)).toBe(10_201);
    expect(marks.dueMs(3, 99_999)).toBe(10_401);
  });

  it('takes no lower bound from a look behind which entries were still on their way', () => {
    const marks = new ArrivalMarks(DELAY_MS, 0, 0);
    marks.looked(0, 100, 101, true);
    marks.looked(0, 200, 201, false);
    marks.looked(1, 300, 301, true);
    expect(marks.dueMs(0, 0)).toBe(10_100);
  });

  it('knows nothing of what was there before, but that no delay is longer than the delay', () => {
    const marks = new ArrivalMarks(DELAY_MS, 5, 1000);
    expect(marks.dueMs(4, -5_000_000)).toBe(-5_000_000);
    expect(marks.dueMs(4, 11_000)).toBe(11_000);
    expect(marks.dueMs(4, 11_001)).toBe(1000);
  });

  it('believes what no look has seen yet', () => {
    expect(looked(0).dueMs(7, 123)).toBe(123);
  });

  it('forgets what is behind, and only that', () => {
    const marks = looked(0, 3, 5);
    marks.forgetBelow(3);
    expect(marks.dueMs(3, 0)).toBe(10_200);
  });
});
