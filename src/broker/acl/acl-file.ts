// Room: broker, main thread. One ACL file as data (protocol.md 10.1): YAML 1.1 as Java's parser reads it, numbers and words like yes taken
// for text where text is meant. Pure.
// Always holds: a file is taken whole or refused; what the refusal says names no secret and quotes no line of the file.

import { LineCounter, parseDocument } from 'yaml';
import { type CometError, cometError } from '../../base/errors.js';
import type { PlainAccessConfig } from '../../protocol/bodies/acl-config.js';
import type { DataVersion } from '../../protocol/bodies/topic-config.js';
import { parsePermission, parseResourcePerms } from './permission.js';
import { type AddressPattern, parseAddressPattern } from './remote-address-pattern.js';

/** Access keys and secret keys are longer than this. */
const MIN_KEY_CHARS = 6;

/** An account, ready to be asked. */
export interface PlainAccount {
  readonly config: PlainAccessConfig;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly isAdmin: boolean;
  readonly isWhite: AddressPattern;
  readonly defaultTopicPerm: number;
  readonly defaultGroupPerm: number;
  readonly resourcePerms: ReadonlyMap<string, number>;
}

export interface AclFile {
  readonly globalWhiteAddrs: readonly string[];
  readonly globalWhite: readonly AddressPattern[];
  readonly accounts: readonly PlainAccount[];
  /** Null when the file has none yet. */
  readonly version: DataVersion | null;
}

/** Null for a file without data. Throws CONFIG_INVALID. */
export function parseAclFile(text: string): AclFile | null {
  const lines = new LineCounter();
  const options = { version: '1.1', prettyErrors: false, intAsBigInt: true } as const;
  const document = parseDocument(text, { ...options, logLevel: 'silent', lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    throw invalid(`${error.code} in line ${lines.linePos(error.pos[0]).line}`);
  }
  const root = rootOf(document);
  if (root === null) return null;
  const globalWhiteAddrs = texts(root['globalWhiteRemoteAddresses'], 'globalWhiteRemoteAddresses');
  return {
    globalWhiteAddrs,
    globalWhite: globalWhiteAddrs.map(parseAddressPattern),
    accounts: list(root['accounts'], 'accounts').map((it, i) => makeAccount(readAccount(it, i))),
    version: readVersion(root['dataVersion']),
  };
}

/** Throws CONFIG_INVALID. */
export function makeAccount(config: PlainAccessConfig): PlainAccount {
  const { accessKey, secretKey } = config;
  if (!isLongKey(accessKey) || !isLongKey(secretKey)) throw invalid(keysFault(config));
  return {
    config,
    accessKey,
    secretKey,
    isAdmin: config.admin,
    isWhite: parseAddressPattern(config.whiteRemoteAddress),
    defaultTopicPerm: parsePermission(config.defaultTopicPerm),
    defaultGroupPerm: parsePermission(config.defaultGroupPerm),
    resourcePerms: parseResourcePerms(config.topicPerms ?? [], config.groupPerms ?? []),
  };
}

export function isLongKey(key: string | null): key is string {
  return key !== null && key.length > MIN_KEY_CHARS;
}

/** Java's text, which has the secret in it; here nobody sees it. */
export function keysFault(keys: Pick<PlainAccessConfig, 'accessKey' | 'secretKey'>): string {
  const secret = maskSecret(keys.secretKey);
  return `The accessKey=${keys.accessKey} and secretKey=${secret} cannot be null and length should longer than 6`;
}

/** So long that no account can be made of it. */
export function maskSecret(secret: string | null): string | null {
  return secret === null ? null : '*'.repeat(MIN_KEY_CHARS);
}

function rootOf(document: ReturnType<typeof parseDocument>): Record<string, unknown> | null {
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw cometError('CONFIG_INVALID', 'its aliases can not be resolved', error);
  }
  if (root === null || root === undefined) return null;
  if (!isObject(root)) throw invalid('it is no map');
  return Object.keys(root).length === 0 ? null : root;
}

function readAccount(value: unknown, index: number): PlainAccessConfig {
  const what = `account ${index + 1}`;
  if (!isObject(value)) throw invalid(`${what} is no map`);
  const member = (name: string) => textOrNull(value[name], `${name} of ${what}`);
  const listMember = (name: string) =>
    value[name] == null ? null : texts(value[name], `${name} of ${what}`);
  return {
    accessKey: member('accessKey'),
    admin: flag(value['admin'], `admin of ${what}`),
    defaultGroupPerm: member('defaultGroupPerm'),
    defaultTopicPerm: member('defaultTopicPerm'),
    groupPerms: listMember('groupPerms'),
    secretKey: member('secretKey'),
    topicPerms: listMember('topicPerms'),
    whiteRemoteAddress: member('whiteRemoteAddress'),
  };
}

function readVersion(value: unknown): DataVersion | null {
  const [first] = list(value, 'dataVersion');
  if (first === undefined) return null;
  if (!isObject(first)) throw invalid('dataVersion is no list of maps');
  const number = (name: string) => {
    const whole = Number(first[name] ?? 0);
    if (!Number.isSafeInteger(whole)) throw invalid(`${name} of dataVersion is no whole number`);
    return whole;
  };
  return { counter: number('counter'), timestamp: number('timestamp') };
}

function flag(value: unknown, what: string): boolean {
  if (value == null || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw invalid(`${what} is neither true nor false`);
}

function list(value: unknown, what: string): readonly unknown[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw invalid(`${what} is no list`);
  return value;
}

function texts(value: unknown, what: string): string[] {
  return list(value, what).map((item) => {
    const text = textOrNull(item, what);
    if (text === null) throw invalid(`${what} has an empty item`);
    return text;
  });
}

function textOrNull(value: unknown, what: string): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value);
    default:
      if (value == null) return null;
      throw invalid(`${what} is no text`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(why: string): CometError {
  return cometError('CONFIG_INVALID', why);
}
