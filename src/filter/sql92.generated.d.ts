// The types of the parser that build-grammar.mjs makes of sql92.peggy; kept by hand beside it.

import type { Sql92Node } from './sql92-tree.js';

export interface ParseOptions {
  readonly maxNesting: number;
  /** What is said when the nesting is deeper. */
  readonly nestingRefusal: string;
}

export interface Expectation {
  readonly type: string;
  /** The name of the rule that was expected, of type other only. */
  readonly description?: string;
  /** The text that was expected, of type literal only. */
  readonly text?: string;
}

/** What parse throws; `expected` is null when the grammar itself refused with a message. */
export class SyntaxError extends globalThis.SyntaxError {
  readonly expected: readonly Expectation[] | null;
  readonly found: string | null;
  readonly location: { readonly start: { readonly offset: number } };
}

export function parse(text: string, options: ParseOptions): Sql92Node;
