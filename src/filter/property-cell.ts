// Room: filter. The thread that evaluates. One property as one compiled expression sees it: where it stands in the message
// at hand and what number it has been read as, each found out at most once per message however often the name is written.
// Hot: see filter-outcome.ts. Always holds: everything here is about the message of #generation; isPresent comes first.

import { decodeText, parseJavaDouble, parseJavaInt, parseJavaLong } from './java-number.js';
import { type PropertyLookup, PropertyName, rangeEquals } from './property-lookup.js';

/** The type of a literal, which decides how a property beside it is read. */
export type NumberType = 'int' | 'long' | 'double';

export class PropertyCell {
  readonly name: PropertyName;
  #generation = 0;
  #pair = -1;
  // undefined: not read yet; null: can not be read so.
  #int: number | null | undefined;
  #long: number | bigint | null | undefined;
  #double: number | null | undefined;
  #text: string | undefined;

  constructor(name: string) {
    this.name = new PropertyName(name);
  }

  isPresent(properties: PropertyLookup): boolean {
    if (this.#generation !== properties.generation) {
      this.#generation = properties.generation;
      this.#pair = properties.find(this.name);
      this.#int = undefined;
      this.#long = undefined;
      this.#double = undefined;
      this.#text = undefined;
    }
    return this.#pair >= 0;
  }

  /** Null when the value is no number of that type. */
  number(properties: PropertyLookup, type: NumberType): number | bigint | null {
    if (type === 'int') return this.#readInt(properties);
    if (type === 'double') return this.double(properties);
    if (this.#long === undefined) {
      const { bytes } = properties;
      this.#long = parseJavaLong(bytes, this.#start(properties), this.#end(properties));
    }
    return this.#long;
  }

  double(properties: PropertyLookup): number | null {
    if (this.#double === undefined) {
      const { bytes } = properties;
      this.#double = parseJavaDouble(bytes, this.#start(properties), this.#end(properties));
    }
    return this.#double;
  }

  text(properties: PropertyLookup): string {
    if (this.#text === undefined) {
      this.#text = decodeText(properties.bytes, this.#start(properties), this.#end(properties));
    }
    return this.#text;
  }

  equals(properties: PropertyLookup, bytes: Uint8Array): boolean {
    return rangeEquals(properties.bytes, this.#start(properties), this.#end(properties), bytes);
  }

  /** As Boolean.valueOf: "true" in any case, and all else is false. */
  isTrue(properties: PropertyLookup): boolean {
    const start = this.#start(properties);
    if (this.#end(properties) - start !== WORD_TRUE.length) return false;
    for (let i = 0; i < WORD_TRUE.length; i++) {
      if (((properties.bytes[start + i] ?? 0) | LOWER_CASE_BIT) !== WORD_TRUE[i]) return false;
    }
    return true;
  }

  #readInt(properties: PropertyLookup): number | null {
    if (this.#int === undefined) {
      const { bytes } = properties;
      this.#int = parseJavaInt(bytes, this.#start(properties), this.#end(properties));
    }
    return this.#int;
  }

  #start(properties: PropertyLookup): number {
    return properties.valueStart(this.#pair);
  }

  #end(properties: PropertyLookup): number {
    return properties.valueEnd(this.#pair);
  }
}

const WORD_TRUE = Buffer.from('true', 'latin1');
const LOWER_CASE_BIT = 0x20;
