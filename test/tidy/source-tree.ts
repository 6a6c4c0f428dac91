// The tree of source and test files, for the tests of style.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths from the root, with slashes, of all .ts files below a folder; generated ones are not ours to judge. */
export function sourceFiles(folder: string, ending = /\.ts$/): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .filter((path) => ending.test(path) && !/\.generated\.|\/out\//.test(path))
    .sort();
}

/** Functions, methods and arrow functions with a name, told by the indentation that the formatter gives them. */
export function functionsOf(text: string): { name: string; lineCount: number }[] {
  const lines = text.split('\n');
  const starts = [
    { pattern: /^(?:export )?(?:async )?function\*? ?(\w+)/, ends: ['}'] },
    { pattern: /^(?:export )?const (\w+) = .*(?:=> \{|\($)/, ends: ['};', ')'] },
    { pattern: /^ {2}(?! )(?!return|if|for|while|switch)[\w #*]*?([\w#]+)\(/, ends: ['  }'] },
  ];
  return lines.flatMap((line, start) =>
    starts.flatMap(({ pattern, ends }) => {
      const name = pattern.exec(line)?.[1];
      if (name === undefined || /[;}]$/.test(line)) return [];
      const indent = /^ */.exec(line)?.[0].length ?? 0;
      const end = lines.findIndex(
        (it, at) =>
          at > start && it.trim() !== '' && it.search(/\S/) <= indent && !/^ *[)\]]/.test(it),
      );
      return ends.includes(lines[end] ?? '') ? [{ name, lineCount: end - start + 1 }] : [];
    }),
  );
}

export function readSource(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Any text file, by its path from the root. */
export const readDocument = readSource;

/** The rows of the Markdown table whose first column has the title; each a list of its cells. */
export function tableRows(markdown: string, title: string): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => cellsOf(line)[0] === title);
  if (start < 0) throw new Error(`no table "${title}"`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map(cellsOf);
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The modules that a file names in imports and re-exports, as they stand there. */
export function importsOf(text: string): string[] {
  const pattern = /^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*['"]([^'"]+)['"]/gms;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  return [...text.matchAll(pattern), ...text.matchAll(dynamic)].map((match) => match[1] ?? '');
}

/** The path from the root of a relative import. */
export function resolveImport(from: string, specifier: string): string {
  return relative(ROOT, join(ROOT, from, '..', specifier))
    .split(sep)
    .join('/');
}
