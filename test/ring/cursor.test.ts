import { describe, expect, it } from 'vitest';
import { CursorPage } from '../../src/ring/cursor.js';

describe('CursorPage', () => {
  it('keeps each position apart and exact up to the safe integers', () => {
    const page = CursorPage.create(3);
    page.set(0, Number.MAX_SAFE_INTEGER);
    page.set(1, 0x1_0000_0001);
    const other = new CursorPage(page.memory);
    expect([other.get(0), other.get(1), other.get(2)]).toEqual([
      Number.MAX_SAFE_INTEGER,
      0x1_0000_0001,
      0,
    ]);
  });
});
