// Room: base. Any thread. Programmer errors stop the agent that meets them; nothing catches an AssertionError to go on.

export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
