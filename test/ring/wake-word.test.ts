import { describe, expect, it } from 'vitest';
import { WakeWord } from '../../src/ring/wake-word.js';

describe('WakeWord', () => {
  it('returns from waiting at once when it was woken after the announcement', () => {
    const word = WakeWord.create();
    const sequence = word.announce();
    new WakeWord(word.memory).wake();
    const start = performance.now();
    word.wait(sequence, 5000);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('leaves a thread alone that does not sleep', () => {
    const word = WakeWord.create();
    word.wake();
    const sequence = word.announce();
    expect(word.waitAsync(sequence)).not.toBeNull();
  });

  it('resolves an asynchronous wait on wake-up, and says so when it came too late', async () => {
    const word = WakeWord.create();
    const sequence = word.announce();
    const waiting = word.waitAsync(sequence);
    word.wake();
    expect(await waiting).toBe('ok');
    expect(word.waitAsync(sequence)).toBeNull();
  });
});
