// Room: filter. Any thread. Text to tree, with the bounds that keep a hostile expression cheap, and the parser's complaint
// turned into one line. Only syntax here; compile-sql92.ts refuses what can not be evaluated.

import { FilterExpressionError } from './filter-expression-error.js';
import { SyntaxError as GrammarError, parse } from './sql92.generated.js';
import { MAX_EXPRESSION_CHARS, MAX_NESTING, type Sql92Node } from './sql92-tree.js';

const OPTIONS = {
  maxNesting: MAX_NESTING,
  nestingRefusal: `the expression is nested deeper than ${MAX_NESTING} levels`,
} as const;

/** Throws a FilterExpressionError at the first place that can not be read. */
export function parseSql92(expression: string): Sql92Node {
  if (expression.length > MAX_EXPRESSION_CHARS) {
    const reason = `the expression is longer than ${MAX_EXPRESSION_CHARS} characters`;
    throw new FilterExpressionError(reason, expression, MAX_EXPRESSION_CHARS);
  }
  try {
    return parse(expression, OPTIONS);
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    throw new FilterExpressionError(reasonOf(error), expression, error.location.start.offset);
  }
}

function reasonOf(error: GrammarError): string {
  if (error.expected === null) return error.message;
  const found = error.found === null ? 'the end' : JSON.stringify(error.found);
  const names = new Set<string>();
  for (const { description, text } of error.expected) {
    const name = description ?? (text === undefined ? undefined : `"${text}"`);
    if (name !== undefined && name !== 'white space') names.add(name);
  }
  return `found ${found} where one of these was expected: ${[...names].sort().join(', ')}`;
}
