// Room: processor. Hot (bench/30-header-scan). A map from byte strings to rows that is asked with a range of a buffer, so that no
// string is made of a topic or group that a frame names. Written only by the thread that owns it.

interface Entry<V> {
  readonly key: Uint8Array;
  readonly hash: number;
  readonly value: V;
  readonly next: Entry<V> | null;
}

function hashRange(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}

export class BytesTable<V> {
  #buckets: (Entry<V> | null)[] = new Array<Entry<V> | null>(64).fill(null);
  #size = 0;

  get(bytes: Uint8Array, start: number, end: number): V | undefined {
    const hash = hashRange(bytes, start, end);
    let entry = this.#buckets[hash & (this.#buckets.length - 1)]!;
    while (entry !== null) {
      if (entry.hash === hash && equalRange(entry.key, bytes, start, end)) return entry.value;
      entry = entry.next!;
    }
    return undefined;
  }

  set(name: string, value: V): void {
    const key = Buffer.from(name, 'utf8');
    this.delete(name);
    if (this.#size >= this.#buckets.length) this.#grow();
    this.#insert(key, hashRange(key, 0, key.length), value);
    this.#size++;
  }

  delete(name: string): void {
    const key = Buffer.from(name, 'utf8');
    const hash = hashRange(key, 0, key.length);
    const index = hash & (this.#buckets.length - 1);
    let kept: Entry<V> | null = null;
    for (let entry = this.#buckets[index]!; entry !== null; entry = entry.next!) {
      if (entry.hash === hash && equalRange(entry.key, key, 0, key.length)) this.#size--;
      else kept = { ...entry, next: kept };
    }
    this.#buckets[index] = kept;
  }

  *values(): Iterable<V> {
    for (const head of this.#buckets) {
      for (let entry: Entry<V> | null = head; entry !== null; entry = entry.next) yield entry.value;
    }
  }

  #insert(key: Uint8Array, hash: number, value: V): void {
    const index = hash & (this.#buckets.length - 1);
    this.#buckets[index] = { key, hash, value, next: this.#buckets[index]! };
  }

  #grow(): void {
    const old = this.#buckets;
    this.#buckets = new Array<Entry<V> | null>(old.length * 2).fill(null);
    for (const head of old) {
      for (let entry = head; entry !== null; entry = entry.next) {
        this.#insert(entry.key, entry.hash, entry.value);
      }
    }
  }
}

function equalRange(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}
