// Room: filter. Our SQL92 beside the outcomes of the reference's own classes (test/golden/sql92.json), row by row.

import { describe, expect, test } from 'vitest';
import { compileSql92 } from '../../src/filter/compile-sql92.js';
import { FilterExpressionError } from '../../src/filter/filter-expression-error.js';
import { FAILED, UNKNOWN } from '../../src/filter/filter-outcome.js';
import { PropertyLookup } from '../../src/filter/property-lookup.js';
import { MAX_EXPRESSION_CHARS, MAX_NESTING } from '../../src/filter/sql92-tree.js';
import { goldenJson } from '../golden-data.js';

interface Golden {
  readonly propertySets: readonly string[];
  readonly rows: readonly (readonly [expression: string, outcomes: string])[];
}

const golden = goldenJson<Golden>('sql92.json');

/** In the order of FALSE, TRUE, UNKNOWN, FAILED. */
const LETTERS = 'FTNX';

describe('compileSql92 and the reference', () => {
  test('every row has the outcome that Java has for it', () => {
    const lookup = new PropertyLookup();
    const differences: string[] = [];
    for (const [expression, expected] of golden.rows) {
      let actual = '';
      try {
        const compiled = compileSql92(expression);
        for (const text of golden.propertySets) {
          actual += LETTERS[compiled.outcome(lookup.resetToText(text))];
        }
      } catch (error) {
        if (!(error instanceof FilterExpressionError)) throw error;
        actual = '!';
      }
      const wanted = expected.startsWith('!') ? '!' : expected;
      if (actual !== wanted) {
        differences.push(`${JSON.stringify(expression)}: ${expected}, here ${actual}`);
      }
    }
    expect(differences).toEqual([]);
    expect(golden.rows.length).toBeGreaterThan(1_000);
  });
});

function evaluate(expression: string, propertiesText: string): boolean | null {
  return compileSql92(expression).evaluate(new PropertyLookup().resetToText(propertiesText));
}

function refusal(expression: string): FilterExpressionError {
  try {
    compileSql92(expression);
  } catch (error) {
    if (error instanceof FilterExpressionError) return error;
    throw error;
  }
  throw new Error(`accepted: ${expression.slice(0, 100)}`);
}

describe('a compiled expression', () => {
  test('is read message by message and keeps nothing of the one before', () => {
    const compiled = compileSql92("a > 5 AND a < 10 AND b IN ('x', 'y') AND c = 1.5");
    const lookup = new PropertyLookup();
    const first = 'a\x017\x02b\x01x\x02c\x011.5';
    expect(compiled.evaluate(lookup.resetToText(first))).toBe(true);
    expect(compiled.evaluate(lookup.resetToText(first.replace('7', '3')))).toBe(false);
    expect(compiled.evaluate(lookup.resetToText('b\x01x'))).toBe(null);
    expect(compiled.evaluate(new PropertyLookup().resetToText(first))).toBe(true);
    expect(compiled.evaluate(lookup.resetToText(''))).toBe(null);
  });

  test('gives null for the unknown and for what fails, and tells them apart by outcome', () => {
    const compiled = compileSql92('a > 1');
    const lookup = new PropertyLookup();
    expect(compiled.evaluate(lookup.resetToText('a\x01x'))).toBe(null);
    expect(compiled.outcome(lookup)).toBe(FAILED);
    expect(compiled.evaluate(lookup.resetToText('b\x01x'))).toBe(null);
    expect(compiled.outcome(lookup)).toBe(UNKNOWN);
  });

  test('reads a property beside a literal as the type of the literal', () => {
    expect(evaluate('a > 1', 'a\x011.5')).toBe(null);
    expect(evaluate('a > 1.0', 'a\x011.5')).toBe(true);
    expect(evaluate('a = 3000000000', 'a\x013000000000')).toBe(true);
    expect(evaluate('a > 1', 'a\x013000000000')).toBe(null);
  });

  test('compares longs that no double can tell apart', () => {
    expect(evaluate('a = 9223372036854775807', 'a\x019223372036854775806')).toBe(false);
    expect(evaluate('a < 9223372036854775807', 'a\x019223372036854775806')).toBe(true);
    expect(evaluate('a = 9007199254740993', 'a\x019007199254740993')).toBe(true);
  });

  test('never takes half a surrogate pair for the replacement character', () => {
    expect(evaluate("a = '\ud83d'", 'a\x01\ufffd')).toBe(false);
    expect(evaluate("a IN ('\ud83d')", 'a\x01\ufffd')).toBe(false);
    expect(evaluate("a = '\ufffd'", 'a\x01\ufffd')).toBe(true);
  });

  test('finds a string in a long list as in a short one', () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `'v${i}'`).join(',');
    for (const count of [1, 8, 9, 500]) {
      expect(evaluate(`a IN (${list(count)})`, `a\x01v${count - 1}`)).toBe(true);
      expect(evaluate(`a IN (${list(count)})`, `a\x01v${count}`)).toBe(false);
      expect(evaluate(`a NOT IN (${list(count)})`, `a\x01v${count}`)).toBe(true);
    }
  });
});

describe('a refusal', () => {
  test.each([
    ['a = 1 AND 5', 10, 'this is no condition'],
    ['a = NULL', 4, 'NULL is compared by IS NULL and IS NOT NULL'],
    ["b = 2 OR a > 'x'", 13, 'only numbers and properties can be compared'],
    ['a BETWEEN 5 AND 1', 16, 'the bounds are the wrong way round'],
    ["1 IN ('x')", 0, 'IN takes a property on its left'],
    ['a = 9223372036854775808', 4, 'the integer is beyond the range of a long'],
    ['a > 0.0', 4, 'must not be zero'],
    ['a > 1e999', 4, 'the number is beyond the range of a double'],
    ['TRUE = 5', 7, 'a truth value is never equal to a number or a string'],
  ])('of %j names its place and why', (expression, position, reason) => {
    const error = refusal(expression);
    expect(error.position).toBe(position);
    expect(error.message).toContain(reason);
  });
});

describe('the bounds on an expression', () => {
  const NESTED = 'the expression is nested deeper than 256 levels';

  test('64 Ki characters are compiled, one more is refused', () => {
    const long = 'a = 1 OR '.repeat(MAX_EXPRESSION_CHARS / 9).padEnd(MAX_EXPRESSION_CHARS - 5);
    expect(evaluate(`${long}b = 2`, 'a\x010\x02b\x012')).toBe(true);
    expect(evaluate(`${long}b = 2`, 'a\x010\x02b\x013')).toBe(false);
    expect(refusal(`${long}b = 22`).reason).toBe('the expression is longer than 65536 characters');
  });

  test.each([
    ['parentheses', (n: number) => `${'('.repeat(n)}a = 1${')'.repeat(n)}`],
    ['NOT', (n: number) => `${'NOT '.repeat(n - 1)}a`],
    ['minus', (n: number) => `${'-'.repeat(n - 2)}1 = a`],
    ['plus', (n: number) => `${'+'.repeat(n)}1 = a`],
    ['IS NULL', (n: number) => `a${' IS NULL'.repeat(n - 1)}`],
    ['=', (n: number) => `a${' = b'.repeat(n - 1)}`],
  ])('nesting by %s is compiled up to the limit and refused above', (_, nested) => {
    const lookup = new PropertyLookup().resetToText('a\x011');
    expect(() => compileSql92(nested(MAX_NESTING)).evaluate(lookup)).not.toThrow();
    expect(refusal(nested(MAX_NESTING + 1)).reason).toBe(NESTED);
    expect(refusal(nested(16_000).slice(0, MAX_EXPRESSION_CHARS)).reason).toBe(NESTED);
  });

  test('a chain of AND and OR counts once, however long', () => {
    const chain = Array.from({ length: 5_000 }, (_, i) => `a = ${i}`).join(' OR ');
    expect(evaluate(chain, 'a\x014999')).toBe(true);
  });
});

describe('hostile expressions', () => {
  const FULL = MAX_EXPRESSION_CHARS - 32;
  const fill = (piece: string) => piece.repeat(Math.floor(FULL / piece.length));
  const many = Array.from({ length: 8_000 }, (_, i) => `p${i}\x01${i}`)
    .join('\x02')
    .slice(0, 32_000);

  test.each([
    ['many terms', `${fill('a=1 OR ')}b=2`],
    ['many names', `${Array.from({ length: 5_000 }, (_, i) => `p${i}=1`).join(' OR ')}`],
    ['many strings', `a IN (${fill("'x',")}'y')`],
    ['one long string', `a = '${fill('x')}'`],
    ['an open string', `a = '${fill("''")}`],
    ['one long number', `a = ${fill('7')}`],
    ['one long fraction', `a = 0.${fill('7')}`],
    ['many minus signs', fill('-')],
    ['minus signs before what is no comment', `${'-'.repeat(200)}1 = a${fill(' ')}`],
    ['open comments', fill('/*')],
    ['comments', `${fill('/**/')}a=1`],
    ['line comments', `${fill('--\n')}a=1`],
    ['parentheses', fill('(')],
    ['parentheses that are not read', `a=1 b${fill('(')}`],
    ['words', fill('NOT ')],
    ['equal signs', fill('a=')],
  ])('%s: compiled or refused in 50 ms of processor time, evaluated in 1 ms', (_, expression) => {
    const compileMs = fastest(20, () => accepts(expression));
    expect(compileMs).toBeLessThan(50);
    if (!accepts(expression)) return;
    const compiled = compileSql92(expression);
    const lookup = new PropertyLookup();
    for (const text of [many, `a\x01${'0'.repeat(32_000)}`, `a\x01${'x'.repeat(32_000)}`]) {
      const bytes = Buffer.from(text, 'utf8');
      const once = () => compiled.outcome(lookup.reset(bytes, 0, bytes.length));
      expect(fastest(200, once)).toBeLessThan(1);
    }
  });
});

function accepts(expression: string): boolean {
  try {
    compileSql92(expression);
    return true;
  } catch (error) {
    if (error instanceof FilterExpressionError) return false;
    throw error;
  }
}

/**
 * Processor time of the shortest run of several: neither a busy machine nor the first runs of cold code decide. At least
 * five runs, then as many as fit in half a second.
 */
function fastest(runs: number, run: () => void): number {
  let shortestMs = Number.POSITIVE_INFINITY;
  const endMs = performance.now() + 500;
  for (let i = 0; i < runs && (i < 5 || performance.now() < endMs); i++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    shortestMs = Math.min(shortestMs, (user + system) / 1_000);
  }
  return shortestMs;
}
