// Room: filter. Any thread. Property texts as numbers, in exactly the spellings that Integer.valueOf, Long.valueOf and
// Double.valueOf of Java take: a filter matches the same messages here and there only if both read them alike.
// Hot: the ASCII spellings of everyday numbers take no allocation. Uses `!` on reads inside checked bounds.
// Always holds: the time is linear in the length of the text.

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const SPACE = 0x20;

/** Digits that a double holds exactly whatever they are. */
const EXACT_DIGITS = 15;
const MAX_LONG_DIGITS = 19;
const MAX_OTHER_DIGITS_BYTES = 1 + 3 * MAX_LONG_DIGITS;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;
const INT_MIN = -(2 ** 31);
const INT_MAX = 2 ** 31 - 1;

/** Powers of ten that a double holds exactly, as far as EXACT_DIGITS can need them. */
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

const DOUBLE_TEXT =
  /^([+-]?)(?:(NaN|Infinity)|(?:((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|0[xX]([\da-fA-F]+(?:\.[\da-fA-F]*)?|\.[\da-fA-F]+)[pP]([+-]?\d+))[fFdD]?)$/;

/** Null when Integer.valueOf would throw. */
export function parseJavaInt(bytes: Uint8Array, start: number, end: number): number | null {
  const value = parseJavaLong(bytes, start, end);
  return typeof value === 'number' && value >= INT_MIN && value <= INT_MAX ? value : null;
}

/** A number where that is exact, else a bigint. Null when Long.valueOf would throw. */
export function parseJavaLong(
  bytes: Uint8Array,
  start: number,
  end: number,
): number | bigint | null {
  const sign = start < end ? bytes[start]! : 0;
  let position = sign === MINUS || sign === PLUS ? start + 1 : start;
  const digitsStart = position;
  while (position < end && bytes[position] === ZERO) position++;
  const significantStart = position;
  let value = 0;
  for (; position < end; position++) {
    const digit = bytes[position]! - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (position < end) {
    return bytes[position]! >= 0x80 ? parseOtherDigits(bytes, start, end) : null;
  }
  const digits = end - significantStart;
  if (end === digitsStart || digits > MAX_LONG_DIGITS) return null;
  if (digits <= EXACT_DIGITS) return sign === MINUS ? 0 - value : value;
  const magnitude = BigInt(asciiText(bytes, significantStart, end));
  const exact = sign === MINUS ? -magnitude : magnitude;
  if (exact < LONG_MIN || exact > LONG_MAX) return null;
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

/** Java takes the decimal digits of every script of the first plane. Here only as many as a long can have, to bound the time. */
function parseOtherDigits(bytes: Uint8Array, start: number, end: number): number | bigint | null {
  if (end - start > MAX_OTHER_DIGITS_BYTES) return null;
  const text = decodeText(bytes, start, end);
  const ascii = text.replace(/[^\p{ASCII}]/gu, (digit) => {
    const code = digit.codePointAt(0) as number;
    if (code > 0xffff || !/^\p{Nd}$/u.test(digit)) return 'x';
    let value = 0;
    while (/^\p{Nd}$/u.test(String.fromCharCode(code - value - 1))) value++;
    return String(value % 10);
  });
  const converted = Buffer.from(ascii, 'latin1');
  return parseJavaLong(converted, 0, converted.length);
}

/** NaN and the infinities are values. Null when Double.valueOf would throw. */
export function parseJavaDouble(bytes: Uint8Array, start: number, end: number): number | null {
  let first = start;
  let last = end;
  while (first < last && bytes[first]! <= SPACE) first++;
  while (last > first && bytes[last - 1]! <= SPACE) last--;
  const plain = parsePlainDecimal(bytes, first, last);
  if (plain !== null) return plain;
  for (let position = first; position < last; position++) {
    if (bytes[position]! >= 0x80) return null;
  }
  const match = DOUBLE_TEXT.exec(asciiText(bytes, first, last));
  if (match === null) return null;
  const [, sign, word, decimal, hexDigits, hexExponent] = match;
  let value: number;
  if (word !== undefined) value = Number(word);
  else if (decimal !== undefined) value = Number(decimal);
  else value = hexValue(hexDigits as string, Number(hexExponent));
  return sign === '-' ? -value : value;
}

/** Up to 15 digits and a point: one exact division, so rounded as it must be. Null for all others. */
function parsePlainDecimal(bytes: Uint8Array, start: number, end: number): number | null {
  const sign = start < end ? bytes[start]! : 0;
  let position = sign === MINUS || sign === PLUS ? start + 1 : start;
  if (end - position > EXACT_DIGITS) return null;
  let value = 0;
  let digits = 0;
  let fractionDigits = -1;
  for (; position < end; position++) {
    const byte = bytes[position]!;
    const digit = byte - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
      if (fractionDigits >= 0) fractionDigits++;
    } else if (byte === POINT && fractionDigits < 0) {
      fractionDigits = 0;
    } else {
      return null;
    }
  }
  if (digits === 0) return null;
  if (fractionDigits > 0) value /= POWERS_OF_TEN[fractionDigits]!;
  return sign === MINUS ? -value : value;
}

/** Bits beyond 64 only matter by whether there are any. Below the smallest normal double it may round twice. */
function hexValue(text: string, exponent: number): number {
  const point = text.indexOf('.');
  const fractionDigits = point < 0 ? 0 : text.length - point - 1;
  let mantissa = BigInt(`0x${text.replace('.', '')}`);
  if (mantissa === 0n) return 0;
  let power = exponent - 4 * fractionDigits;
  const excessBits = mantissa.toString(16).length * 4 - 64;
  if (excessBits > 0) {
    const kept = mantissa >> BigInt(excessBits);
    mantissa = kept << BigInt(excessBits) === mantissa ? kept : kept | 1n;
    power += excessBits;
  }
  const half = Math.trunc(Math.max(-3_000, Math.min(3_000, power)) / 2);
  const rest = Math.max(-3_000, Math.min(3_000, power)) - half;
  return Number(mantissa) * 2 ** half * 2 ** rest;
}

export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

function asciiText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/** As Double.compareTo: NaN above all and equal to itself, −0 below 0. */
export function compareDoubles(left: number, right: number): -1 | 0 | 1 {
  if (left < right) return -1;
  if (left > right) return 1;
  if (Object.is(left, right)) return 0;
  if (Number.isNaN(left)) return 1;
  if (Number.isNaN(right)) return -1;
  return Object.is(left, -0) ? -1 : 1;
}
