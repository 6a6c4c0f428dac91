// Room: broker, main thread. Where ACL files are (protocol.md 10.1): <home>/conf/plain_acl.yml and every *.yml and *.yaml below
// <home>/conf/acl, but tools.yml, which is for the admin tool. Reads only.
// Always holds: the default file comes last, so that an account that stands in two files is the other file's, as in Java.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Paths with their texts, in the order in which they count. */
export type AclTexts = ReadonlyMap<string, string>;

export class AclFolder {
  readonly defaultFile: string;
  readonly #folder: string;

  constructor(rocketmqHome: string) {
    this.defaultFile = resolve(rocketmqHome, 'conf', 'plain_acl.yml');
    this.#folder = resolve(rocketmqHome, 'conf', 'acl');
  }

  readSync(): AclTexts {
    const texts = new Map<string, string>();
    const names = orNothing(() => readdirSync(this.#folder, { recursive: true, encoding: 'utf8' }));
    for (const path of this.#paths(names ?? [])) {
      const text = orNothing(() => readFileSync(path, 'utf8'));
      if (text !== null) texts.set(path, text);
    }
    return texts;
  }

  async read(): Promise<AclTexts> {
    const texts = new Map<string, string>();
    const options = { recursive: true, encoding: 'utf8' } as const;
    const names = await readdir(this.#folder, options).catch(nothing);
    for (const path of this.#paths(names ?? [])) {
      const text = await readFile(path, 'utf8').catch(nothing);
      if (text !== null) texts.set(path, text);
    }
    return texts;
  }

  /** In the order in which they count. */
  compare = (a: string, b: string): number => {
    const last = Number(a === this.defaultFile) - Number(b === this.defaultFile);
    return last !== 0 ? last : a < b ? -1 : Number(a > b);
  };

  #paths(names: readonly string[]): string[] {
    const paths = names
      .filter((name) => /\.ya?ml$/.test(name) && !/(^|[/\\])tools\.yml$/.test(name))
      .map((name) => join(this.#folder, name));
    return [...paths, this.defaultFile].sort(this.compare);
  }
}

/** Whether others than the owner may read it. */
export function isReadableByOthers(path: string): boolean {
  const stats = orNothing(() => statSync(path));
  return stats !== null && (stats.mode & 0o077) !== 0;
}

function orNothing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    return nothing(error);
  }
}

/** A file that is not there, or is a folder with a file's name; anything else is the operator's to see. */
function nothing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
  throw error;
}
