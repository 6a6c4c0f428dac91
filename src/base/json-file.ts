// Room: base. Main thread. Config tables on disk that survive a power cut at any moment. A write goes to <path>.tmp and is
// synced; the file that was there stays as <path>.bak; the new one takes its name; the directory is synced.
// Always holds: at every moment <path> or <path>.bak is a whole file that was written once. Nothing is ever deleted first.

import { readFileSync } from 'node:fs';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cometError } from './errors.js';

/** Writes of the same path follow one another; the last one asked for is the last one on disk. */
const writing = new Map<string, Promise<void>>();

/**
 * Replaces a file whole. Rejects with FILE_IO (cause: the system's error); the old file is then still in place. A mode is for files
 * that not everybody may read.
 */
export function writeFileAtomic(path: string, text: string, mode?: number): Promise<void> {
  const before = writing.get(path);
  const write = () => replaceFile(path, text, mode);
  const done = before === undefined ? write() : before.then(write, write);
  writing.set(path, done);
  const forget = () => {
    if (writing.get(path) === done) writing.delete(path);
  };
  done.then(forget, forget);
  return done;
}

/**
 * The text of the file, or of its backup when the file is missing or not acceptable; null when neither exists.
 * Throws CONFIG_FILE_DAMAGED when something exists but nothing of it is acceptable: a damaged table must never start as an
 * empty one. `accept` should parse; without it a text counts that has a printable character and no NUL.
 */
export function readFileWithBackup(
  path: string,
  accept: (text: string) => boolean = looksWritten,
): string | null {
  let anyExists = false;
  for (const candidate of [path, `${path}.bak`]) {
    const text = readIfExists(candidate);
    if (text === null) continue;
    anyExists = true;
    if (accept(text)) return text;
  }
  if (anyExists) throw cometError('CONFIG_FILE_DAMAGED', path);
  return null;
}

async function replaceFile(path: string, text: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.tmp`;
    await writeSynced(temporary, text, mode);
    await keepAsBackup(path);
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw cometError('FILE_IO', `${path} could not be replaced`, error);
  }
}

async function writeSynced(path: string, text: string, mode: number | undefined): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    // One that a crash left there keeps its mode.
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The present file gets a second name, then that name replaces the old backup in one step. */
async function keepAsBackup(path: string): Promise<void> {
  const fresh = `${path}.bak.tmp`;
  await unlinkIfExists(fresh);
  try {
    await link(path, fresh);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await rename(fresh, `${path}.bak`);
  await unlinkIfExists(fresh);
}

async function unlinkIfExists(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw cometError('FILE_IO', `${path} could not be read`, error);
  }
}

function looksWritten(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
