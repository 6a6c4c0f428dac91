// Room: processor. Hot (bench/30-header-scan). Reads the header of a frame where it lies, without making an object or a string
// of it: both serializations, any key order. Each field that a processor asked for is a range of bytes: of the frame itself,
// or, when the JSON text has escapes in it, of a scratch buffer. One scan is used for one frame at a time.
//
//   frame   0 length   4 type << 24 | header size   8 header   8 + header size: body

import { assert } from '../base/assert.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Ext field names mapped to small integers, 0..count-1; single-byte names are found by array index. */
export class FieldNames {
  readonly count: number;
  readonly #short = new Int8Array(256).fill(-1);
  readonly #long = new Map<string, number>();

  constructor(names: readonly (readonly string[])[]) {
    this.count = names.length;
    names.forEach((aliases, index) => {
      for (const name of aliases) {
        if (name.length === 1) this.#short[name.charCodeAt(0)] = index;
        else this.#long.set(name, index);
      }
    });
  }

  find(bytes: Buffer, start: number, end: number): number {
    if (end - start === 1) return this.#short[bytes[start]!]!;
    return this.#long.get(bytes.toString('latin1', start, end)) ?? -1;
  }
}

export class HeaderScan {
  code = 0;
  version = 0;
  opaque = 0;
  flag = 0;
  /** 0 JSON, 1 ROCKETMQ: the reply goes out in the same. */
  serializeType = 0;
  bodyStart = 0;
  bodyLength = 0;
  readonly #names: FieldNames;
  /** Where field i lies: buffer, start and end; start -1 when it is absent. */
  readonly #inScratch: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #frame: Buffer = Buffer.alloc(0);
  #scratch = Buffer.allocUnsafe(64 * 1024);
  #scratchLength = 0;
  #at = 0;
  // The string that #string() read last.
  #stringStart = 0;
  #stringEnd = 0;
  #stringInScratch = false;

  constructor(names: FieldNames) {
    this.#names = names;
    this.#inScratch = new Uint8Array(names.count);
    this.#starts = new Int32Array(names.count);
    this.#ends = new Int32Array(names.count);
  }

  /** False when the header is not one that this scan understands; the frame then goes to the full decoder. */
  scan(frame: Buffer, start: number, lengthBytes: number): boolean {
    const mark = frame.readInt32BE(start + 4);
    const headerLength = mark & 0xffffff;
    if (headerLength > lengthBytes - 8) return false;
    this.serializeType = mark >>> 24;
    this.#frame = frame;
    this.#scratchLength = 0;
    this.#starts.fill(-1);
    this.code = 0;
    this.version = 0;
    this.opaque = 0;
    this.flag = 0;
    this.bodyStart = start + 8 + headerLength;
    this.bodyLength = lengthBytes - 8 - headerLength;
    if (this.serializeType === 0) return this.#scanJson(start + 8, this.bodyStart);
    return this.serializeType === 1 && this.#scanBinary(start + 8, this.bodyStart);
  }

  has(field: number): boolean {
    return this.#starts[field]! >= 0;
  }

  /** The buffer that fieldStart and fieldEnd speak of. */
  fieldBuffer(field: number): Buffer {
    return this.#inScratch[field] === 1 ? this.#scratch : this.#frame;
  }

  fieldStart(field: number): number {
    return this.#starts[field]!;
  }

  fieldEnd(field: number): number {
    return this.#ends[field]!;
  }

  /** The field as a decimal integer, or NaN when it is absent, empty or anything else. Safe integers only. */
  integer(field: number): number {
    const bytes = this.fieldBuffer(field);
    let at = this.#starts[field]!;
    const end = this.#ends[field]!;
    if (at < 0 || at === end || end - at > 17) return Number.NaN;
    let negative = false;
    if (bytes[at] === 0x2d) {
      negative = true;
      at++;
      if (at === end) return Number.NaN;
    }
    let value = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
    return negative ? -value : value;
  }

  /** True when the field reads `true`, in any case, as Java's Boolean.parseBoolean. */
  isTrue(field: number): boolean {
    const start = this.#starts[field]!;
    if (start < 0 || this.#ends[field]! - start !== 4) return false;
    const bytes = this.fieldBuffer(field);
    return (
      (bytes[start]! | 0x20) === 0x74 &&
      bytes.toString('latin1', start, start + 4).toLowerCase() === 'true'
    );
  }

  text(field: number): string | null {
    if (!this.has(field)) return null;
    return this.fieldBuffer(field).toString('utf8', this.#starts[field]!, this.#ends[field]!);
  }

  #keep(field: number, start: number, end: number, inScratch: boolean): void {
    this.#starts[field] = start;
    this.#ends[field] = end;
    this.#inScratch[field] = inScratch ? 1 : 0;
  }

  // ---- ROCKETMQ: code 2, language 1, version 2, opaque 4, flag 4, remark 4+n, ext 4+n of (2+n, 4+n) ----

  #scanBinary(start: number, end: number): boolean {
    const bytes = this.#frame;
    if (end - start < 21) return false;
    this.code = bytes.readInt16BE(start);
    this.version = bytes.readInt16BE(start + 3);
    this.opaque = bytes.readInt32BE(start + 5);
    this.flag = bytes.readInt32BE(start + 9);
    const remark = bytes.readInt32BE(start + 13);
    let at = start + 17 + remark;
    if (remark < 0 || at + 4 > end) return false;
    const extEnd = at + 4 + bytes.readInt32BE(at);
    if (extEnd < at + 4 || extEnd > end) return false;
    at += 4;
    while (at < extEnd) {
      if (at + 2 > extEnd) return false;
      const keyStart = at + 2;
      const keyEnd = keyStart + bytes.readInt16BE(at);
      if (keyEnd < keyStart || keyEnd + 4 > extEnd) return false;
      const size = bytes.readInt32BE(keyEnd);
      at = keyEnd + 4 + size;
      if (size < 0 || at > extEnd) return false;
      const field = this.#names.find(bytes, keyStart, keyEnd);
      if (field >= 0) this.#keep(field, keyEnd + 4, at, false);
    }
    return true;
  }

  // ---- JSON ----

  #scanJson(start: number, end: number): boolean {
    this.#at = start;
    if (this.#frame[start] !== 0x7b) return false;
    this.#at++;
    for (;;) {
      if (!this.#key(end)) return this.#frame[this.#at] === 0x7d;
      if (!this.#topLevelValue(end)) return false;
      if (this.#frame[this.#at] === 0x2c) this.#at++;
    }
  }

  /** Reads `"name":`; false at the end of the object or where something else stands. */
  #key(end: number): boolean {
    this.#blanks(end);
    if (this.#frame[this.#at] !== QUOTE || !this.#string(end)) return false;
    this.#blanks(end);
    if (this.#frame[this.#at] !== 0x3a) return false;
    this.#at++;
    this.#blanks(end);
    return this.#at < end;
  }

  #blanks(end: number): void {
    const bytes = this.#frame;
    while (this.#at < end && bytes[this.#at]! <= 0x20) this.#at++;
  }

  #topLevelValue(end: number): boolean {
    const bytes = this.#frame;
    const first = bytes[this.#stringStart]!;
    const length = this.#stringEnd - this.#stringStart;
    const next = bytes[this.#at]!;
    if (next === 0x7b) return first === 0x65 && length === 9 && this.#extFields(end);
    if (next === QUOTE) return this.#string(end) && this.#afterValue(end);
    const value = this.#number(end);
    if (first === 0x63 && length === 4) this.code = value;
    else if (first === 0x6f && length === 6) this.opaque = value;
    else if (first === 0x66 && length === 4) this.flag = value;
    else if (first === 0x76 && length === 7) this.version = value;
    return !Number.isNaN(value) && this.#afterValue(end);
  }

  #extFields(end: number): boolean {
    this.#at++;
    while (this.#key(end)) {
      const field = this.#names.find(
        this.#stringInScratch ? this.#scratch : this.#frame,
        this.#stringStart,
        this.#stringEnd,
      );
      if (this.#frame[this.#at] !== QUOTE || !this.#string(end)) return false;
      if (field >= 0) this.#keep(field, this.#stringStart, this.#stringEnd, this.#stringInScratch);
      this.#blanks(end);
      if (this.#frame[this.#at] === 0x2c) this.#at++;
    }
    if (this.#frame[this.#at] !== 0x7d) return false;
    this.#at++;
    return this.#afterValue(end);
  }

  #afterValue(end: number): boolean {
    this.#blanks(end);
    return this.#at < end;
  }

  #number(end: number): number {
    const bytes = this.#frame;
    let negative = false;
    if (bytes[this.#at] === 0x2d) {
      negative = true;
      this.#at++;
    }
    const start = this.#at;
    let value = 0;
    for (; this.#at < end; this.#at++) {
      const digit = bytes[this.#at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (this.#at === start || value > 0xffff_ffff) return Number.NaN;
    return (negative ? -value : value) | 0;
  }

  /** At a quote: reads the string into #stringStart..#stringEnd and steps behind its closing quote. */
  #string(end: number): boolean {
    const bytes = this.#frame;
    const start = this.#at + 1;
    let at = start;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#stringStart = start;
        this.#stringEnd = at;
        this.#stringInScratch = false;
        this.#at = at + 1;
        return true;
      }
      if (byte === BACKSLASH) return this.#escapedString(start, at, end);
      at++;
    }
    return false;
  }

  #escapedString(start: number, firstEscape: number, end: number): boolean {
    this.#reserve(end - start);
    const bytes = this.#frame;
    const scratch = this.#scratch;
    let to = this.#scratchLength;
    this.#stringStart = to;
    this.#stringInScratch = true;
    for (let i = start; i < firstEscape; i++) scratch[to++] = bytes[i]!;
    let at = firstEscape;
    while (at < end) {
      const byte = bytes[at++]!;
      if (byte === QUOTE) {
        this.#stringEnd = to;
        this.#scratchLength = to;
        this.#at = at;
        return true;
      }
      if (byte !== BACKSLASH) {
        scratch[to++] = byte;
        continue;
      }
      const kind = bytes[at++]!;
      if (kind !== 0x75) {
        const plain = plainEscape(kind);
        if (plain < 0) return false;
        scratch[to++] = plain;
        continue;
      }
      let point = hex4(bytes, at);
      if (point < 0 || at + 4 > end) return false;
      at += 4;
      if (point >= 0xd800 && point < 0xdc00 && bytes[at] === BACKSLASH && bytes[at + 1] === 0x75) {
        const low = hex4(bytes, at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
          point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
          at += 6;
        }
      }
      to = writeUtf8(scratch, to, point);
    }
    return false;
  }

  #reserve(sizeBytes: number): void {
    const need = this.#scratchLength + sizeBytes;
    if (need <= this.#scratch.length) return;
    assert(need <= 64 * 1024 * 1024, 'a header outgrew every frame');
    const bigger = Buffer.allocUnsafe(need * 2);
    this.#scratch.copy(bigger, 0, 0, this.#scratchLength);
    this.#scratch = bigger;
  }
}

function plainEscape(kind: number): number {
  switch (kind) {
    case 0x62:
      return 8;
    case 0x66:
      return 12;
    case 0x6e:
      return 10;
    case 0x72:
      return 13;
    case 0x74:
      return 9;
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
      return kind;
    default:
      return -1;
  }
}

function hex4(bytes: Buffer, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const c = bytes[i]!;
    const digit =
      c >= 0x30 && c <= 0x39
        ? c - 0x30
        : (c | 0x20) >= 0x61 && (c | 0x20) <= 0x66
          ? (c | 0x20) - 0x57
          : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function writeUtf8(to: Buffer, at: number, point: number): number {
  if (point < 0x80) {
    to[at++] = point;
  } else if (point < 0x800) {
    to[at++] = 0xc0 | (point >> 6);
    to[at++] = 0x80 | (point & 63);
  } else if (point < 0x10000) {
    to[at++] = 0xe0 | (point >> 12);
    to[at++] = 0x80 | ((point >> 6) & 63);
    to[at++] = 0x80 | (point & 63);
  } else {
    to[at++] = 0xf0 | (point >> 18);
    to[at++] = 0x80 | ((point >> 12) & 63);
    to[at++] = 0x80 | ((point >> 6) & 63);
    to[at++] = 0x80 | (point & 63);
  }
  return at;
}
