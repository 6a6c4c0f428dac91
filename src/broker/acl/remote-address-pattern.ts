// Room: broker, main thread. Which addresses a white list means (protocol.md 10.1): one address, `*` and ranges in parts of it, sets
// `a.b.c.{1,2}`, lists `a,b`; IPv6 likewise with colons and hexadecimal groups. Pure. Follows Java's RemoteAddressStrategyFactory.
// Always holds: each part of a pattern counts. Where Java looks at the first range only and lets the rest be anything, this
// matches less, never more.

import { isIPv4, isIPv6 } from 'node:net';
import { cometError } from '../../base/errors.js';
import { addressBytes } from '../../base/net-address.js';

/** The address is 4 or 16 bytes. */
export type AddressPattern = (address: Uint8Array) => boolean;

const ALL = new Set(['*', '*.*.*.*', '*:*:*:*:*:*:*:*']);

/** A blank pattern matches nothing. Throws CONFIG_INVALID. */
export function parseAddressPattern(text: string | null): AddressPattern {
  const pattern = (text ?? '').trim();
  if (pattern === '') return () => false;
  if (ALL.has(pattern)) return () => true;
  if (pattern.endsWith('}')) return anyOf(elementsOfSet(pattern));
  if (pattern.includes(',')) return anyOf(pattern.split(',').filter((it) => it !== ''));
  if (pattern.includes('*') || pattern.includes('-')) return inRanges(pattern);
  return anyOf([pattern]);
}

function anyOf(addresses: readonly string[]): AddressPattern {
  const all = new Set(addresses.map((it) => keyOf(exactAddress(it.trim()))));
  return (address) => all.has(keyOf(address));
}

function elementsOfSet(pattern: string): string[] {
  const open = pattern.indexOf('{');
  const before = pattern.slice(0, Math.max(0, open));
  if (open < 1 || !/[.:]$/.test(before)) throw unreadable(pattern);
  const items = pattern.slice(open + 1, -1).split(',');
  return items.filter((item) => item !== '').map((item) => before + item.trim());
}

function inRanges(pattern: string): AddressPattern {
  const ranges = pattern.includes(':') ? ipv6Ranges(pattern) : ipv4Ranges(pattern);
  const bytesPerPart = ranges.length === 8 ? 2 : 1;
  return (address) => {
    if (address.length !== ranges.length * bytesPerPart) return false;
    return ranges.every(([low, high], i) => {
      const at = i * bytesPerPart;
      const first = address[at] ?? 0;
      const part = bytesPerPart === 1 ? first : (first << 8) | (address[at + 1] ?? 0);
      return part >= low && part <= high;
    });
  };
}

type Range = readonly [low: number, high: number];

function ipv4Ranges(pattern: string): Range[] {
  const parts = pattern.split('.');
  if (parts.length !== 4) throw unreadable(pattern);
  return parts.map((part) => rangeOf(part.trim(), /^\d{1,3}$/, 10, 0xff, pattern));
}

function ipv6Ranges(pattern: string): Range[] {
  const [head = '', tail, ...more] = pattern.split('::');
  if (more.length > 0) throw unreadable(pattern);
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = 8 - before.length - after.length;
  if (tail === undefined ? zeros !== 0 : zeros < 1) throw unreadable(pattern);
  const parts = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return parts.map((part) => rangeOf(part.trim(), /^[\da-f]{1,4}$/i, 16, 0xffff, pattern));
}

function rangeOf(
  part: string,
  shape: RegExp,
  radix: number,
  highest: number,
  pattern: string,
): Range {
  if (part === '*') return [0, highest];
  const ends = part.split('-');
  if (ends.length > 2 || ends.some((end) => !shape.test(end))) throw unreadable(pattern);
  const [low = 0, high = low] = ends.map((end) => Number.parseInt(end, radix));
  if (low > high || high > highest) throw unreadable(pattern);
  return [low, high];
}

function exactAddress(text: string): Uint8Array {
  if (!isIPv4(text) && !isIPv6(text)) throw unreadable(text);
  return addressBytes(text);
}

function keyOf(address: Uint8Array): string {
  return Buffer.from(address).toString('latin1');
}

function unreadable(pattern: string): Error {
  return cometError('CONFIG_INVALID', `Netaddress examine Exception netaddress is ${pattern}`);
}
