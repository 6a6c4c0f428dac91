import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import type { ConsumerFilterRow } from '../../src/filter/consumer-filter-data.js';
import { ConsumerFilterReplicas } from '../../src/processor/consumer-filter-replicas.js';

const NOW_MS = 1_700_000_000_000;
const BLOOM = { maxErrorRateOfBloomFilter: 20, expectConsumerNumUseFilter: 32 };

let clock: ManualClock;
let filters: ConsumerFilterReplicas;

beforeEach(() => {
  clock = new ManualClock(NOW_MS);
  filters = new ConsumerFilterReplicas(BLOOM, clock);
});

function row(over: Partial<ConsumerFilterRow> = {}): ConsumerFilterRow {
  return {
    topic: 'T',
    consumerGroup: 'G',
    expression: 'a > 5',
    expressionType: 'SQL92',
    bornTime: NOW_MS - 10,
    deadTime: 0,
    bloomFilterData: filters.bloomFilter.generate('G', 'T'),
    clientVersion: 7,
    ...over,
  };
}

describe('ConsumerFilterReplicas', () => {
  it('compiles a row and finds it by topic and group, and by topic', () => {
    filters.apply('T', 'G', row());
    expect(filters.get('T', 'G')).toMatchObject({ clientVersion: 7 });
    expect(filters.get('T', 'G')?.compiledExpression?.expression).toBe('a > 5');
    expect(filters.ofTopic('T')).toEqual([filters.get('T', 'G')]);
    expect([filters.get('T', 'H'), filters.get('U', 'G')]).toEqual([undefined, undefined]);
    expect(filters.ofTopic('U')).toEqual([]);
  });

  it('lets a filter begin when this thread knew it, since older bitmaps may lack its bits', () => {
    filters.apply('T', 'G', row());
    expect(filters.get('T', 'G')?.bornTime).toBe(NOW_MS);
    filters.apply('T', 'H', row({ bornTime: NOW_MS + 3 }));
    expect(filters.get('T', 'H')?.bornTime).toBe(NOW_MS + 3);
  });

  it('keeps birth and compiled form when only the version changes', () => {
    filters.apply('T', 'G', row());
    const { compiledExpression } = filters.get('T', 'G') ?? {};
    clock.advance(1000);
    filters.apply('T', 'G', row({ clientVersion: 8 }));
    expect(filters.get('T', 'G')).toMatchObject({ clientVersion: 8, bornTime: NOW_MS });
    expect(filters.get('T', 'G')?.compiledExpression).toBe(compiledExpression);
    expect(filters.ofTopic('T')).toHaveLength(1);
  });

  it('begins anew with another expression, and with the same one after it was away', () => {
    filters.apply('T', 'G', row());
    clock.advance(1000);
    filters.apply('T', 'G', row({ expression: 'a > 6' }));
    expect(filters.get('T', 'G')?.bornTime).toBe(NOW_MS + 1000);
    clock.advance(1000);
    filters.apply('T', 'G', row({ expression: 'a > 6', bornTime: NOW_MS + 1500 }));
    expect(filters.get('T', 'G')?.bornTime).toBe(NOW_MS + 2000);
  });

  it('has nothing more of a filter that was taken away', () => {
    filters.apply('T', 'G', row());
    filters.apply('T', 'H', row({ consumerGroup: 'H' }));
    filters.apply('T', 'G', null);
    expect(filters.get('T', 'G')).toBeUndefined();
    expect(filters.ofTopic('T').map(({ consumerGroup }) => consumerGroup)).toEqual(['H']);
    filters.apply('T', 'H', null);
    filters.apply('T', 'H', null);
    expect(filters.ofTopic('T')).toEqual([]);
  });

  it('keeps a row that can not be compiled, without a compiled form', () => {
    filters.apply('T', 'G', row({ expression: 'a >' }));
    expect(filters.get('T', 'G')?.compiledExpression).toBeNull();
  });
});
