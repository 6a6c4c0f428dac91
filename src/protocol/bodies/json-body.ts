// Room: protocol. Any thread. What all JSON bodies share: reading members leniently as fastjson does (absent members keep their
// defaults, numbers may be text, enums may be ordinals, unknown members are skipped) and writing beans.
// Always holds: a member of the wrong kind is a CometError PROTOCOL_BODY_INVALID that names it; 64-bit numbers are exact or refused.

import { cometError, isCometError } from '../../base/errors.js';
import { FastJsonMap, parseFastJson, stringifyFastJson } from '../fast-json.js';

/** A 64-bit number: a bigint where a number would not be exact. */
export type Long = number | bigint;
/** What a body may come as: frames give bytes, config files give text. */
export type BodyText = Buffer | string | null;
export type JsonObject = Readonly<Record<string, unknown>>;

const LONG_MAX = 0x7fff_ffff_ffff_ffffn;
const LONG_MIN = -0x8000_0000_0000_0000n;
const WHOLE_NUMBER = /^-?\d{1,20}$/;

export function encodeJsonBody(value: unknown): Buffer {
  return Buffer.from(stringifyFastJson(value), 'utf8');
}

/** The body as an object; a missing or empty body and the text `null` are an object without members. */
export function parseJsonBody(body: BodyText): JsonObject {
  if (body === null || body.length === 0) return {};
  let value: unknown;
  try {
    value = parseFastJson(typeof body === 'string' ? body : body.toString('utf8'));
  } catch (error) {
    if (!isCometError(error, 'JSON_INVALID')) throw error;
    throw cometError('PROTOCOL_BODY_INVALID', error.message, error);
  }
  return value === null ? {} : objectOf(value, 'the body');
}

export function objectOf(value: unknown, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (!(value instanceof FastJsonMap)) return value as JsonObject;
    return Object.fromEntries([...value].map(([key, member]) => [String(key), member]));
  }
  throw invalid(what, 'no object');
}

/** Text, or null when absent; numbers and booleans become text. */
export function textMember(object: JsonObject, name: string): string | null {
  const value = object[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') throw invalid(name, 'no text');
  return String(value);
}

export function textMemberOr(object: JsonObject, name: string, absent: string): string {
  return textMember(object, name) ?? absent;
}

export function intMember(object: JsonObject, name: string, absent = 0): number {
  const value = longMember(object, name, absent);
  if (value !== (Number(value) | 0)) throw invalid(name, 'no 32-bit number');
  return value;
}

/** A 64-bit number that is a safe integer; for times and counters, where others make no sense. */
export function safeLongMember(object: JsonObject, name: string, absent = 0): number {
  const value = longMember(object, name, absent);
  if (typeof value === 'bigint') throw invalid(name, 'outside the usable numbers');
  return value;
}

export function longMember(object: JsonObject, name: string, absent: Long = 0): Long {
  const value = object[name];
  return value === undefined || value === null ? absent : longOf(value, name);
}

export function longOf(value: unknown, what: string): Long {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  let exact: bigint;
  if (typeof value === 'bigint') exact = value;
  else if (typeof value === 'string' && WHOLE_NUMBER.test(value)) exact = BigInt(value);
  else throw invalid(what, 'no whole number');
  if (exact > LONG_MAX || exact < LONG_MIN) throw invalid(what, 'no 64-bit number');
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : exact;
}

/** As safeLongMember, for list items and map keys. */
export function safeLongOf(value: unknown, what: string): number {
  const number = longOf(value, what);
  if (typeof number === 'bigint') throw invalid(what, 'outside the usable numbers');
  return number;
}

export function doubleMember(object: JsonObject, name: string, absent = 0): number {
  const value = object[name];
  if (value === undefined || value === null) return absent;
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number) || typeof value === 'object') throw invalid(name, 'no number');
  return number;
}

export function booleanMember(object: JsonObject, name: string, absent = false): boolean {
  const value = object[name];
  if (value === undefined || value === null) return absent;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1) return true;
  if (value === 'false' || value === 0) return false;
  throw invalid(name, 'neither true nor false');
}

/** One of the names, which come in the order of Java's ordinals; what is not among them counts as absent. */
export function enumMember<Name extends string, Absent extends Name | null>(
  object: JsonObject,
  name: string,
  names: readonly Name[],
  absent: Absent,
): Name | Absent {
  const value = object[name];
  const known = typeof value === 'number' ? names[value] : names.find((it) => it === value);
  return known ?? absent;
}

/** Empty when absent. */
export function listMember<Item>(
  object: JsonObject,
  name: string,
  read: (item: unknown, what: string) => Item,
): Item[] {
  const value = object[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(name, 'no list');
  return value.map((item) => read(item, name));
}

/** The entries of a Java map, whatever its keys are; empty when absent. */
export function entriesMember(object: JsonObject, name: string): [unknown, unknown][] {
  return entriesOf(object[name], name);
}

export function entriesOf(value: unknown, what: string): [unknown, unknown][] {
  if (value === undefined || value === null) return [];
  if (value instanceof FastJsonMap) return [...value];
  return Object.entries(objectOf(value, what));
}

/** A map with text keys. */
export function mapMember<Value>(
  object: JsonObject,
  name: string,
  read: (value: unknown, what: string) => Value,
): Map<string, Value> {
  return new Map(
    entriesMember(object, name).map(([key, value]) => [String(key), read(value, name)]),
  );
}

export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'object') throw invalid(what, 'no text');
  return String(value);
}

export function intOf(value: unknown, what: string): number {
  const number = longOf(value, what);
  if (number !== (Number(number) | 0)) throw invalid(what, 'no 32-bit number');
  return number;
}

export function invalid(what: string, why: string) {
  return cometError('PROTOCOL_BODY_INVALID', `${what} is ${why}`);
}
