// Room: protocol. Any thread. The version in every header is the ordinal of a list in which each release follows its snapshot
// (protocol.md 1.5). The names are needed for display only; the list is derived from its regular shape.

/** 4.9.7, in requests and responses. */
export const CURRENT_VERSION = 407;
export const HIGHER_VERSION = 612;

export const V3_0_7_SNAPSHOT = 28;
/** Below it the body of REGISTER_BROKER is a bare TopicConfigSerializeWrapper. */
export const V3_0_11 = 37;
export const V3_1_8_SNAPSHOT = 62;
/** From it on maxReconsumeTimes of the client is honoured. */
export const V3_4_9 = 121;
export const V4_1_0_SNAPSHOT = 232;
/** From it on GET_ROUTEINFO_BY_TOPIC is answered in standard JSON. */
export const V4_9_4 = 401;

const NAMES: readonly string[] = versionNames();
const ORDINALS: ReadonlyMap<string, number> = new Map(NAMES.map((name, i) => [name, i]));

/** "V4_9_7" for 407; what lies outside the list is HIGHER_VERSION, as in Java. */
export function versionName(ordinal: number): string {
  return NAMES[ordinal] ?? 'HIGHER_VERSION';
}

/** The ordinal of a name, or -1. */
export function versionOrdinal(name: string): number {
  return ORDINALS.get(name) ?? -1;
}

function versionNames(): string[] {
  const names = ['V3_0_0_SNAPSHOT', 'V3_0_0_ALPHA1'];
  for (let beta = 1; beta <= 9; beta++) {
    if (beta >= 6) names.push(`V3_0_0_BETA${beta}_SNAPSHOT`);
    names.push(`V3_0_0_BETA${beta}`);
  }
  names.push('V3_0_0_FINAL');
  for (let major = 3; major <= 5; major++) {
    for (let minor = 0; minor <= 9; minor++) {
      const [first, last] = patchRange(major, minor);
      for (let patch = first; patch <= last; patch++) {
        names.push(`V${major}_${minor}_${patch}_SNAPSHOT`, `V${major}_${minor}_${patch}`);
      }
    }
  }
  names.push('HIGHER_VERSION');
  return names;
}

/** Releases count from 0 to 9, but 3.0 from 1 to 15 and 3.3 to 3.9 from 1. */
function patchRange(major: number, minor: number): [number, number] {
  if (major === 3 && minor === 0) return [1, 15];
  return major === 3 && minor >= 3 ? [1, 9] : [0, 9];
}
