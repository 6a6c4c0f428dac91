// Room: filter. Any thread. What the broker keeps about the expression of one group on one topic, and its shape in
// consumerFilter.json (storage 10), which is also the shape in which a row goes to the dispatch worker.
// Always holds: compiledExpression is null only when the text came from the file and can not be compiled here.

import { cometError } from '../base/errors.js';
import type { BloomFilter, BloomFilterData } from './bloom-filter.js';
import type { CompiledExpression } from './compile-sql92.js';
import { FilterExpressionError } from './filter-expression-error.js';

export const SQL92 = 'SQL92';
const TAG = 'TAG';

/** At load a filter that was alive counts as dead since this long: nobody is connected yet. */
const DEAD_AT_LOAD_MS = 30_000;

/** Plain data: crosses threads and is what the file holds. */
export interface ConsumerFilterRow {
  readonly topic: string;
  readonly consumerGroup: string;
  readonly expression: string;
  readonly expressionType: string;
  readonly bornTime: number;
  /** 0 while the group is subscribed. */
  deadTime: number;
  readonly bloomFilterData: BloomFilterData | null;
  /** The subVersion of the subscription that brought it. */
  clientVersion: number;
}

export interface ConsumerFilterData extends ConsumerFilterRow {
  readonly compiledExpression: CompiledExpression | null;
}

export type CompileExpression = (expression: string) => CompiledExpression;
/** Topic, then group. */
export type FilterDataByTopic = Map<string, Map<string, ConsumerFilterData>>;

/** Tag subscriptions have no filter data. */
export function isTagType(expressionType: string | null | undefined): boolean {
  return !expressionType || expressionType === TAG;
}

export function isDead({ deadTime, bornTime }: ConsumerFilterRow): boolean {
  return deadTime >= bornTime;
}

/** Whether the filter was there when a message was stored, so that the message's bitmap knows of it. */
export function isMessageInLive({ bornTime }: ConsumerFilterRow, storeTimestamp: number): boolean {
  return storeTimestamp > bornTime;
}

/** Null when the type is none we know or the expression is refused. */
export function compileOrNull(
  { expression, expressionType }: Pick<ConsumerFilterRow, 'expression' | 'expressionType'>,
  compile: CompileExpression,
): CompiledExpression | null {
  if (expressionType !== SQL92) return null;
  try {
    return compile(expression);
  } catch (error) {
    if (error instanceof FilterExpressionError) return null;
    throw error;
  }
}

/** The text of consumerFilter.json in small pieces, as Java's fastjson lays it out. */
export function* encodeConsumerFilters(
  topics: ReadonlyMap<string, ReadonlyMap<string, ConsumerFilterRow>>,
): Generator<string> {
  yield '{\n\t"filterDataByTopic":{';
  let topicBreak = '\n';
  for (const [topic, groups] of topics) {
    yield `${topicBreak}\t\t${JSON.stringify(topic)}:{\n\t\t\t"groupFilterData":{`;
    topicBreak = ',\n';
    let groupBreak = '\n';
    for (const [group, row] of groups) {
      const text = encodeConsumerFilter(row, '\t\t\t\t');
      yield `${groupBreak}\t\t\t\t${JSON.stringify(group)}:${text}`;
      groupBreak = ',\n';
    }
    yield `${groups.size > 0 ? '\n\t\t\t' : ''}},\n\t\t\t"topic":${JSON.stringify(topic)}\n\t\t}`;
  }
  yield `${topics.size > 0 ? '\n\t' : ''}}\n}`;
}

/** One row as fastjson lays it out, each line but the first behind the given indent. */
export function encodeConsumerFilter(row: ConsumerFilterRow, indent = ''): string {
  const { bloomFilterData: bloom } = row;
  const inside = `\n${indent}\t`;
  const fields = [
    `"bornTime":${row.bornTime}`,
    `"clientVersion":${row.clientVersion}`,
    `"consumerGroup":${JSON.stringify(row.consumerGroup)}`,
    `"dead":${isDead(row)}`,
    `"deadTime":${row.deadTime}`,
    `"expression":${JSON.stringify(row.expression)}`,
    `"expressionType":${JSON.stringify(row.expressionType)}`,
    `"topic":${JSON.stringify(row.topic)}`,
  ];
  if (bloom !== null) {
    const bits = `${inside}\t"bitNum":${bloom.bitNum},${inside}\t"bitPos":[${bloom.bitPos.join(',')}]`;
    fields.unshift(`"bloomFilterData":{${bits}${inside}}`);
  }
  return `{${inside}${fields.join(`,${inside}`)}\n${indent}}`;
}

export type LoadedConsumerFilters =
  | { readonly kind: 'loaded'; readonly topics: FilterDataByTopic }
  /** The file was written with other bloom settings: nothing of it is used. */
  | { readonly kind: 'bloomFilterChanged' };

/** Throws JSON_INVALID for what is no file of ours or Java's, so that the caller turns to the backup. */
export function decodeConsumerFilters(
  text: string,
  bloomFilter: BloomFilter,
  compile: CompileExpression,
  nowMs: number,
): LoadedConsumerFilters {
  const topics: FilterDataByTopic = new Map();
  for (const [topic, entry] of members(members(parseJson(text)).get('filterDataByTopic'))) {
    const groups = new Map<string, ConsumerFilterData>();
    for (const [group, value] of members(members(entry).get('groupFilterData'))) {
      if (value === null) continue;
      const row = decodeRow(members(value));
      if (!bloomFilter.isValid(row.bloomFilterData)) return { kind: 'bloomFilterChanged' };
      if (row.deadTime === 0) row.deadTime = Math.max(row.bornTime, nowMs - DEAD_AT_LOAD_MS);
      groups.set(group, { ...row, compiledExpression: compileOrNull(row, compile) });
    }
    topics.set(topic, groups);
  }
  return { kind: 'loaded', topics };
}

type Members = ReadonlyMap<string, unknown>;

function decodeRow(row: Members): ConsumerFilterRow {
  return {
    topic: textMember(row, 'topic'),
    consumerGroup: textMember(row, 'consumerGroup'),
    expression: textMember(row, 'expression'),
    expressionType: textMember(row, 'expressionType'),
    bornTime: numberMember(row, 'bornTime'),
    deadTime: numberMember(row, 'deadTime'),
    bloomFilterData: decodeBloom(row.get('bloomFilterData')),
    clientVersion: numberMember(row, 'clientVersion'),
  };
}

function decodeBloom(value: unknown): BloomFilterData | null {
  const bloom = members(value);
  const bitNum = bloom.get('bitNum');
  const bitPos = bloom.get('bitPos');
  if (typeof bitNum !== 'number' || !Array.isArray(bitPos)) return null;
  const isPosition = (one: unknown): one is number =>
    Number.isInteger(one) && (one as number) >= 0 && (one as number) < bitNum;
  return bitPos.every(isPosition) ? { bitNum, bitPos } : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw cometError('JSON_INVALID', 'consumerFilter.json', error);
  }
}

/** The members of an object; none of what is absent or null. */
function members(value: unknown): Members {
  if (value === undefined || value === null) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw cometError('JSON_INVALID', 'consumerFilter.json has a value where an object belongs');
  }
  return new Map(Object.entries(value));
}

function textMember(row: Members, name: string): string {
  const value = row.get(name);
  if (typeof value === 'string') return value;
  throw cometError('JSON_INVALID', `consumerFilter.json has an entry without ${name}`);
}

/** Absent is 0, as for a field of a Java object that the file does not name. */
function numberMember(row: Members, name: string): number {
  const value = row.get(name) ?? 0;
  if (typeof value === 'number') return value;
  throw cometError('JSON_INVALID', `consumerFilter.json has a ${name} that is no number`);
}
