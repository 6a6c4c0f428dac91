// Room: filter. The thread that evaluates owns its lookup. The values of the named properties of one message, found in the
// stored text (`name 01 value 02 name 01 value`, storage 3.3) without making strings or a Map of it.
// Hot: reset and find run for each message of a filtered pull; nothing is allocated once the arrays have their size.
// Uses `!` on reads inside checked bounds. The bytes are borrowed: they must stay as they are until the next reset.
// Always holds: what is found is what the reference finds; of a name that stands twice the last one counts, and a pair
// with an empty name or value is none.

const PAIR_END = 0x02;
const NAME_END = 0x01;

/** Pairs up to which going through all is faster than a table. */
const MAX_LINEAR_PAIRS = 16;
const FIRST_CAPACITY = 64;
const EMPTY = -1;

/** Counts every reset of every lookup, so that what is kept about one message is never taken for another's. */
let lastGeneration = 0;

/** A name to look for, made once per expression. */
export class PropertyName {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly hash: number;

  constructor(text: string) {
    this.text = text;
    this.bytes = Buffer.from(text, 'utf8');
    let hash = HASH_SEED;
    for (const byte of this.bytes) hash = mix(hash, byte);
    this.hash = hash;
  }
}

export class PropertyLookup {
  /** Different for each message. */
  generation = 0;
  bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #isIndexed = false;
  #pairs = 0;
  #nameStarts = new Int32Array(FIRST_CAPACITY);
  #nameEnds = new Int32Array(FIRST_CAPACITY);
  #valueEnds = new Int32Array(FIRST_CAPACITY);
  #hashes = new Int32Array(FIRST_CAPACITY);
  #table = new Int32Array(0);
  #tableMask = 0;

  /** The properties text stands in bytes[start, start + length). */
  reset(bytes: Uint8Array, start: number, length: number): this {
    this.generation = ++lastGeneration;
    this.bytes = bytes;
    this.#start = start;
    this.#end = start + length;
    this.#isIndexed = false;
    return this;
  }

  resetToText(propertiesText: string): this {
    const bytes = Buffer.from(propertiesText, 'utf8');
    return this.reset(bytes, 0, bytes.length);
  }

  /** The pair of that name, for valueStart and valueEnd; -1 when there is none. */
  find(name: PropertyName): number {
    if (!this.#isIndexed) this.#index();
    if (this.#pairs > MAX_LINEAR_PAIRS) return this.#findInTable(name);
    for (let pair = this.#pairs - 1; pair >= 0; pair--) {
      if (this.#hashes[pair] === name.hash && this.#isNamed(pair, name)) return pair;
    }
    return -1;
  }

  valueStart(pair: number): number {
    return this.#nameEnds[pair]! + 1;
  }

  valueEnd(pair: number): number {
    return this.#valueEnds[pair]!;
  }

  /** For cold paths. */
  get(name: string): string | null {
    const pair = this.find(new PropertyName(name));
    if (pair < 0) return null;
    return Buffer.from(this.bytes.subarray(this.valueStart(pair), this.valueEnd(pair))).toString();
  }

  #index(): void {
    const { bytes } = this;
    const end = this.#end;
    let pairs = 0;
    let position = this.#start;
    while (position < end) {
      const nameStart = position;
      let nameEnd = -1;
      let hash = HASH_SEED;
      for (; position < end; position++) {
        const byte = bytes[position]!;
        if (byte === PAIR_END) break;
        if (nameEnd >= 0) continue;
        if (byte === NAME_END) nameEnd = position;
        else hash = mix(hash, byte);
      }
      if (nameEnd > nameStart && nameEnd + 1 < position) {
        if (pairs === this.#nameStarts.length) this.#grow();
        this.#nameStarts[pairs] = nameStart;
        this.#nameEnds[pairs] = nameEnd;
        this.#valueEnds[pairs] = position;
        this.#hashes[pairs] = hash;
        pairs++;
      }
      position++;
    }
    this.#pairs = pairs;
    this.#isIndexed = true;
    if (pairs > MAX_LINEAR_PAIRS) this.#buildTable();
  }

  #grow(): void {
    this.#nameStarts = doubled(this.#nameStarts);
    this.#nameEnds = doubled(this.#nameEnds);
    this.#valueEnds = doubled(this.#valueEnds);
    this.#hashes = doubled(this.#hashes);
  }

  /** Many pairs: an expression with many names must not go through all of them for each. Later pairs are found first. */
  #buildTable(): void {
    let slots = 4 * MAX_LINEAR_PAIRS;
    while (slots < 2 * this.#pairs) slots *= 2;
    if (this.#table.length < slots) this.#table = new Int32Array(slots);
    this.#table.fill(EMPTY, 0, slots);
    this.#tableMask = slots - 1;
    for (let pair = this.#pairs - 1; pair >= 0; pair--) {
      let slot = this.#slotOf(this.#hashes[pair]!);
      while (this.#table[slot] !== EMPTY) slot = (slot + 1) & this.#tableMask;
      this.#table[slot] = pair;
    }
  }

  #findInTable(name: PropertyName): number {
    let slot = this.#slotOf(name.hash);
    for (;;) {
      const pair = this.#table[slot]!;
      if (pair === EMPTY) return -1;
      if (this.#hashes[pair] === name.hash && this.#isNamed(pair, name)) return pair;
      slot = (slot + 1) & this.#tableMask;
    }
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#tableMask;
  }

  #isNamed(pair: number, name: PropertyName): boolean {
    return rangeEquals(this.bytes, this.#nameStarts[pair]!, this.#nameEnds[pair]!, name.bytes);
  }
}

/** Whether bytes[start, end) are exactly the expected ones. */
export function rangeEquals(
  bytes: Uint8Array,
  start: number,
  end: number,
  expected: Uint8Array,
): boolean {
  const { length } = expected;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i++) {
    if (bytes[start + i] !== expected[i]) return false;
  }
  return true;
}

const HASH_SEED = 0x811c9dc5 | 0;

function mix(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
