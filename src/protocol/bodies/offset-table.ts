// Room: protocol. Any thread. Tables with numbers as keys (protocol.md 2.7): answers of codes 43, 45 and 308, and the files
// consumerOffset.json and delayOffset.json.
//
//   {"offsetTable":{"<topic>@<group>":{<queueId>:L}}}      {"offsetTable":{<level>:L}}      {"correctionOffsets":{<queueId>:L}}

import {
  type BodyText,
  encodeJsonBody,
  entriesOf,
  intOf,
  mapMember,
  parseJsonBody,
  safeLongOf,
} from './json-body.js';

/** Offsets by queue id or delay level. They index queues, so they are safe integers or the table is refused. */
export type OffsetsById = ReadonlyMap<number, number>;

export function encodeConsumerOffsetTable(offsetTable: ReadonlyMap<string, OffsetsById>): Buffer {
  return encodeJsonBody({ offsetTable });
}

export function decodeConsumerOffsetTable(body: BodyText): Map<string, Map<number, number>> {
  return mapMember(parseJsonBody(body), 'offsetTable', readOffsetsById);
}

export function encodeDelayOffsetTable(offsetTable: OffsetsById): Buffer {
  return encodeJsonBody({ offsetTable });
}

export function decodeDelayOffsetTable(body: BodyText): Map<number, number> {
  return readOffsetsById(parseJsonBody(body)['offsetTable'], 'offsetTable');
}

export function encodeCorrectionOffsets(correctionOffsets: OffsetsById): Buffer {
  return encodeJsonBody({ correctionOffsets });
}

export function decodeCorrectionOffsets(body: BodyText): Map<number, number> {
  return readOffsetsById(parseJsonBody(body)['correctionOffsets'], 'correctionOffsets');
}

function readOffsetsById(value: unknown, what: string): Map<number, number> {
  return new Map(
    entriesOf(value, what).map(([id, offset]) => [intOf(id, what), safeLongOf(offset, what)]),
  );
}
