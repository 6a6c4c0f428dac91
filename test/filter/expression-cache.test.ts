import { describe, expect, test } from 'vitest';
import { ExpressionCache, MAX_CACHED_EXPRESSIONS } from '../../src/filter/expression-cache.js';
import { FilterExpressionError } from '../../src/filter/filter-expression-error.js';

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
}

describe('ExpressionCache', () => {
  test('compiles a text once', () => {
    const cache = new ExpressionCache();
    expect(cache.compile('a = 1')).toBe(cache.compile('a = 1'));
    expect(cache.compile('a = 2')).not.toBe(cache.compile('a = 1'));
  });

  test('refuses a refused text again without parsing it again', () => {
    const cache = new ExpressionCache();
    const first = thrown(() => cache.compile('a ='));
    expect(first).toBeInstanceOf(FilterExpressionError);
    expect(thrown(() => cache.compile('a ='))).toBe(first);
  });

  test('holds a hundred and lets the one asked for longest ago go', () => {
    const cache = new ExpressionCache();
    const first = cache.compile('a = 0');
    const second = cache.compile('a = 1');
    for (let i = 2; i < MAX_CACHED_EXPRESSIONS; i++) cache.compile(`a = ${i}`);
    expect(cache.compile('a = 0')).toBe(first);
    cache.compile('a = new');
    expect(cache.size).toBe(MAX_CACHED_EXPRESSIONS);
    expect(cache.compile('a = 0')).toBe(first);
    expect(cache.compile('a = 1')).not.toBe(second);
  });

  test('does not keep what is too long to be compiled', () => {
    const cache = new ExpressionCache();
    const long = `a = 1${' '.repeat(70_000)}`;
    expect(thrown(() => cache.compile(long))).toBeInstanceOf(FilterExpressionError);
    expect(cache.size).toBe(0);
  });
});
