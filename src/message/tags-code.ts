// Room: message. Any thread. Hot: no allocation. The tagsCode of a ConsumeQueue entry and of subscriptions: Java's hash of the
// whole TAGS text, 0 without one. A signed 32-bit number; on disk it is sign-extended to 64 bits.

import { javaHashCode } from '../base/java-hash.js';

export function tagsCode(tags: string | null | undefined): number {
  return tags === null || tags === undefined || tags === '' ? 0 : javaHashCode(tags);
}
