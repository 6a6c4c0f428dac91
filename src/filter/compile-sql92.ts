// Room: filter. Any thread; a compiled expression belongs to the thread that compiled it and runs one evaluation at a time.
// A tree becomes closures, once per expression; what can never be evaluated is refused here, at its place.
// The language is that of RocketMQ 4.9.7 (protocol 11.2), and the table test/golden/sql92.json holds it to that.
// Worth knowing: a property alone as a condition is never true, for its value is a text; `NOT a` is true whenever a is there.

import {
  compareNumbers,
  equal,
  isNull,
  isNumber,
  type NumberOperand,
  type Operand,
  type OrderedOperand,
  ordered,
} from './compile-comparison.js';
import { FilterExpressionError } from './filter-expression-error.js';
import {
  allOf,
  always,
  anyOf,
  type Condition,
  FAILED,
  FALSE,
  not,
  type Outcome,
  TRUE,
  UNKNOWN,
} from './filter-outcome.js';
import { parseJavaLong } from './java-number.js';
import { parseSql92 } from './parse-sql92.js';
import { PropertyCell } from './property-cell.js';
import type { PropertyLookup } from './property-lookup.js';
import type { BetweenNode, CompareNode, EqualNode, InNode, Sql92Node } from './sql92-tree.js';

export interface CompiledExpression {
  readonly expression: string;
  /** A message matches only on true. Null is SQL's unknown, and also what could not be evaluated. */
  evaluate(properties: PropertyLookup): boolean | null;
  /** The same, telling the unknown (UNKNOWN) from the failed (FAILED). */
  outcome(properties: PropertyLookup): Outcome;
}

/** Throws a FilterExpressionError at the first place that is wrong. */
export function compileSql92(expression: string): CompiledExpression {
  const outcome = new Compiler(expression).compile();
  return {
    expression,
    outcome,
    evaluate(properties) {
      const value = outcome(properties);
      return value === TRUE ? true : value === FALSE ? false : null;
    },
  };
}

const MAX_INT = 2 ** 31 - 1;
/** A list of more strings than this is looked up by hash. */
const MAX_LINEAR_STRINGS = 8;

class Compiler {
  readonly #expression: string;
  readonly #cells = new Map<string, PropertyCell>();

  constructor(expression: string) {
    this.#expression = expression;
  }

  compile(): Condition {
    return this.#condition(parseSql92(this.#expression));
  }

  #condition(node: Sql92Node): Condition {
    const operand = this.#operand(node);
    if (operand.type === 'logic') return operand.condition;
    if (operand.type !== 'property') this.#refuse(node, 'this is no condition');
    const { cell } = operand;
    return (properties) => (cell.isPresent(properties) ? FALSE : UNKNOWN);
  }

  #operand(node: Sql92Node): Operand {
    switch (node.kind) {
      case 'string':
        return { type: 'string', value: node.value };
      case 'integer':
        return this.#integer(node, node.value);
      case 'float':
        return this.#float(node, node.value);
      case 'boolean':
        return { type: 'logic', condition: always(node.value ? TRUE : FALSE), isLiteral: true };
      case 'null':
        return { type: 'logic', condition: always(UNKNOWN), isLiteral: true };
      case 'property':
        return { type: 'property', cell: this.#cell(node.value) };
      case 'negate':
        return negated(this.#operand(node.operand));
      case 'not':
        return logic(not(this.#condition(node.operand)));
      case 'and':
        return logic(allOf(node.operands.map((one) => this.#condition(one))));
      case 'or':
        return logic(anyOf(node.operands.map((one) => this.#condition(one))));
      case 'compare':
        return logic(this.#compare(node));
      case 'equal':
        return logic(this.#equal(node));
      case 'isNull': {
        const condition = isNull(this.#operand(node.left));
        return logic(node.negated ? not(condition) : condition);
      }
      case 'between':
        return logic(this.#between(node));
      case 'in':
        return logic(this.#in(node));
    }
  }

  #integer(node: Sql92Node, text: string): NumberOperand {
    const digits = Buffer.from(text.replace(/[lL]$/, ''), 'latin1');
    const value = parseJavaLong(digits, 0, digits.length);
    if (value === null) this.#refuse(node, 'the integer is beyond the range of a long');
    return { type: value <= MAX_INT ? 'int' : 'long', value, isLiteral: true };
  }

  #float(node: Sql92Node, text: string): NumberOperand {
    const value = Number(text);
    if (value === 0) this.#refuse(node, 'a number with a point or exponent must not be zero');
    if (value === Infinity) this.#refuse(node, 'the number is beyond the range of a double');
    return { type: 'double', value, isLiteral: true };
  }

  #compare(node: CompareNode): Condition {
    const left = this.#ordered(node.left);
    return ordered(node.operator, left, this.#ordered(node.right));
  }

  #equal(node: EqualNode): Condition {
    const left = this.#operand(node.left);
    const right = this.#operand(node.right);
    for (const side of [node.left, node.right]) {
      if (side.kind === 'null') this.#refuse(side, 'NULL is compared by IS NULL and IS NOT NULL');
    }
    const isTruthLiteral = left.type === 'logic' && left.isLiteral;
    if (isTruthLiteral && (right.type === 'string' || (isNumber(right) && right.isLiteral))) {
      this.#refuse(node.right, 'a truth value is never equal to a number or a string');
    }
    const condition = equal(left, right);
    return node.negated ? not(condition) : condition;
  }

  #between(node: BetweenNode): Condition {
    const value = this.#ordered(node.left);
    const low = this.#ordered(node.low);
    const high = this.#ordered(node.high);
    if (node.negated) return anyOf([ordered('<', value, low), ordered('>', value, high)]);
    if (isNumber(low) && low.isLiteral && isNumber(high) && high.isLiteral) {
      if (compareNumbers(low, high) > 0)
        this.#refuse(node.high, 'the bounds are the wrong way round');
    }
    return allOf([ordered('>=', value, low), ordered('<=', value, high)]);
  }

  #in({ left, values, negated: isNegated }: InNode): Condition {
    const operand = this.#operand(left);
    if (operand.type !== 'property') this.#refuse(left, 'IN takes a property on its left');
    const { cell } = operand;
    const isListed = listTest(
      cell,
      values.filter((value) => value.isWellFormed()),
    );
    const [listed, other] = isNegated ? ([FALSE, TRUE] as const) : ([TRUE, FALSE] as const);
    return (properties) => {
      if (!cell.isPresent(properties)) return UNKNOWN;
      return isListed(properties) ? listed : other;
    };
  }

  /** What can be below or above something. */
  #ordered(node: Sql92Node): OrderedOperand {
    const operand = this.#operand(node);
    if (operand.type === 'string' || operand.type === 'logic') {
      this.#refuse(node, 'only numbers and properties can be compared by < <= > >= and BETWEEN');
    }
    return operand;
  }

  #cell(name: string): PropertyCell {
    let cell = this.#cells.get(name);
    if (cell === undefined) {
      cell = new PropertyCell(name);
      this.#cells.set(name, cell);
    }
    return cell;
  }

  #refuse(node: Sql92Node, reason: string): never {
    throw new FilterExpressionError(reason, this.#expression, node.at);
  }
}

function logic(condition: Condition): Operand {
  return { type: 'logic', condition, isLiteral: false };
}

function negated(operand: Operand): Operand {
  if (isNumber(operand)) {
    const { type, value } = operand;
    const opposite = typeof value === 'bigint' ? -value : 0 - value;
    return { type, value: opposite, isLiteral: false };
  }
  if (operand.type !== 'logic' && operand.type !== 'nothing') {
    return { type: 'nothing', condition: always(UNKNOWN) };
  }
  const { condition } = operand;
  return {
    type: 'nothing',
    condition: (properties) => (condition(properties) === FAILED ? FAILED : UNKNOWN),
  };
}

function listTest(
  cell: PropertyCell,
  values: readonly string[],
): (properties: PropertyLookup) => boolean {
  if (values.length > MAX_LINEAR_STRINGS) {
    const texts = new Set(values);
    return (properties) => texts.has(cell.text(properties));
  }
  const list = values.map((value) => Buffer.from(value, 'utf8'));
  return (properties) => {
    for (const bytes of list) {
      if (cell.equals(properties, bytes)) return true;
    }
    return false;
  };
}
