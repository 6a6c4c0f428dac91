import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { setLogLevel } from '../../src/base/logger.js';
import { PeriodicTasks } from '../../src/broker/periodic-tasks.js';

setLogLevel('silent');

describe('PeriodicTasks', () => {
  it('runs a task after its first delay and then once a period', async () => {
    const clock = new ManualClock();
    const tasks = new PeriodicTasks(clock);
    let runs = 0;
    tasks.add('t', 100, 50, () => {
      runs++;
    });
    clock.advance(99);
    await tasks.tick();
    expect(runs).toBe(0);
    clock.advance(1);
    await tasks.tick();
    await tasks.tick();
    expect(runs).toBe(1);
    clock.advance(50);
    await tasks.tick();
    expect(runs).toBe(2);
  });

  it('never runs a task twice at once', async () => {
    const clock = new ManualClock();
    const tasks = new PeriodicTasks(clock);
    let release: () => void = () => {};
    let runs = 0;
    tasks.add('slow', 0, 10, () => {
      runs++;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const first = tasks.tick();
    clock.advance(100);
    await tasks.tick();
    expect(runs).toBe(1);
    release();
    await first;
    void tasks.tick();
    expect(runs).toBe(2);
    release();
  });

  it('runs a task again after it failed, and others beside it', async () => {
    const clock = new ManualClock();
    const tasks = new PeriodicTasks(clock);
    let runs = 0;
    tasks.add('bad', 0, 10, () => {
      throw new Error('bad');
    });
    tasks.add('worse', 0, 10, async () => {
      throw new Error('worse');
    });
    tasks.add('good', 0, 10, () => {
      runs++;
    });
    await tasks.tick();
    clock.advance(10);
    await tasks.tick();
    expect(runs).toBe(2);
  });

  it('ignores a wall clock that is stepped', async () => {
    const clock = new ManualClock();
    const tasks = new PeriodicTasks(clock);
    let runs = 0;
    tasks.add('t', 1000, 1000, () => {
      runs++;
    });
    clock.stepWallClock(1e9);
    await tasks.tick();
    expect(runs).toBe(0);
  });
});
