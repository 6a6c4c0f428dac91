import { describe, expect, it } from 'vitest';
import { decodeHeartbeatData } from '../../../src/protocol/bodies/heartbeat-data.js';
import { buildSubscriptionData } from '../../../src/protocol/bodies/subscription-data.js';
import { goldenBodies } from './golden-bodies.js';

describe('buildSubscriptionData', () => {
  it('gives what the Java client sent for the same expressions', () => {
    let count = 0;
    for (const body of goldenBodies('HEART_BEAT.request')) {
      for (const consumer of decodeHeartbeatData(body).consumerDataSet) {
        for (const java of consumer.subscriptionDataSet) {
          const ours = buildSubscriptionData(
            java.topic,
            java.subString,
            java.expressionType,
            java.subVersion,
          );
          // Java's two sets have the order of their hash codes.
          expect({ ...ours, codeSet: sorted(ours.codeSet), tagsSet: sorted(ours.tagsSet) }).toEqual(
            {
              ...java,
              codeSet: sorted(java.codeSet),
              tagsSet: sorted(java.tagsSet),
            },
          );
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(5);
  });

  it.each([null, '', '*'])('wants everything for the expression %s', (expression) => {
    expect(buildSubscriptionData('T', expression, null, 1)).toMatchObject({
      subString: '*',
      tagsSet: [],
      codeSet: [],
      expressionType: 'TAG',
    });
  });

  it('trims tags and drops empty ones', () => {
    const { tagsSet, codeSet } = buildSubscriptionData('T', ' tagA ||  || b||tagA', 'TAG', 1);
    expect(tagsSet).toEqual(['tagA', 'b']);
    expect(codeSet).toEqual([3552231, 98]);
  });
});

function sorted<T>(items: readonly T[]): T[] {
  return [...items].sort();
}
