// Room: base. Any thread. Java's .properties text: read with the line of each pair, written so that Java reads back the same.
// Files are latin1, as Properties.load takes them; everything else goes through \uXXXX. Parsing is dot-properties' work.
// Always holds: replacing values keeps comments, order and all other lines of a file.

import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type Node, type Pair, parseLines } from 'dot-properties';
import { cometError } from './errors.js';
import { writeFileAtomic } from './json-file.js';

export interface PropertyLine {
  readonly name: string;
  readonly value: string;
  /** Counted from 1. */
  readonly line: number;
}

/** The pairs of a text in their order; as in Java a later one of the same name wins. */
export function parseProperties(text: string): PropertyLine[] {
  const pairs: PropertyLine[] = [];
  let line = 1;
  let position = 0;
  for (const node of parseLines(text, true)) {
    if (!isPair(node)) continue;
    const start = node.range[0];
    for (; position < start; position++) if (text[position] === '\n') line++;
    pairs.push({ name: node.key, value: node.value, line });
  }
  return pairs;
}

/** Reads a file as Java does; throws CONFIG_INVALID when there is none. */
export function readPropertiesFile(path: string): PropertyLine[] {
  return parseProperties(readLatin1(path));
}

/** `name=value\n`, with what Java would misread escaped; ordinary values come out as Java writes them. */
export function formatProperty(name: string, value: string): string {
  return `${name}=${escapeValue(value)}\n`;
}

/** The text with some values replaced where they stand; names that it lacks are added at the end. */
export function replaceValues(text: string, values: ReadonlyMap<string, string>): string {
  const left = new Map(values);
  let result = '';
  let copied = 0;
  for (const node of parseLines(text, true)) {
    if (!isPair(node)) continue;
    const value = values.get(node.key);
    if (value === undefined) continue;
    const [start, , , end] = node.range;
    result += text.slice(copied, start) + formatProperty(node.key, value).slice(0, -1);
    copied = end;
    left.delete(node.key);
  }
  result += text.slice(copied);
  if (result !== '' && !result.endsWith('\n')) result += '\n';
  for (const [name, value] of left) result += formatProperty(name, value);
  return result;
}

/** Replaces values in a file, which need not exist yet; the old file stays as .bak. */
export async function updatePropertiesFile(
  path: string,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  await writeFileAtomic(path, replaceValues(readForRewrite(path), values));
}

function escapeValue(value: string): string {
  const escaped = value
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
    .replace(/\f/g, '\\f')
    .replace(/[^\x20-\x7e]/g, escapeUnit);
  return escaped.startsWith(' ') ? `\\${escaped}` : escaped;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function readLatin1(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    throw cometError('CONFIG_INVALID', `${path} can not be read (${reasonOf(error)})`, error);
  }
}

/** As UTF-8 when it is, so that its comments are written back byte for byte; else latin1 with escapes, which mean the same. */
function readForRewrite(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (isUtf8(bytes)) return bytes.toString('utf8');
    return bytes.toString('latin1').replace(/[^\n\r\t\x20-\x7e]/g, escapeUnit);
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return '';
    throw cometError('FILE_IO', `${path} can not be read`, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function isPair(node: Required<Node>): node is Required<Pair> {
  return node.type === 'PAIR';
}
