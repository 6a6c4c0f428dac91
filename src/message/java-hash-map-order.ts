// Room: message. Any thread. The order in which a java.util.HashMap<String, ?> iterates, for texts and headers that shall be
// the same bytes as Java's. Buckets in order, inside a bucket the order of insertion; the table starts at 16 and doubles
// above three quarters (storage.md 3.3). Not imitated: Java turns a bucket of more than 8 in a table of 64 or more into a
// tree, which can reorder that bucket; only keys made to collide get there.

import { javaHashCode } from '../base/java-hash.js';

const INITIAL_BUCKETS = 16;
const MAX_REMEMBERED_HASHES = 1024;
const spreadHashes = new Map<string, number>();

const MAX_REMEMBERED_KEYS = 32;
const MAX_FIRST_KEYS = 256;
const MAX_ORDERS_OF_FIRST_KEY = 8;

interface KnownOrder {
  readonly keys: readonly string[];
  readonly ordered: readonly string[];
}

/** Commands of one kind have the same keys; their orders are found by the first key. */
const knownOrders = new Map<string, KnownOrder[]>();

/** The keys in the order in which a HashMap that was filled in the given order iterates them; duplicates must be gone. */
export function javaHashMapOrder(keys: readonly string[]): readonly string[] {
  const first = keys[0];
  if (first === undefined || keys.length > MAX_REMEMBERED_KEYS) return computeOrder(keys);
  const known = knownOrders.get(first);
  if (known !== undefined) {
    for (const order of known) if (sameKeys(order.keys, keys)) return order.ordered;
  }
  const ordered = computeOrder(keys);
  const fresh = { keys: [...keys], ordered };
  if (known === undefined) {
    if (knownOrders.size < MAX_FIRST_KEYS) knownOrders.set(first, [fresh]);
  } else if (known.length < MAX_ORDERS_OF_FIRST_KEY) {
    known.push(fresh);
  }
  return ordered;
}

function sameKeys(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

function computeOrder(keys: readonly string[]): string[] {
  let buckets = INITIAL_BUCKETS;
  while (keys.length > buckets * 0.75) buckets *= 2;
  const mask = buckets - 1;
  const ordered: string[] = [];
  const places: number[] = [];
  for (const key of keys) {
    const place = spreadHash(key) & mask;
    let at = ordered.length;
    while (at > 0 && (places[at - 1] as number) > place) at--;
    ordered.splice(at, 0, key);
    places.splice(at, 0, place);
  }
  return ordered;
}

/** Hashes are remembered for the first names that come; header and property names are few. */
function spreadHash(key: string): number {
  const known = spreadHashes.get(key);
  if (known !== undefined) return known;
  const hash = javaHashCode(key);
  const spread = hash ^ (hash >>> 16);
  if (spreadHashes.size < MAX_REMEMBERED_HASHES && key.length <= 64) spreadHashes.set(key, spread);
  return spread;
}
