// Room: broker, main thread. Bits of a topic's or broker's permission (protocol 4.2).

export const PermName = { INHERIT: 1, WRITE: 2, READ: 4 } as const;

export function isReadable(perm: number): boolean {
  return (perm & PermName.READ) !== 0;
}

export function isWriteable(perm: number): boolean {
  return (perm & PermName.WRITE) !== 0;
}
