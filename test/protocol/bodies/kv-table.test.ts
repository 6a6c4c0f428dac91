import { describe, expect, it } from 'vitest';
import { decodeKvTable, encodeKvTable } from '../../../src/protocol/bodies/kv-table.js';
import { roundTrips } from './golden-bodies.js';

describe('a table of names and texts', () => {
  it('is read and written as Java does in GET_KVLIST_BY_NAMESPACE.response', () => {
    const { java, ours } = roundTrips(
      'GET_KVLIST_BY_NAMESPACE.response',
      decodeKvTable,
      encodeKvTable,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_BROKER_RUNTIME_INFO.response', () => {
    const { java, ours } = roundTrips(
      'GET_BROKER_RUNTIME_INFO.response',
      decodeKvTable,
      encodeKvTable,
    );
    expect(ours).toEqual(java);
  });
});
