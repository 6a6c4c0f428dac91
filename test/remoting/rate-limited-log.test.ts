import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { RateLimitedLog } from '../../src/remoting/rate-limited-log.js';

test('ten lines a second, then one that counts what was left out', () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const keep = (message: string) => lines.push(message);
  const logger = { debug: keep, info: keep, warn: keep, error: keep, isLevelEnabled: () => true };
  const log = new RateLimitedLog(logger, clock);
  for (let i = 0; i < 1000; i++) log.warn(`line ${i}`);
  expect(lines).toHaveLength(10);
  clock.advance(1000);
  for (let i = 0; i < 1000; i++) log.warn(`more ${i}`);
  expect(lines).toHaveLength(20);
  expect(lines[10]).toBe('990 lines like these were left out');
});
