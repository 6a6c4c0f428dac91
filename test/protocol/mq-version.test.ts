import { describe, expect, it } from 'vitest';
import {
  CURRENT_VERSION,
  HIGHER_VERSION,
  versionName,
  versionOrdinal,
} from '../../src/protocol/mq-version.js';

// Ordinals of Java's MQVersion.
const JAVA: readonly (readonly [number, string])[] = [
  [0, 'V3_0_0_SNAPSHOT'],
  [1, 'V3_0_0_ALPHA1'],
  [6, 'V3_0_0_BETA5'],
  [7, 'V3_0_0_BETA6_SNAPSHOT'],
  [15, 'V3_0_0_FINAL'],
  [28, 'V3_0_7_SNAPSHOT'],
  [37, 'V3_0_11'],
  [45, 'V3_0_15'],
  [46, 'V3_1_0_SNAPSHOT'],
  [62, 'V3_1_8_SNAPSHOT'],
  [86, 'V3_3_1_SNAPSHOT'],
  [121, 'V3_4_9'],
  [213, 'V4_0_0'],
  [232, 'V4_1_0_SNAPSHOT'],
  [313, 'V4_5_0'],
  [399, 'V4_9_3'],
  [401, 'V4_9_4'],
  [CURRENT_VERSION, 'V4_9_7'],
  [413, 'V5_0_0'],
  [611, 'V5_9_9'],
  [HIGHER_VERSION, 'HIGHER_VERSION'],
];

describe('versions', () => {
  it.each(JAVA)('%i is %s', (ordinal, name) => {
    expect(versionName(ordinal)).toBe(name);
    expect(versionOrdinal(name)).toBe(ordinal);
  });

  it('beyond the list are HIGHER_VERSION', () => {
    expect([613, 32767, -1].map(versionName)).toEqual(Array(3).fill('HIGHER_VERSION'));
    expect(versionOrdinal('V9_9_9')).toBe(-1);
  });
});
