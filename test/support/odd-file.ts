// Test support: the odd states of a store's file that R8 names (reliability tests and their unit size).

import { mkdirSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';

export const FILE_STATES = [
  'missing',
  'empty',
  'half',
  'longer',
  'foreign',
  'subdirectory',
] as const;

export type FileState = (typeof FILE_STATES)[number];

/** The path of what is odd now: the file, or the stranger beside it. */
export function makeOdd(path: string, state: FileState): string {
  const { size } = statSync(path);
  if (state === 'missing') unlinkSync(path);
  else if (state === 'empty') truncateSync(path, 0);
  else if (state === 'half') truncateSync(path, size / 2);
  else if (state === 'longer') truncateSync(path, size + 4096);
  else if (state === 'foreign') {
    writeFileSync(`${path}.bak`, 'notes');
    return `${path}.bak`;
  } else {
    mkdirSync(`${path}.d`);
    return `${path}.d`;
  }
  return path;
}
