// Room: protocol. Any thread. The dialect of fastjson (protocol.md 4.3): JSON in which numbers and objects may be keys of a map.
// The parser lives in fast-json-parser, this file writes.
//
//   plain object    a bean: members in alphabetical order, null and undefined members left out
//   Map             a Java map: entries in the order of the Map, number and object keys native, null values left out
//   number, bigint  whole numbers as they are; a JavaDouble always with point or exponent
//
// Always holds: what is written can be read by parseFastJson, and stringifyStandardJson's output by JSON.parse.

import { assert } from '../base/assert.js';
import { javaDoubleText, quoteFastJson, quoteStandardJson } from './json-text.js';

export { FastJsonMap, parseFastJson } from './fast-json-parser.js';

/** A Java double or float: 1 is written 1.0. */
export class JavaDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** As Java's JSON.toJSONString: the form of every body but one. */
export function stringifyFastJson(value: unknown): string {
  return write(value, nativeStyle);
}

/** Quoted keys, ASCII only, sorted: the form of GET_ROUTEINFO_BY_TOPIC for requesters from V4_9_4 on. */
export function stringifyStandardJson(value: unknown): string {
  return write(value, standardStyle);
}

interface Style {
  readonly quote: (text: string) => string;
  readonly sortMaps: boolean;
  readonly nativeKeys: boolean;
}

const nativeStyle: Style = { quote: quoteFastJson, sortMaps: false, nativeKeys: true };
const standardStyle: Style = { quote: quoteStandardJson, sortMaps: true, nativeKeys: false };

function write(value: unknown, style: Style): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return style.quote(value);
    case 'number':
      return writeNumber(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return writeObject(value, style);
    default:
      assert(false, `JSON has no text for a ${typeof value}`);
  }
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  return Number.isInteger(value) && Math.abs(value) < 1e21
    ? integerText(value)
    : javaDoubleText(value);
}

function integerText(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}

function writeObject(value: object, style: Style): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, style)).join(',')}]`;
  if (value instanceof Set) return write([...value], style);
  if (value instanceof JavaDouble) {
    return Number.isFinite(value.value) ? javaDoubleText(value.value) : 'null';
  }
  return value instanceof Map ? writeMap(value, style) : writeBean(value, style);
}

function writeBean(bean: object, style: Style): string {
  const members = Object.entries(bean).filter(([, member]) => isPresent(member));
  members.sort(([left], [right]) => compareText(left, right));
  return writeMembers(members, style);
}

function writeMap(map: ReadonlyMap<unknown, unknown>, style: Style): string {
  const entries = [...map].filter(([, value]) => isPresent(value));
  if (style.sortMaps) {
    entries.sort(([left], [right]) =>
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : compareText(String(left), String(right)),
    );
  }
  return writeMembers(entries, style);
}

function writeMembers(members: readonly (readonly [unknown, unknown])[], style: Style): string {
  return `{${members.map(([key, value]) => `${writeKey(key, style)}:${write(value, style)}`).join(',')}}`;
}

/** Without native keys an object as key becomes the string that holds its JSON; Java reads that form too. */
function writeKey(key: unknown, style: Style): string {
  if (typeof key === 'string') return style.quote(key);
  const text = write(key, style);
  return style.nativeKeys ? text : style.quote(text);
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** By UTF-16 units, as Java compares strings. */
function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
