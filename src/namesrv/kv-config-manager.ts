// Room: namesrv. Main thread. Settings by namespace and key, kept in kvConfig.json in Java's form. Java's KVConfigManager.
// Always holds: a change is answered only when it is on disk; what could not be kept is not in the table either; a damaged file is
// never taken for an empty one.

import { cometError } from '../base/errors.js';
import { readFileWithBackup, writeFileAtomic } from '../base/json-file.js';
import { stringifyFastJson } from '../protocol/fast-json.js';

export const NAMESPACE_ORDER_TOPIC_CONFIG = 'ORDER_TOPIC_CONFIG';

type Table = Map<string, Map<string, string>>;

export class KVConfigManager {
  readonly #path: string;
  #table: Table = new Map();
  /** Changes follow one another, so that each is made to what the one before left. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws CONFIG_FILE_DAMAGED when neither the file nor its backup can be read. */
  load(): void {
    const text = readFileWithBackup(this.#path, (candidate) => parseTable(candidate) !== null);
    if (text !== null) this.#table = parseTable(text) ?? new Map();
  }

  get(namespace: string, key: string): string | null {
    return this.#table.get(namespace)?.get(key) ?? null;
  }

  namespace(namespace: string): ReadonlyMap<string, string> | null {
    return this.#table.get(namespace) ?? null;
  }

  put(namespace: string, key: string, value: string): Promise<void> {
    return this.#change((table) => {
      const values = table.get(namespace);
      if (values === undefined) table.set(namespace, new Map([[key, value]]));
      else values.set(key, value);
    });
  }

  delete(namespace: string, key: string): Promise<void> {
    return this.#change((table) => {
      table.get(namespace)?.delete(key);
    });
  }

  #change(edit: (table: Table) => void): Promise<void> {
    const change = async () => {
      const next: Table = new Map();
      for (const [namespace, values] of this.#table) next.set(namespace, new Map(values));
      edit(next);
      await writeFileAtomic(this.#path, stringifyFastJson({ configTable: next }));
      this.#table = next;
    };
    const done = this.#last.then(change, change);
    this.#last = done.catch(() => {});
    return done;
  }
}

function parseTable(text: string): Table | null {
  try {
    const { configTable } = JSON.parse(text) as { configTable?: Record<string, unknown> };
    const table: Table = new Map();
    for (const [namespace, values] of Object.entries(configTable ?? {})) {
      table.set(namespace, new Map(Object.entries(values as Record<string, string>)));
    }
    return table;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw cometError('CONFIG_FILE_DAMAGED', 'kvConfig.json', error);
  }
}
