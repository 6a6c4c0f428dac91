// Room: broker, main thread. Which names a group may have. Java's clients check this themselves and its broker does not; here
// a group's name ends up in topic names and so in paths, so that the broker checks it on every entry. Pure.

import { MAX_GROUP_CHARS } from '../../base/limits.js';

/** Java's client pattern and two harmless characters that other clients use. */
const GROUP_PATTERN = /^[%|a-zA-Z0-9_.:-]+$/;

export function isLegalGroup(group: string): boolean {
  return group.length <= MAX_GROUP_CHARS && GROUP_PATTERN.test(group) && !group.includes('..');
}

export function illegalGroupRemark(group: string): string {
  const shown = group.length > 64 ? `${group.slice(0, 64)}...` : group;
  return `the group name ${JSON.stringify(shown)} is illegal: 1 to ${MAX_GROUP_CHARS} characters of ${GROUP_PATTERN.source}`;
}
