// Room: filter. Any thread. The refusal of an expression, for the answers of the broker (code 23) and its logs.
// Always holds: the message names the place and never repeats the expression, which a peer chose.

export class FilterExpressionError extends Error {
  override readonly name = 'FilterExpressionError';
  readonly reason: string;
  /** UTF-16 units before the place that is wrong. */
  readonly position: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;

  constructor(reason: string, expression: string, position: number) {
    let line = 1;
    let lineStart = 0;
    for (let at = expression.indexOf('\n'); at >= 0 && at < position; ) {
      line++;
      lineStart = at + 1;
      at = expression.indexOf('\n', lineStart);
    }
    const column = position - lineStart + 1;
    super(`${reason} (line ${line}, column ${column})`);
    this.reason = reason;
    this.position = position;
    this.line = line;
    this.column = column;
  }
}
