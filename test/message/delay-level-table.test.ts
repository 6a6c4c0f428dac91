import { describe, expect, it } from 'vitest';
import { DEFAULT_DELAY_LEVELS, parseDelayLevels } from '../../src/message/delay-level-table.js';

describe('the delay levels', () => {
  it('are 18 by default, from a second to two hours', () => {
    const table = parseDelayLevels(DEFAULT_DELAY_LEVELS);
    expect(table.maxLevel).toBe(18);
    expect([1, 5, 17, 18].map((level) => table.delayMs(level))).toEqual([
      1_000, 60_000, 3_600_000, 7_200_000,
    ]);
  });

  it('count an unknown level as a second, and a level above the last as the last', () => {
    const table = parseDelayLevels('5s 2d');
    expect(table.delayMs(7)).toBe(1_000);
    expect(table.deliverTimestamp(2, 10)).toBe(172_800_010);
    expect(table.capLevel(7)).toBe(2);
    expect(table.capLevel(1)).toBe(1);
  });

  it.each(['', '5', 's', '5x', '5s 1.5m', '-1s'])('are refused when they are "%s"', (text) => {
    expect(() => parseDelayLevels(text)).toThrow(/messageDelayLevel/);
  });
});
