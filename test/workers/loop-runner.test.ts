import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/ring/agent.js';
import { WakeWord } from '../../src/ring/wake-word.js';
import { LoopRunner } from '../../src/workers/loop-runner.js';

class CountingAgent implements Agent {
  readonly name = 'ha';
  turns = 0;
  pending = 0;
  naps = false;
  sleepMs = 600_000;

  doWork(): number {
    this.turns++;
    const work = this.pending;
    this.pending = 0;
    return work;
  }

  hasWork(): boolean {
    return this.pending > 0;
  }

  mayNap(): boolean {
    return this.naps;
  }

  maxSleepMs(): number {
    return this.sleepMs;
  }

  close(): void {}
}

function setup(hasNobody = false) {
  const agent = new CountingAgent();
  const wake = WakeWord.create();
  const state = { stop: false };
  const runner = new LoopRunner(
    [agent],
    wake,
    () => state.stop,
    () => hasNobody,
  );
  const ended = runner.run();
  const stop = async (): Promise<void> => {
    state.stop = true;
    wake.wake();
    await ended;
  };
  return { agent, wake, runner, stop };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Until it does not turn any more. */
async function asleep(agent: CountingAgent): Promise<number> {
  for (let last = -1, calm = 0; calm < 20; ) {
    await turnOfLoop();
    calm = agent.turns === last ? calm + 1 : 0;
    last = agent.turns;
  }
  return agent.turns;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turnOfLoop();
}

describe('LoopRunner', () => {
  it('sleeps when there is nothing to do, and is nudged awake', async () => {
    const { agent, wake, stop } = setup();
    const turns = await asleep(agent);
    agent.pending = 3;
    wake.nudge();
    await until(() => agent.turns > turns && agent.pending === 0);
    await stop();
  });

  it('sleeps through nudges while it has nobody to serve, but not through the end', async () => {
    const { agent, wake, stop } = setup(true);
    const turns = await asleep(agent);
    for (let i = 0; i < 50; i++) {
      wake.nudge();
      await turnOfLoop();
    }
    expect(agent.turns).toBe(turns);
    await stop();
  });

  it('looks at once when a socket brought something', async () => {
    const { agent, runner, stop } = setup(true);
    const turns = await asleep(agent);
    runner.kick();
    await turnOfLoop();
    await turnOfLoop();
    expect(agent.turns).toBeGreaterThan(turns);
    await stop();
  });

  it('turns by itself when a timer of an agent is due', async () => {
    const { agent, stop } = setup();
    agent.sleepMs = 20;
    const turns = await asleep(agent);
    await until(() => agent.turns > turns);
    await stop();
  });

  it('does what is left before it ends', async () => {
    const { agent, stop } = setup();
    await asleep(agent);
    agent.pending = 1;
    await stop();
    expect(agent.pending).toBe(0);
  });
});
