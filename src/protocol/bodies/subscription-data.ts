// Room: protocol. Any thread. What a group wants of a topic (protocol.md 4.6). Tags are kept as text and as Java's hash codes: the
// broker compares codes, the client compares the text again.

import { javaHashCode } from '../../base/java-hash.js';
import {
  booleanMember,
  intOf,
  listMember,
  objectOf,
  safeLongMember,
  textMemberOr,
  textOf,
} from './json-body.js';

export const EXPRESSION_TYPE_TAG = 'TAG';
export const EXPRESSION_TYPE_SQL92 = 'SQL92';
/** Every tag. */
export const SUB_ALL = '*';

export interface SubscriptionData {
  readonly classFilterMode: boolean;
  /** Java's hash code of each tag of tagsSet; empty for everything. */
  readonly codeSet: readonly number[];
  readonly expressionType: string;
  readonly subString: string;
  readonly subVersion: number;
  readonly tagsSet: readonly string[];
  readonly topic: string;
}

/** A subscription by tags ("A || B", "*" or "" for all) or by an SQL92 expression, which the broker parses. */
export function buildSubscriptionData(
  topic: string,
  expression: string | null,
  expressionType: string | null,
  subVersion: number,
): SubscriptionData {
  const type = isTagType(expressionType) ? EXPRESSION_TYPE_TAG : (expressionType as string);
  const subString = expression === null || expression === '' ? SUB_ALL : expression;
  const tags = type === EXPRESSION_TYPE_TAG && subString !== SUB_ALL ? tagsOf(subString) : [];
  return {
    classFilterMode: false,
    codeSet: [...new Set(tags.map(javaHashCode))],
    expressionType: type,
    subString,
    subVersion,
    tagsSet: tags,
    topic,
  };
}

/** Absent and blank count as TAG. */
export function isTagType(expressionType: string | null): boolean {
  return (
    expressionType === null ||
    expressionType.trim() === '' ||
    expressionType === EXPRESSION_TYPE_TAG
  );
}

export function readSubscriptionData(value: unknown, what: string): SubscriptionData {
  const object = objectOf(value, what);
  return {
    classFilterMode: booleanMember(object, 'classFilterMode'),
    codeSet: listMember(object, 'codeSet', intOf),
    expressionType: textMemberOr(object, 'expressionType', EXPRESSION_TYPE_TAG),
    subString: textMemberOr(object, 'subString', SUB_ALL),
    subVersion: safeLongMember(object, 'subVersion'),
    tagsSet: listMember(object, 'tagsSet', textOf),
    topic: textMemberOr(object, 'topic', ''),
  };
}

function tagsOf(expression: string): string[] {
  const tags = expression.split('||').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
