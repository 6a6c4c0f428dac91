// Room: base. Main thread. Configuration over the wire (codes 25, 26, 318, 319): what may change in a running process, how its
// text is read, and how the whole is written back.
// Always holds: an update is taken whole or not at all; nothing outside the table's 'hot' and 'restart' rows ever changes
// (CVE-2023-33246, CVE-2023-37582), and what is answered as taken is in the file and can be read back exactly.

import type { PropertyValue } from './config-property.js';
import { type ConfigObject, nearestName, type Schema } from './config-schema.js';
import { formatProperty, parseProperties, updatePropertiesFile } from './properties-file.js';

/** Java's tools send values unescaped: what looks like no escape was none, and must not lose its backslash in silence. */
const UNCLEAR_ESCAPE = /(?<!\\)(?:\\\\)*\\(?![\\nrtf :=#!\r\n]|u[0-9a-fA-F]{4})/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL = /[\x00-\x1f\x7f]/;

export type UpdateOutcome =
  | {
      readonly ok: true;
      /** In force now. */
      readonly changed: readonly string[];
      /** In the file, in force after a restart. */
      readonly needRestart: readonly string[];
    }
  | { readonly ok: false; readonly reason: 'invalid' | 'forbidden'; readonly remark: string };

export interface ConfigurationOptions {
  readonly schema: Schema;
  readonly config: object;
  /** Null keeps nothing: the process was started without a file. */
  readonly file: string | null;
  readonly onChange?: (names: readonly string[]) => void;
}

export class Configuration {
  readonly #schema: Schema;
  readonly #config: ConfigObject;
  readonly #file: string | null;
  readonly #onChange: (names: readonly string[]) => void;
  /** Values that wait for the restart; read back as the new ones. */
  readonly #pending = new Map<string, PropertyValue>();

  constructor({ schema, config, file, onChange }: ConfigurationOptions) {
    this.#schema = schema;
    this.#config = config as ConfigObject;
    this.#file = file;
    this.#onChange = onChange ?? (() => {});
  }

  /** All properties that have a value, as Java's object2Properties text. */
  text(): string {
    let text = '';
    for (const name of Object.keys(this.#schema)) {
      const value = this.#pending.has(name) ? this.#pending.get(name) : this.#config[name];
      const field = this.#schema[name]?.field ?? name;
      const isSecret = name.endsWith('Password');
      if (value !== null && value !== undefined && !isSecret) {
        text += formatProperty(field, String(value));
      }
    }
    return text;
  }

  /** Checks everything, then keeps it in the file, then changes the running values. Rejects with FILE_IO, nothing changed. */
  async update(text: string): Promise<UpdateOutcome> {
    const values = new Map<string, PropertyValue>();
    const texts = new Map<string, string>();
    if (UNCLEAR_ESCAPE.test(text)) {
      const remark = 'a backslash that starts no escape: write it twice';
      return { ok: false, reason: 'invalid', remark };
    }
    for (const { name, value } of parseProperties(text)) {
      const refusal = this.#check(name, value, values);
      if (refusal !== null) return refusal;
      if (values.has(name)) texts.set(name, value);
    }
    if (this.#file !== null && texts.size > 0) await updatePropertiesFile(this.#file, texts);
    return this.#apply(values);
  }

  #check(
    name: string,
    text: string,
    values: Map<string, PropertyValue>,
  ): (UpdateOutcome & { ok: false }) | null {
    const property = Object.hasOwn(this.#schema, name) ? this.#schema[name] : undefined;
    if (property === undefined) {
      const near = nearestName(this.#schema, name);
      const hint = near === null ? '' : `, did you mean ${near}?`;
      return { ok: false, reason: 'invalid', remark: `unknown property ${name}${hint}` };
    }
    const value = property.parse(text);
    if (value === undefined || CONTROL.test(text)) {
      const remark = `${name} must be ${property.expects}, not "${text}"`;
      return { ok: false, reason: 'invalid', remark };
    }
    const now = this.#pending.has(name) ? this.#pending.get(name) : this.#config[name];
    if (value === now) return null;
    if (property.change === undefined || property.change === 'never') {
      const remark = `${name} can not be updated while the process runs`;
      return { ok: false, reason: 'forbidden', remark };
    }
    values.set(name, value);
    return null;
  }

  #apply(values: ReadonlyMap<string, PropertyValue>): UpdateOutcome {
    const changed: string[] = [];
    const needRestart: string[] = [];
    for (const [name, value] of values) {
      if (this.#schema[name]?.change === 'hot') {
        this.#config[name] = value;
        changed.push(name);
      } else {
        this.#pending.set(name, value);
        needRestart.push(name);
      }
    }
    if (changed.length > 0) this.#onChange(changed);
    return { ok: true, changed, needRestart };
  }
}
