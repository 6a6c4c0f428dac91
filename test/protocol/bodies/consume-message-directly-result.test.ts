import { describe, expect, it } from 'vitest';
import {
  decodeConsumeMessageDirectlyResult,
  encodeConsumeMessageDirectlyResult,
} from '../../../src/protocol/bodies/consume-message-directly-result.js';
import { roundTrips } from './golden-bodies.js';

describe('what became of a message', () => {
  it('is read and written as Java does in CONSUME_MESSAGE_DIRECTLY.response', () => {
    const { java, ours } = roundTrips(
      'CONSUME_MESSAGE_DIRECTLY.response',
      decodeConsumeMessageDirectlyResult,
      encodeConsumeMessageDirectlyResult,
    );
    expect(ours).toEqual(java);
  });

  it('may come as a number, as the Go client writes it', () => {
    expect(decodeConsumeMessageDirectlyResult('{"consumeResult":1}').consumeResult).toBe(
      'CR_LATER',
    );
    expect(decodeConsumeMessageDirectlyResult('{"consumeResult":9}').consumeResult).toBeNull();
  });
});
