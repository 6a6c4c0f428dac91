// Room: broker, main thread. The bits of a permission, their texts, and `resource=permission` lists (protocol.md 10.1). Pure. Follows
// Java's Permission. Always holds: what can not be read as a permission is DENY.

import { cometError } from '../../base/errors.js';
import { retryTopicOf } from '../../message/topic-validator.js';

export const Permission = { DENY: 1, PUB: 4, SUB: 8 } as const;

export function parsePermission(text: string | null): number {
  switch (text?.trim()) {
    case 'PUB':
      return Permission.PUB;
    case 'SUB':
      return Permission.SUB;
    case 'PUB|SUB':
    case 'SUB|PUB':
      return Permission.PUB | Permission.SUB;
    default:
      return Permission.DENY;
  }
}

export function isPermitted(needed: number, owned: number): boolean {
  return (owned & Permission.DENY) === 0 && (needed & owned) !== 0;
}

/** What an account may do, by resource; groups stand under their retry topic. Throws CONFIG_INVALID. */
export function parseResourcePerms(
  topicPerms: readonly string[],
  groupPerms: readonly string[],
): Map<string, number> {
  const perms = new Map<string, number>();
  for (const entry of groupPerms) {
    const [group, perm] = splitEntry(entry, 'group');
    perms.set(retryTopicOf(group), parsePermission(perm));
  }
  for (const entry of topicPerms) {
    const [topic, perm] = splitEntry(entry, 'topic');
    perms.set(topic, parsePermission(perm));
  }
  return perms;
}

/** Null when every entry reads `resource=permission`: what code 50 asks for, more than a file must have. */
export function resourcePermsFault(entries: readonly string[]): string | null {
  for (const entry of entries) {
    const [, perm, ...more] = entry.split('=').filter((part) => part !== '');
    if (perm === undefined || more.length > 0) {
      return (
        `Parse Resource format error for ${entry}.\n` +
        "The expected resource format is 'Res=Perm'. For example: topicA=SUB"
      );
    }
    if (perm.trim() !== 'DENY' && parsePermission(perm) === Permission.DENY) {
      return (
        `Parse resource permission error for ${entry}.\n` +
        "The expected permissions are 'SUB' or 'PUB' or 'SUB|PUB' or 'PUB|SUB'."
      );
    }
  }
  return null;
}

function splitEntry(entry: string, kind: 'topic' | 'group'): [string, string] {
  const [name, perm, ...more] = entry.split('=').filter((part) => part !== '');
  if (name === undefined || perm === undefined || more.length > 0) {
    throw cometError('CONFIG_INVALID', `Parse resource permission failed for ${kind}:${entry}`);
  }
  return [name.trim(), perm];
}
