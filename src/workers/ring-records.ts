// Room: workers. What travels on the rings between main and the workers: record kinds and their layouts. All integers are
// little-endian 32-bit words; an int64 is two words, low first. A payload begins 8-byte aligned.
//
//   main -> worker                                             worker -> main
//   FRAME       origin (8 words) + whole frame                 REPLY         connection, wait, position lo, hi + whole frame
//   PUT         put header (PutRecord) + body + properties     ESCALATE      connection, reason, 0, 0 + whole frame
//   TABLE       JSON of one table row                          PUT_RESULT    see PutResultRecord
//   COMMAND     id, 0 + JSON                                   RESULT        id, JSON size + JSON + bytes
//   CLOSED      connection, 0                                  EVENT         JSON
//   RANGE_DONE  id of the range, 1 when all went well
//                                                              COMMIT_OFFSET queue, topic size, offset lo, hi, group size, connection
//                                                                            + topic + group
//
//   origin:  0 connection   1 flags (1: IPv6, 2: seen before)   2 port   3 time of arrival, ms mod 2^31   4-7 address bytes

export const ToWorker = {
  FRAME: 1,
  PUT: 2,
  TABLE: 3,
  COMMAND: 4,
  CLOSED: 5,
  RANGE_DONE: 6,
} as const;

export const ToMain = {
  REPLY: 1,
  ESCALATE: 2,
  PUT_RESULT: 3,
  RESULT: 4,
  EVENT: 5,
  COMMIT_OFFSET: 6,
} as const;

/** What a reply waits for before it may leave. */
export const WaitFor = { NOTHING: 0, FLUSHED: 1, REPLICATED: 2, BOTH: 3 } as const;

export const ORIGIN_BYTES = 32;
export const ORIGIN_IPV6 = 1;
/** The frame comes back from an escalation: what is still unknown now is refused. */
export const ORIGIN_SEEN = 2;

export const REPLY_HEADER_BYTES = 16;
export const COMMAND_HEADER_BYTES = 8;
export const COMMIT_HEADER_BYTES = 24;

/** Why a worker hands a frame back to main; an index, since it travels as an integer. */
export const EscalationReasons = [
  'TOPIC_NOT_FOUND',
  'GROUP_NOT_FOUND',
  'RETRY_TOPIC',
  'OTHER',
] as const;
export type EscalationReason = (typeof EscalationReasons)[number];

export function highWord(position: number): number {
  return Math.floor(position / 0x1_0000_0000);
}

export function joinWords(low: number, high: number): number {
  return high * 0x1_0000_0000 + (low >>> 0);
}

// PUT payload, words:  0,1 request id (lo, hi)  2 queueId  3 flag  4 sysFlag  5 reconsumeTimes  6,7 bornTimestamp
//   8 bornPort  9 storePort  10,11 preparedTransactionOffset  12 flags (1 born IPv6, 2 store IPv6, 4 has store host, 8 wait, 16 delay served)
//   13 topic bytes  14 properties bytes  15 body bytes  16-19 born address  20-23 store address   then topic, properties, body
export const PUT_HEADER_BYTES = 96;
export const PUT_BORN_IPV6 = 1;
export const PUT_STORE_IPV6 = 2;
export const PUT_HAS_STORE_HOST = 4;
export const PUT_WAIT = 8;
export const PUT_DELAY_SERVED = 16;

// PUT_RESULT payload, words: 0,1 request id  2 status  3 wait  4,5 position to wait for (record end)  6,7 queueOffset
//   8,9 physicalOffset  10,11 storeTimestamp
export const PUT_RESULT_BYTES = 48;
