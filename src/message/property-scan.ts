// Room: message. The commitlog and dispatch workers; each has its own instance. Hot (bench/01): finds the values of a few names in
// the bytes of a properties text and builds nothing. `!` is used: indexes are those of the constructor's list.
// Always holds: what it finds is what decodeProperties would find. Results are overwritten by the next scan.

import { assert } from '../base/assert.js';
import { NAME_VALUE_SEPARATOR_BYTE, PROPERTY_SEPARATOR_BYTE } from './message-const.js';

export class PropertyScan {
  readonly names: readonly string[];
  readonly #nameBytes: readonly Uint8Array[];
  /** For each name length, the first index of a name that long, else -1; the others follow by #nextOfLength. */
  readonly #firstOfLength: Int32Array;
  readonly #nextOfLength: Int32Array;
  /** Four numbers a name: how often it occurs, where its pair starts, where its value starts, where the value ends. */
  readonly #found: Int32Array;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Pairs that decodeProperties would keep, repeated names counted each time. */
  pairCount = 0;

  constructor(names: readonly string[]) {
    this.names = names;
    this.#nameBytes = names.map((name) => Buffer.from(name, 'utf8'));
    const longest = Math.max(0, ...this.#nameBytes.map((bytes) => bytes.length));
    assert(longest > 0 && longest < 256, 'a scan looks for names of 1 to 255 bytes');
    this.#firstOfLength = new Int32Array(longest + 1).fill(-1);
    this.#nextOfLength = new Int32Array(names.length).fill(-1);
    for (let i = names.length - 1; i >= 0; i--) {
      const { length } = this.#nameBytes[i]!;
      assert(length > 0, 'a property name is not empty');
      this.#nextOfLength[i] = this.#firstOfLength[length]!;
      this.#firstOfLength[length] = i;
    }
    this.#found = new Int32Array(names.length * 4);
  }

  scan(bytes: Uint8Array, start: number, length: number): void {
    this.#bytes = bytes;
    this.#found.fill(0);
    this.pairCount = 0;
    const end = start + length;
    let pairStart = start;
    while (pairStart < end) {
      let position = pairStart;
      let separator = -1;
      for (; position < end; position++) {
        const byte = bytes[position]!;
        if (byte > PROPERTY_SEPARATOR_BYTE) continue;
        if (byte === PROPERTY_SEPARATOR_BYTE) break;
        if (byte === NAME_VALUE_SEPARATOR_BYTE && separator < 0) separator = position;
      }
      if (separator > pairStart && separator < position - 1) {
        this.pairCount++;
        this.#match(pairStart, separator, position);
      }
      pairStart = position + 1;
    }
  }

  /** How many pairs carry the name; the last one counts. */
  occurrences(index: number): number {
    return this.#found[index * 4]!;
  }

  has(index: number): boolean {
    return this.#found[index * 4]! > 0;
  }

  /** Where the pair (name, separator, value) begins, in the scanned bytes; the pair ends at valueEnd. */
  pairStart(index: number): number {
    return this.#found[index * 4 + 1]!;
  }

  valueStart(index: number): number {
    return this.#found[index * 4 + 2]!;
  }

  valueEnd(index: number): number {
    return this.#found[index * 4 + 3]!;
  }

  valueLength(index: number): number {
    return this.#found[index * 4 + 3]! - this.#found[index * 4 + 2]!;
  }

  /** True when the value is exactly these bytes. */
  valueEquals(index: number, expected: Uint8Array): boolean {
    const start = this.valueStart(index);
    if (!this.has(index) || this.valueLength(index) !== expected.length) return false;
    for (let i = 0; i < expected.length; i++) {
      if (this.#bytes[start + i] !== expected[i]) return false;
    }
    return true;
  }

  /** The value as a whole number of at most nine digits; `absent` when there is none or it is no such number. */
  valueInt(index: number, absent: number): number {
    const start = this.valueStart(index);
    const end = this.valueEnd(index);
    if (!this.has(index) || end - start > 9) return absent;
    let value = 0;
    for (let i = start; i < end; i++) {
      const digit = this.#bytes[i]! - 48;
      if (digit < 0 || digit > 9) return absent;
      value = value * 10 + digit;
    }
    return value;
  }

  /** The value as text, null when absent. Allocates. */
  valueText(index: number): string | null {
    if (!this.has(index)) return null;
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(
      buffer as ArrayBuffer,
      byteOffset + this.valueStart(index),
      this.valueLength(index),
    ).toString('utf8');
  }

  #match(pairStart: number, separator: number, pairEnd: number): void {
    const length = separator - pairStart;
    if (length >= this.#firstOfLength.length) return;
    for (let i = this.#firstOfLength[length]!; i >= 0; i = this.#nextOfLength[i]!) {
      const name = this.#nameBytes[i]!;
      let same = 0;
      while (same < length && this.#bytes[pairStart + same] === name[same]) same++;
      if (same < length) continue;
      const slot = i * 4;
      this.#found[slot] = this.#found[slot]! + 1;
      this.#found[slot + 1] = pairStart;
      this.#found[slot + 2] = separator + 1;
      this.#found[slot + 3] = pairEnd;
      return;
    }
  }
}
