import { describe, expect, it } from 'vitest';
import {
  decodeQueryConsumeQueueBody,
  encodeQueryConsumeQueueBody,
} from '../../../src/protocol/bodies/query-consume-queue.js';
import { roundTrips } from './golden-bodies.js';

describe('the entries of a ConsumeQueue', () => {
  it('is read and written as Java does in QUERY_CONSUME_QUEUE.response', () => {
    const { java, ours } = roundTrips(
      'QUERY_CONSUME_QUEUE.response',
      decodeQueryConsumeQueueBody,
      encodeQueryConsumeQueueBody,
    );
    expect(ours).toEqual(java);
  });
});
