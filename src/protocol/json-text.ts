// Room: protocol. Any thread. How fastjson writes strings and doubles; frames and bodies share it.
// Always holds: the texts are those of fastjson 1.2.69, which escapes with upper-case digits, and DEL, the C1 controls and the
// two separators U+2028 and U+2029 as well.

import { assert } from '../base/assert.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that fastjson escapes
const ESCAPED = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** What JSON.stringify writes in another way than fastjson; with none of these its native code is exact, and fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that the two write differently
const UNLIKE_JAVASCRIPT = /[\u000b\u000e\u000f\u001a-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that fastjson escapes
const ALL_ESCAPED = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything but printable ASCII, and what is escaped there
const ALL_ESCAPED_STANDARD = /["\\/\u0000-\u001f\u007f-\uffff]/g;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** A JSON string as fastjson writes it by default: other scripts stay as they are. */
export function quoteFastJson(text: string): string {
  if (!ESCAPED.test(text)) return `"${text}"`;
  if (!UNLIKE_JAVASCRIPT.test(text)) return JSON.stringify(text);
  return `"${text.replace(ALL_ESCAPED, escapeUnit)}"`;
}

/** A JSON string in ASCII only (fastjson's BrowserCompatible), the slash escaped too. */
export function quoteStandardJson(text: string): string {
  return `"${text.replace(ALL_ESCAPED_STANDARD, escapeUnit)}"`;
}

/** Double.toString of Java: 0.1, 100.0, 1.0E7, 1.0E-7. Not for NaN and infinities, which JSON has no text for. */
export function javaDoubleText(value: number): string {
  assert(Number.isFinite(value), 'JSON has no text for this number');
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const mantissa = digits.includes('.') ? digits : `${digits}.0`;
  return `${mantissa}E${exponent.replace('+', '')}`;
}

function escapeUnit(unit: string): string {
  return SHORT[unit] ?? `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
