// Room: protocol. Any thread. The JSON form of a frame's header (protocol.md 1.2). Written as Java writes it: keys in
// alphabetical order, no nulls, fields in HashMap order. Read leniently as Java reads it: unknown keys are skipped, numbers
// may come as text, field values may come as numbers or booleans.

import { cometError, isCometError } from '../base/errors.js';
import { orderedExtFields } from './ext-fields-order.js';
import { parseFastJson, stringifyFastJson } from './fast-json.js';
import { quoteFastJson } from './json-text.js';
import { LanguageCode, languageCode, languageName } from './language-code.js';
import { type RemotingCommand, SerializeType } from './remoting-command.js';

export function encodeJsonHeader(command: RemotingCommand): string {
  const { code, extFields, flag, language, opaque, remark, version } = command;
  let text = `{"code":${code}`;
  if (extFields !== null) {
    text += ',"extFields":{';
    const names = orderedExtFields(command);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      if (i > 0) text += ',';
      text += quotedName(name) + quoteFastJson(extFields[name] as string);
    }
    text += '}';
  }
  text += `,"flag":${flag},"language":"${languageName(language)}","opaque":${opaque}`;
  if (remark !== null) text += `,"remark":${quoteFastJson(remark)}`;
  return `${text},"serializeTypeCurrentRPC":"JSON","version":${version}}`;
}

/** Field names are few and come again and again; the first ones are remembered with their quotes and colon. */
const quotedNames = new Map<string, string>();
const MAX_QUOTED_NAMES = 512;

function quotedName(name: string): string {
  let quoted = quotedNames.get(name);
  if (quoted === undefined) {
    quoted = `${quoteFastJson(name)}:`;
    if (quotedNames.size < MAX_QUOTED_NAMES && name.length <= 64) quotedNames.set(name, quoted);
  }
  return quoted;
}

/** Throws PROTOCOL_HEADER_INVALID. */
export function decodeJsonHeader(text: string, body: Buffer | null): RemotingCommand {
  const header = parseHeader(text, true);
  return {
    code: intMember(header, 'code'),
    language: languageMember(header['language']),
    version: intMember(header, 'version'),
    opaque: intMember(header, 'opaque'),
    flag: intMember(header, 'flag'),
    remark: remarkMember(header['remark']),
    extFields: extFieldsMember(header['extFields'], text),
    body,
    serializeType: SerializeType.JSON,
  };
}

type JsonObject = Record<string, unknown>;

/** The platform's parser is the fast way; fastjson's dialect and exact big numbers are the second. */
function parseHeader(text: string, standard: boolean): JsonObject {
  let header: unknown;
  try {
    header = standard ? JSON.parse(text) : parseFastJson(text);
  } catch (error) {
    if (standard) return parseHeader(text, false);
    if (!isCometError(error)) throw error;
    throw cometError('PROTOCOL_HEADER_INVALID', error.message, error);
  }
  if (!isObject(header)) throw cometError('PROTOCOL_HEADER_INVALID', 'it is no JSON object');
  return header;
}

function intMember(header: JsonObject, name: string): number {
  const value = header[name];
  if (value === undefined || value === null) return 0;
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || number !== (number | 0)) {
    throw cometError('PROTOCOL_HEADER_INVALID', `${name} is no int`);
  }
  return number | 0;
}

function languageMember(value: unknown): number {
  if (typeof value === 'string') return languageCode(value);
  return typeof value === 'number' && Number.isInteger(value) ? value : LanguageCode.OTHER;
}

function remarkMember(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : fieldText(value);
}

function extFieldsMember(value: unknown, text: string): Record<string, string> | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw cometError('PROTOCOL_HEADER_INVALID', 'extFields is no object');
  for (const name in value) {
    if (typeof value[name] !== 'string') return stringifiedFields(value, text);
  }
  return value as Record<string, string>;
}

/** Values that are no strings become what Java's toString gives; nulls vanish; big numbers are read again to keep each digit. */
function stringifiedFields(fields: JsonObject, text: string): Record<string, string> {
  let source = fields;
  if (Object.values(fields).some((value) => isInexact(value))) {
    const exact = parseHeader(text, false)['extFields'];
    if (isObject(exact)) source = exact;
  }
  const strings: [string, string][] = [];
  for (const [name, value] of Object.entries(source)) {
    if (value !== null) strings.push([name, typeof value === 'string' ? value : fieldText(value)]);
  }
  return Object.fromEntries(strings);
}

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

function fieldText(value: unknown): string {
  return typeof value === 'object' ? stringifyFastJson(value) : String(value);
}

function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
  );
}
