// Room: broker, main thread. The texts of config/*.json in Java's pretty form (storage.md 10): tab indent, fields in
// alphabetical order, number keys bare and behind one another, so that a Java broker and a diff see nothing new.
// Pure functions; they give small pieces for PersistedTable.

import type { DataVersion } from '../protocol/bodies/topic-config.js';

type FlatValue = string | number | boolean | null;

/** topics.json and subscriptionGroup.json. */
export function* versionedTablePieces(
  version: DataVersion,
  tableName: string,
  rows: Iterable<readonly [key: string, row: object]>,
): Generator<string> {
  yield `{\n\t"dataVersion":{\n\t\t"counter":${version.counter},\n\t\t"timestamp":${version.timestamp}\n\t},\n`;
  yield `\t"${tableName}":{`;
  let before = '\n';
  for (const [key, row] of rows) {
    yield `${before}\t\t${JSON.stringify(key)}:${flatObjectText(row, '\t\t')}`;
    before = ',\n';
  }
  yield before === '\n' ? '}\n}' : '\n\t}\n}';
}

/** consumerOffset.json: numbers by queue id, by `topic@group`. */
export function* offsetTablePieces(
  rows: Iterable<readonly [key: string, offsets: ReadonlyMap<number, number>]>,
): Generator<string> {
  yield '{\n\t"offsetTable":{';
  let before = '\n';
  for (const [key, offsets] of rows) {
    const text = [...offsets].map(([queueId, offset]) => `${queueId}:${offset}`).join(',');
    yield `${before}\t\t${JSON.stringify(key)}:{${text}${text === '' ? '' : '\n\t\t'}}`;
    before = ',\n';
  }
  yield before === '\n' ? '}\n}' : '\n\t}\n}';
}

/** The same as one line, for code 43. */
export function* compactOffsetPieces(
  rows: Iterable<readonly [key: string, offsets: ReadonlyMap<number, number>]>,
): Generator<string> {
  yield '{"offsetTable":{';
  let before = '';
  for (const [key, offsets] of rows) {
    const text = [...offsets].map(([queueId, offset]) => `${queueId}:${offset}`).join(',');
    yield `${before}${JSON.stringify(key)}:{${text}}`;
    before = ',';
  }
  yield '}}';
}

/** delayOffset.json: numbers by level. */
export function delayOffsetText(offsets: ReadonlyMap<number, number>): string {
  const text = [...offsets].map(([level, offset]) => `${level}:${offset}`).join(',');
  return `{\n\t"offsetTable":{${text}${text === '' ? '' : '\n\t'}}\n}`;
}

function flatObjectText(row: object, indent: string): string {
  const fields = Object.entries(row as Record<string, FlatValue>)
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${indent}\t"${name}":${JSON.stringify(value)}`);
  return `{\n${fields.join(',\n')}\n${indent}}`;
}
