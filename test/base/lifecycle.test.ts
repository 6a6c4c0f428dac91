import { describe, expect, it } from 'vitest';
import { Lifecycle, type Service } from '../../src/base/lifecycle.js';

function recorder(
  log: string[],
  name: string,
  failing: 'start' | 'shutdown' | null = null,
): Service {
  const step = async (kind: 'start' | 'shutdown') => {
    log.push(`${kind} ${name}`);
    if (failing === kind) throw new Error(`${kind} of ${name}`);
  };
  return { start: () => step('start'), shutdown: () => step('shutdown') };
}

describe('Lifecycle', () => {
  it('starts in order and stops in the opposite order, once', async () => {
    const log: string[] = [];
    const lifecycle = new Lifecycle();
    for (const name of ['a', 'b', 'c']) lifecycle.add(name, recorder(log, name));
    await lifecycle.start();
    await lifecycle.shutdown();
    await lifecycle.shutdown();
    expect(log).toEqual([
      'start a',
      'start b',
      'start c',
      'shutdown c',
      'shutdown b',
      'shutdown a',
    ]);
  });

  it('stops what runs when a start fails, and throws that failure', async () => {
    const log: string[] = [];
    const lifecycle = new Lifecycle();
    lifecycle.add('a', recorder(log, 'a'));
    lifecycle.add('b', recorder(log, 'b', 'start'));
    lifecycle.add('c', recorder(log, 'c'));
    await expect(lifecycle.start()).rejects.toThrow('start of b');
    await lifecycle.shutdown();
    expect(log).toEqual(['start a', 'start b', 'shutdown a']);
  });

  it('stops the others when one fails to stop, and tells of it', async () => {
    const log: string[] = [];
    const lifecycle = new Lifecycle();
    lifecycle.add('a', recorder(log, 'a'));
    lifecycle.add('b', recorder(log, 'b', 'shutdown'));
    await lifecycle.start();
    await expect(lifecycle.shutdown()).rejects.toThrow(/failed to stop/);
    expect(log.slice(2)).toEqual(['shutdown b', 'shutdown a']);
  });

  it('takes no service after the start and starts only once', async () => {
    const lifecycle = new Lifecycle();
    await lifecycle.start();
    expect(() => lifecycle.add('late', recorder([], 'late'))).toThrow(/late/);
    await expect(lifecycle.start()).rejects.toThrow(/once/);
  });
});
