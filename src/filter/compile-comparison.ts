// Room: filter. Any thread. Comparisons of two operands as conditions. The rules are the reference's, strange ones included:
// a property is read as the type of the literal beside it; two properties are equal by their texts and ordered as doubles;
// what has a truth value is never equal to a number and fails against a text on its right.
// Hot: the conditions, see filter-outcome.ts. All that the expression alone decides is decided here, once.

import { assert } from '../base/assert.js';
import {
  always,
  type Condition,
  FAILED,
  FALSE,
  type Outcome,
  TRUE,
  UNKNOWN,
} from './filter-outcome.js';
import { compareDoubles, parseJavaDouble, parseJavaInt, parseJavaLong } from './java-number.js';
import type { NumberType, PropertyCell } from './property-cell.js';
import type { PropertyLookup } from './property-lookup.js';
import type { RelationalOperator } from './sql92-tree.js';

export type NumberOperand = {
  readonly type: NumberType;
  readonly value: number | bigint;
  /** Written as such; a negated one is not, and some refusals are for literals alone. */
  readonly isLiteral: boolean;
};
export type StringOperand = { readonly type: 'string'; readonly value: string };
export type PropertyOperand = { readonly type: 'property'; readonly cell: PropertyCell };
/** What has a truth value: a condition, or the literals TRUE, FALSE and NULL. */
export type LogicOperand = {
  readonly type: 'logic';
  readonly condition: Condition;
  readonly isLiteral: boolean;
};
/** The negation of what is no number: unknown, unless finding out fails. */
export type NothingOperand = { readonly type: 'nothing'; readonly condition: Condition };

export type Operand =
  | NumberOperand
  | StringOperand
  | PropertyOperand
  | LogicOperand
  | NothingOperand;

/** What may stand beside < <= > >=. */
export type OrderedOperand = NumberOperand | PropertyOperand | NothingOperand;

export function isNumber(operand: Operand): operand is NumberOperand {
  return operand.type === 'int' || operand.type === 'long' || operand.type === 'double';
}

/** What each operator says when its left operand is below, equal to or above its right one. */
const ANSWERS = {
  '<': { below: TRUE, same: FALSE, above: FALSE },
  '<=': { below: TRUE, same: TRUE, above: FALSE },
  '>': { below: FALSE, same: FALSE, above: TRUE },
  '>=': { below: FALSE, same: TRUE, above: TRUE },
} as const;

const MIRRORED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

export function ordered(
  operator: RelationalOperator,
  left: OrderedOperand,
  right: OrderedOperand,
): Condition {
  if (left.type === 'nothing') return left.condition;
  if (right.type === 'nothing') {
    if (isNumber(left)) return right.condition;
    const { cell } = left;
    return (properties) => (cell.isPresent(properties) ? right.condition(properties) : UNKNOWN);
  }
  if (left.type === 'property') {
    return right.type === 'property'
      ? orderedProperties(operator, left.cell, right.cell)
      : orderedNumber(operator, left.cell, right);
  }
  if (right.type === 'property') return orderedNumber(MIRRORED[operator], right.cell, left);
  const { below, same, above } = ANSWERS[operator];
  const order = compareNumbers(left, right);
  return always(order < 0 ? below : order === 0 ? same : above);
}

/** The literal is never NaN; a property that is NaN is above it, as in Java. */
function orderedNumber(
  operator: RelationalOperator,
  cell: PropertyCell,
  { type, value: limit }: NumberOperand,
): Condition {
  const { below, same, above } = ANSWERS[operator];
  return (properties) => {
    if (!cell.isPresent(properties)) return UNKNOWN;
    const value = cell.number(properties, type);
    if (value === null) return FAILED;
    return value < limit ? below : value === limit ? same : above;
  };
}

function orderedProperties(
  operator: RelationalOperator,
  left: PropertyCell,
  right: PropertyCell,
): Condition {
  const { below, same, above } = ANSWERS[operator];
  return (properties) => {
    if (!left.isPresent(properties) || !right.isPresent(properties)) return UNKNOWN;
    const leftValue = left.double(properties);
    const rightValue = right.double(properties);
    if (leftValue === null || rightValue === null) return FAILED;
    const order = compareDoubles(leftValue, rightValue);
    return order < 0 ? below : order === 0 ? same : above;
  };
}

export function compareNumbers(left: NumberOperand, right: NumberOperand): number {
  if (left.type === 'double' || right.type === 'double') {
    return compareDoubles(Number(left.value), Number(right.value));
  }
  return left.value < right.value ? -1 : left.value > right.value ? 1 : 0;
}

/**
 * Two absent operands are equal. One absent: unknown when it is the left one, false when it is the right one.
 */
export function equal(left: Operand, right: Operand): Condition {
  if (left.type === 'property' && isValue(right)) return equalValue(left.cell, right, UNKNOWN);
  if (right.type === 'property' && isValue(left)) return equalValue(right.cell, left, FALSE);
  const same = whenBothPresent(left, right);
  const readLeft = presence(left);
  const readRight = presence(right);
  return (properties) => {
    const leftState = readLeft(properties);
    if (leftState === FAILED) return FAILED;
    const rightState = readRight(properties);
    if (rightState === FAILED) return FAILED;
    if (leftState === UNKNOWN) return rightState === UNKNOWN ? TRUE : UNKNOWN;
    if (rightState === UNKNOWN) return FALSE;
    return same(properties, leftState, rightState);
  };
}

type ValueOperand = NumberOperand | StringOperand;

function isValue(operand: Operand): operand is ValueOperand {
  return operand.type === 'string' || isNumber(operand);
}

/** What most filters are made of. */
function equalValue(cell: PropertyCell, wanted: ValueOperand, absent: Outcome): Condition {
  if (wanted.type === 'string') {
    // Half a surrogate pair never comes out of stored bytes, and must not go in as the replacement character.
    const bytes = wanted.value.isWellFormed() ? Buffer.from(wanted.value, 'utf8') : null;
    return (properties) => {
      if (!cell.isPresent(properties)) return absent;
      return bytes !== null && cell.equals(properties, bytes) ? TRUE : FALSE;
    };
  }
  const { type, value: number } = wanted;
  return (properties) => {
    if (!cell.isPresent(properties)) return absent;
    const value = cell.number(properties, type);
    return value === null ? FAILED : value === number ? TRUE : FALSE;
  };
}

export function isNull(operand: Operand): Condition {
  const read = presence(operand);
  return (properties) => {
    const state = read(properties);
    return state === FAILED ? FAILED : state === UNKNOWN ? TRUE : FALSE;
  };
}

/** The truth value of what has one; of all else UNKNOWN when it is absent and any other when it is there. */
function presence(operand: Operand): Condition {
  if (operand.type === 'logic' || operand.type === 'nothing') return operand.condition;
  if (operand.type !== 'property') return always(TRUE);
  const { cell } = operand;
  return (properties) => (cell.isPresent(properties) ? TRUE : UNKNOWN);
}

type Sameness = (properties: PropertyLookup, left: Outcome, right: Outcome) => Outcome;

function whenBothPresent(left: Operand, right: Operand): Sameness {
  if (left.type === 'logic') {
    if (right.type === 'logic') return (_, one, other) => (one === other ? TRUE : FALSE);
    return right.type === 'string' || right.type === 'property' ? () => FAILED : () => FALSE;
  }
  if (left.type === 'nothing' || right.type === 'nothing') return () => FALSE;
  if (right.type === 'logic') {
    if (isNumber(left)) return () => FALSE;
    if (left.type === 'string') {
      const truth = /^true$/i.test(left.value) ? TRUE : FALSE;
      return (_, __, other) => (other === truth ? TRUE : FALSE);
    }
    const { cell } = left;
    return (properties, _, other) => ((other === TRUE) === cell.isTrue(properties) ? TRUE : FALSE);
  }
  if (left.type === 'property' && right.type === 'property') {
    return (properties) =>
      left.cell.text(properties) === right.cell.text(properties) ? TRUE : FALSE;
  }
  assert(isValue(left) && isValue(right), 'a property beside a value is equalValue');
  const outcome = sameValues(left, right);
  return () => outcome;
}

function sameValues(left: ValueOperand, right: ValueOperand): Outcome {
  if (left.type === 'string' && right.type === 'string') {
    return left.value === right.value ? TRUE : FALSE;
  }
  if (left.type !== 'string' && right.type !== 'string') {
    return compareNumbers(left, right) === 0 ? TRUE : FALSE;
  }
  const [text, number] = left.type === 'string' ? [left, right] : [right, left];
  const bytes = Buffer.from(text.value as string, 'utf8');
  const parse = { int: parseJavaInt, long: parseJavaLong, double: parseJavaDouble };
  const value = parse[number.type as NumberType](bytes, 0, bytes.length);
  return value === null ? FAILED : value === number.value ? TRUE : FALSE;
}
