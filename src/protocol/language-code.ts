// Room: protocol. Any thread. Which implementation a peer is (protocol.md 1.4): a name in JSON headers, a byte in ROCKETMQ ones.

export const LanguageCode = {
  JAVA: 0,
  CPP: 1,
  DOTNET: 2,
  PYTHON: 3,
  DELPHI: 4,
  ERLANG: 5,
  RUBY: 6,
  OTHER: 7,
  HTTP: 8,
  GO: 9,
  PHP: 10,
  OMS: 11,
  RUST: 12,
} as const;

export type LanguageName = keyof typeof LanguageCode;

const NAMES = Object.keys(LanguageCode) as LanguageName[];
const CODES: ReadonlyMap<string, number> = new Map(Object.entries(LanguageCode));

/** OTHER for a code that has no name. */
export function languageName(code: number): LanguageName {
  return NAMES[code] ?? 'OTHER';
}

/** OTHER for a name that is not known: Java makes it null there and fails later. */
export function languageCode(name: string): number {
  return CODES.get(name) ?? LanguageCode.OTHER;
}
