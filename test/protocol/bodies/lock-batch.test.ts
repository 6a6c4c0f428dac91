import { describe, expect, it } from 'vitest';
import {
  decodeLockBatchRequest,
  decodeLockBatchResponse,
  encodeLockBatchRequest,
  encodeLockBatchResponse,
} from '../../../src/protocol/bodies/lock-batch.js';
import { roundTrips } from './golden-bodies.js';

describe('a set of queues to lock', () => {
  it('is read and written as Java does in LOCK_BATCH_MQ.request', () => {
    const { java, ours } = roundTrips(
      'LOCK_BATCH_MQ.request',
      decodeLockBatchRequest,
      encodeLockBatchRequest,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in UNLOCK_BATCH_MQ.request', () => {
    const { java, ours } = roundTrips(
      'UNLOCK_BATCH_MQ.request',
      decodeLockBatchRequest,
      encodeLockBatchRequest,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in LOCK_BATCH_MQ.response', () => {
    const { java, ours } = roundTrips(
      'LOCK_BATCH_MQ.response',
      decodeLockBatchResponse,
      encodeLockBatchResponse,
    );
    expect(ours).toEqual(java);
  });
});
