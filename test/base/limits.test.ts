import { describe, expect, it } from 'vitest';
import * as limits from '../../src/base/limits.js';

describe('limits', () => {
  it('are whole positive numbers, each of them', () => {
    for (const [name, value] of Object.entries(limits)) {
      expect(Number.isSafeInteger(value) && value > 0, name).toBe(true);
    }
  });

  it('are those of the protocol where the protocol has them', () => {
    expect(limits.MAX_FRAME_BYTES).toBe(16_777_216);
    expect(limits.MAX_TOPIC_CHARS).toBe(127);
    expect(limits.MAX_PROPERTIES_BYTES).toBe(32_767);
    expect(limits.IDLE_TIMEOUT_MS).toBe(120_000);
  });
});
