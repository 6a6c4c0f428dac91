// Room: protocol. Any thread. What became of a message that was consumed on demand (protocol.md 4.6): answer of code 309.
//
//   {"autoCommit":B,"consumeResult":E,"order":B,"remark":S?,"spentTimeMills":L}
//
// The Go client writes consumeResult as a number; both are read.

import {
  type BodyText,
  booleanMember,
  encodeJsonBody,
  enumMember,
  parseJsonBody,
  safeLongMember,
  textMember,
} from './json-body.js';

export type ConsumeResult = (typeof CONSUME_RESULTS)[number];

export const CONSUME_RESULTS = [
  'CR_SUCCESS',
  'CR_LATER',
  'CR_ROLLBACK',
  'CR_COMMIT',
  'CR_THROW_EXCEPTION',
  'CR_RETURN_NULL',
] as const;

export interface ConsumeMessageDirectlyResult {
  readonly autoCommit: boolean;
  readonly consumeResult: ConsumeResult | null;
  readonly order: boolean;
  readonly remark: string | null;
  readonly spentTimeMills: number;
}

export function encodeConsumeMessageDirectlyResult(result: ConsumeMessageDirectlyResult): Buffer {
  return encodeJsonBody(result);
}

export function decodeConsumeMessageDirectlyResult(body: BodyText): ConsumeMessageDirectlyResult {
  const object = parseJsonBody(body);
  return {
    autoCommit: booleanMember(object, 'autoCommit', true),
    consumeResult: enumMember(object, 'consumeResult', CONSUME_RESULTS, null),
    order: booleanMember(object, 'order'),
    remark: textMember(object, 'remark'),
    spentTimeMills: safeLongMember(object, 'spentTimeMills'),
  };
}
