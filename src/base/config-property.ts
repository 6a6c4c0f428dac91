// Room: base. Any thread. The kinds of configuration properties: how each one's text becomes a value and back. Tables of them
// (config-schema-*.ts) are plain data with the names, types and defaults of the Java beans.
// Always holds: parse(print(value)) is the value; a text that is no value of the kind gives null, never a wrong value.

/** What a default may depend on; fixed in tests. */
export interface MachineFacts {
  readonly cpuCount: number;
  readonly hostName: string;
  readonly homeDir: string;
  readonly localAddress: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a running process does with a new value that comes over the wire. */
export type ChangeRule =
  /** Refused: paths, ports, names, roles, switches of security, and whatever nobody has shown to be safe. */
  | 'never'
  /** In force at once. */
  | 'hot'
  /** Kept in the file, in force after a restart. */
  | 'restart';

export type PropertyValue = string | number | boolean | null;

export interface PropertyOptions<V extends PropertyValue> {
  /** Printed by `-m`. */
  readonly important?: boolean;
  readonly change?: ChangeRule;
  /** Read for Java's sake; nothing here depends on it. */
  readonly unused?: boolean;
  /** Java's default where ours is another one; `--java-defaults` brings it back. */
  readonly javaDefault?: V;
  /** The bean's field name where it is not the property's name; `-p` prints it. */
  readonly field?: string;
  readonly min?: number;
  readonly max?: number;
}

export interface Property<V extends PropertyValue> extends PropertyOptions<V> {
  /** As the golden table of the beans names it; for whom to tell what was expected. */
  readonly javaType: string;
  readonly initial: (machine: MachineFacts) => V;
  readonly parse: (text: string) => V | undefined;
  /** "a number from 1 to 10". */
  readonly expects: string;
}

export type PropertyTable = Readonly<Record<string, Property<PropertyValue>>>;

/** The mutable object type that a table describes. */
export type ConfigOf<T extends PropertyTable> = {
  -readonly [K in keyof T]: T[K] extends Property<infer V> ? V : never;
};

type Initial<V> = V | ((machine: MachineFacts) => V);

const INT_MAX = 0x7fff_ffff;
const INT_MIN = -0x8000_0000;

export function int(initial: Initial<number>, options: PropertyOptions<number> = {}) {
  return wholeNumber('int', initial, options, INT_MIN, INT_MAX);
}

/** A Java long; values beyond the safe integers are refused rather than rounded. */
export function long(initial: Initial<number>, options: PropertyOptions<number> = {}) {
  return wholeNumber('long', initial, options, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

/** 0 lets the system choose, as tests do. */
export function port(initial: number, options: PropertyOptions<number> = {}) {
  return int(initial, { min: 0, max: 65_535, ...options });
}

export function bool(initial: boolean, options: PropertyOptions<boolean> = {}): Property<boolean> {
  return {
    ...options,
    javaType: 'boolean',
    initial: () => initial,
    expects: 'true or false',
    parse: (text) => {
      const lower = text.trim().toLowerCase();
      return lower === 'true' ? true : lower === 'false' ? false : undefined;
    },
  };
}

export function text(
  initial: Initial<string>,
  options: PropertyOptions<string> = {},
): Property<string> {
  return {
    ...options,
    javaType: 'String',
    initial: asFunction(initial),
    expects: 'text',
    parse: (value) => value,
  };
}

/** Text that Java leaves null; empty text counts as null, as it means nothing anywhere. */
export function optionalText(
  initial: Initial<string | null> = null,
  options: PropertyOptions<string | null> = {},
): Property<string | null> {
  return {
    ...options,
    javaType: 'String',
    initial: asFunction(initial),
    expects: 'text',
    parse: (value) => (value === '' ? null : value),
  };
}

export function choice<const C extends readonly string[]>(
  javaType: string,
  choices: C,
  initial: C[number],
  options: PropertyOptions<C[number]> = {},
): Property<C[number]> {
  return {
    ...options,
    javaType,
    initial: () => initial,
    expects: choices.join(' or '),
    parse: (value) => choices.find((name) => name === value.trim()),
  };
}

function wholeNumber(
  javaType: string,
  initial: Initial<number>,
  options: PropertyOptions<number>,
  lowest: number,
  highest: number,
): Property<number> {
  const min = options.min ?? lowest;
  const max = options.max ?? highest;
  return {
    ...options,
    javaType,
    initial: asFunction(initial),
    expects: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const trimmed = value.trim();
      if (!/^[+-]?\d{1,19}$/.test(trimmed)) return undefined;
      const number = Number(trimmed);
      return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
    },
  };
}

function asFunction<V>(initial: Initial<V>): (machine: MachineFacts) => V {
  return typeof initial === 'function' ? (initial as (machine: MachineFacts) => V) : () => initial;
}
