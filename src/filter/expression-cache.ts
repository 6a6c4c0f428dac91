// Room: filter. The thread that compiles. The last 100 different expressions, compiled or refused, so that heartbeats that
// bring the same text over and over, right or wrong, cost a look-up (the reference keeps 100 too).
// Always holds: at most MAX_CACHED_EXPRESSIONS entries; the one asked for longest ago goes first.

import { type CompiledExpression, compileSql92 } from './compile-sql92.js';
import { FilterExpressionError } from './filter-expression-error.js';
import { MAX_EXPRESSION_CHARS } from './sql92-tree.js';

export const MAX_CACHED_EXPRESSIONS = 100;

export class ExpressionCache {
  readonly #entries = new Map<string, CompiledExpression | FilterExpressionError>();

  get size(): number {
    return this.#entries.size;
  }

  /** As compileSql92; throws the same FilterExpressionError again for a text that was refused. */
  compile(expression: string): CompiledExpression {
    if (expression.length > MAX_EXPRESSION_CHARS) return compileSql92(expression);
    const known = this.#entries.get(expression);
    const entry = known ?? compileOrRefusal(expression);
    if (known !== undefined) this.#entries.delete(expression);
    this.#entries.set(expression, entry);
    if (this.#entries.size > MAX_CACHED_EXPRESSIONS) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    if (entry instanceof FilterExpressionError) throw entry;
    return entry;
  }
}

function compileOrRefusal(expression: string): CompiledExpression | FilterExpressionError {
  try {
    return compileSql92(expression);
  } catch (error) {
    if (error instanceof FilterExpressionError) return error;
    throw error;
  }
}
