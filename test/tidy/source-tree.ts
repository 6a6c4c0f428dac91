// The tree of source and test files, for the tests of style.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths from the root, with slashes, of all .ts files below a folder; generated ones are not ours to judge. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.ts') && !path.includes('.generated.'))
    .sort();
}

export function readSource(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
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
