// Room: filter. What is said about text that is no expression.

import { describe, expect, test } from 'vitest';
import { FilterExpressionError } from '../../src/filter/filter-expression-error.js';
import { parseSql92 } from '../../src/filter/parse-sql92.js';

function refusal(expression: string): FilterExpressionError {
  try {
    parseSql92(expression);
  } catch (error) {
    if (error instanceof FilterExpressionError) return error;
    throw error;
  }
  throw new Error(`accepted: ${expression}`);
}

const OPERANDS = '"(", "+", "-", FALSE, NOT, NULL, TRUE, number, property name, string';

describe('parseSql92', () => {
  test.each([
    ['', 0, `found the end where one of these was expected: ${OPERANDS}`],
    ['a = 1 AND', 9, `found the end where one of these was expected: ${OPERANDS}`],
    ['a NOT LIKE', 6, 'found "L" where one of these was expected: BETWEEN, IN'],
    ['a IS 5', 5, 'found "5" where one of these was expected: NOT, NULL'],
    ['a IN (5)', 6, 'found "5" where one of these was expected: string'],
    ["a IN ('x'", 9, 'found the end where one of these was expected: ")", ","'],
  ])('refuses %j at the place that can not be read', (expression, position, reason) => {
    const error = refusal(expression);
    expect(error.position).toBe(position);
    expect(error.reason).toBe(reason);
  });

  test('counts lines and columns from one', () => {
    const error = refusal('a = 1\nAND b = 2\n  AND >');
    expect([error.line, error.column]).toEqual([3, 7]);
    expect(error.message).toMatch(/ \(line 3, column 7\)$/);
  });

  test('never repeats the expression in what it says', () => {
    expect(refusal('a = secret @@@').message).not.toContain('secret');
  });

  test('binds NOT before comparisons, and AND before OR', () => {
    expect(parseSql92('NOT a = 1')).toMatchObject({ kind: 'equal', left: { kind: 'not' } });
    expect(parseSql92('a = 1 OR b = 2 AND c = 3')).toMatchObject({
      kind: 'or',
      operands: [{ kind: 'equal' }, { kind: 'and' }],
    });
  });

  test('ends where the reference does, and checks the token there', () => {
    const alone = parseSql92('a = 1');
    expect(parseSql92('a = 1 b = (2 @')).toEqual(alone);
    expect(parseSql92('a = 0L AND b')).toMatchObject({ kind: 'equal', right: { value: '0' } });
    expect(refusal('a = 1 @ b').position).toBe(6);
  });
});
