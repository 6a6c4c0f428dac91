// Room: filter. Any thread. What the grammar makes of an expression: a tree that says how the text hangs together and
// nothing about what may stand where; that is compile-sql92.ts.
// Always holds: depth is at most MAX_NESTING, so whoever descends a tree needs no bound of their own.

/** Characters of an expression: the longest that a peer may have compiled. */
export const MAX_EXPRESSION_CHARS = 64 * 1024;
/** Parentheses and operators within one another. AND and OR chains count once, however long. */
export const MAX_NESTING = 256;

interface Placed {
  /** Where in the text its first operand begins, in UTF-16 units from 0. */
  readonly at: number;
  readonly depth: number;
}

export type RelationalOperator = '<' | '<=' | '>' | '>=';

/** The text is decoded: two single quotes are one. */
export type StringNode = Placed & { readonly kind: 'string'; readonly value: string };
/** As it is written, with its L. */
export type IntegerNode = Placed & { readonly kind: 'integer'; readonly value: string };
export type FloatNode = Placed & { readonly kind: 'float'; readonly value: string };
export type BooleanNode = Placed & { readonly kind: 'boolean'; readonly value: boolean };
export type NullNode = Placed & { readonly kind: 'null'; readonly value: null };
export type PropertyNode = Placed & { readonly kind: 'property'; readonly value: string };

export type ChainNode = Placed & {
  readonly kind: 'and' | 'or';
  readonly operands: readonly Sql92Node[];
};
export type UnaryNode = Placed & {
  readonly kind: 'not' | 'negate';
  readonly operand: Sql92Node;
};
export type CompareNode = Placed & {
  readonly kind: 'compare';
  readonly operator: RelationalOperator;
  readonly left: Sql92Node;
  readonly right: Sql92Node;
};
export type EqualNode = Placed & {
  readonly kind: 'equal';
  readonly negated: boolean;
  readonly left: Sql92Node;
  readonly right: Sql92Node;
};
export type IsNullNode = Placed & {
  readonly kind: 'isNull';
  readonly negated: boolean;
  readonly left: Sql92Node;
};
export type BetweenNode = Placed & {
  readonly kind: 'between';
  readonly negated: boolean;
  readonly left: Sql92Node;
  readonly low: Sql92Node;
  readonly high: Sql92Node;
};
export type InNode = Placed & {
  readonly kind: 'in';
  readonly negated: boolean;
  readonly left: Sql92Node;
  readonly values: readonly string[];
};

export type Sql92Node =
  | StringNode
  | IntegerNode
  | FloatNode
  | BooleanNode
  | NullNode
  | PropertyNode
  | ChainNode
  | UnaryNode
  | CompareNode
  | EqualNode
  | IsNullNode
  | BetweenNode
  | InNode;
