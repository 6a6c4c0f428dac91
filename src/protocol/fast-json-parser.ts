// Room: protocol. Any thread. Reads the dialect of fastjson: standard JSON, keys that are bare numbers, bare words or whole
// objects, single quotes, spare commas, and the escapes \x41 \v \0. It reads no Java constructors (new Date, Set[…]).
//
//   { with string keys only }   → plain object (an own member even for "__proto__")
//   { with any other key }      → FastJsonMap; keys are numbers, bigints, strings, booleans, plain objects or arrays
//   whole number                → number, or bigint beyond ±(2^53−1): no digit is ever lost
//
// Always holds: any text gives a value or throws a CometError JSON_INVALID; depth is bounded by limits.

import { type CometError, cometError } from '../base/errors.js';
import { MAX_JSON_DEPTH } from '../base/limits.js';

/** A JSON object that has a key which is no string. Keys that are objects are not merged: each entry is its own. */
export class FastJsonMap extends Map<unknown, unknown> {}

export function parseFastJson(text: string): unknown {
  return new FastJsonParser(text).parse();
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\u000b',
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
};
const WORD = /[A-Za-z_$][\w$.]*/y;
const NUMBER = /[-+]?\d+(\.\d+)?([eE][-+]?\d+)?/y;
const BLANK = /[ \t\r\n\f\b]*/y;

class FastJsonParser {
  readonly #text: string;
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): unknown {
    const value = this.#value();
    this.#skipBlank();
    if (this.#position < this.#text.length) throw this.#error('text behind the value');
    return value;
  }

  #value(): unknown {
    const next = this.#peek();
    switch (next) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
      case "'":
        return this.#string(next);
      default:
        return this.#scalar();
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_JSON_DEPTH) throw this.#error('too many levels');
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): unknown {
    this.#position++;
    const entries: [unknown, unknown][] = [];
    let allText = true;
    for (;;) {
      this.#skipCommas();
      if (this.#peek() === '}') break;
      const key = this.#key();
      if (typeof key !== 'string') allText = false;
      if (this.#peek() !== ':') throw this.#error('a colon is missing');
      this.#position++;
      entries.push([key, this.#value()]);
      const next = this.#peek();
      if (next !== ',' && next !== '}') throw this.#error('a comma or } is missing');
    }
    this.#position++;
    return allText ? Object.fromEntries(entries as [string, unknown][]) : new FastJsonMap(entries);
  }

  #key(): unknown {
    const next = this.#peek();
    if (next === '"' || next === "'") return this.#string(next);
    if (next !== '{' && next !== '[') {
      WORD.lastIndex = this.#position;
      const word = WORD.exec(this.#text)?.[0];
      if (word !== undefined) {
        this.#position += word.length;
        return word;
      }
    }
    return this.#value();
  }

  #array(): unknown[] {
    this.#position++;
    const items: unknown[] = [];
    for (;;) {
      this.#skipCommas();
      if (this.#peek() === ']') break;
      items.push(this.#value());
      const next = this.#peek();
      if (next !== ',' && next !== ']') throw this.#error('a comma or ] is missing');
    }
    this.#position++;
    return items;
  }

  #string(quote: string): string {
    let start = ++this.#position;
    let value = '';
    for (;;) {
      const unit = this.#text[this.#position];
      if (unit === undefined) throw this.#error('a string does not end');
      if (unit === quote) break;
      if (unit !== '\\') {
        this.#position++;
        continue;
      }
      value += this.#text.slice(start, this.#position) + this.#escape();
      start = this.#position;
    }
    return value + this.#text.slice(start, this.#position++);
  }

  #escape(): string {
    const kind = this.#text[this.#position + 1] ?? '';
    this.#position += 2;
    const simple = ESCAPES[kind];
    if (simple !== undefined) return simple;
    if (kind === 'u') return this.#hexUnit(4);
    if (kind === 'x') return this.#hexUnit(2);
    if (kind >= '0' && kind <= '7') return String.fromCharCode(Number(kind));
    throw this.#error(`an unknown escape \\${kind}`);
  }

  #hexUnit(digits: number): string {
    const hex = this.#text.slice(this.#position, this.#position + digits);
    if (hex.length < digits || /[^0-9a-fA-F]/.test(hex)) throw this.#error('a bad escape');
    this.#position += digits;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  #scalar(): unknown {
    NUMBER.lastIndex = this.#position;
    const number = NUMBER.exec(this.#text);
    if (number !== null) return this.#number(number[0], number[1] ?? number[2]);
    WORD.lastIndex = this.#position;
    const word = WORD.exec(this.#text)?.[0] ?? '';
    this.#position += word.length;
    switch (word) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
      case 'undefined':
      case 'NaN':
        return null;
      default:
        throw this.#error('a value is missing');
    }
  }

  /** Java's type letters (1L, 1.5D) may follow. */
  #number(text: string, fraction: string | undefined): number | bigint {
    this.#position += text.length;
    const suffix = this.#text[this.#position] ?? '';
    if ('LSBFD'.includes(suffix) && suffix !== '') this.#position++;
    const value = Number(text);
    if (fraction !== undefined || Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    return BigInt(text.startsWith('+') ? text.slice(1) : text);
  }

  #skipCommas(): void {
    while (this.#peek() === ',') this.#position++;
  }

  /** The next character that is no blank, '' at the end. */
  #peek(): string {
    this.#skipBlank();
    return this.#text[this.#position] ?? '';
  }

  #skipBlank(): void {
    if (this.#text.charCodeAt(this.#position) > 32) return;
    BLANK.lastIndex = this.#position;
    this.#position += BLANK.exec(this.#text)?.[0].length ?? 0;
  }

  #error(what: string): CometError {
    return cometError('JSON_INVALID', `${what} at ${this.#position}`);
  }
}
