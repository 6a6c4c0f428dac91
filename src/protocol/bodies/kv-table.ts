// Room: protocol. Any thread. Names with texts (protocol.md 4.4): answers of codes 28 and 219, and the order config of code 103.
//
//   {"table":{"k":"v"}}

import { type BodyText, encodeJsonBody, mapMember, parseJsonBody, textOf } from './json-body.js';

export function encodeKvTable(table: ReadonlyMap<string, string>): Buffer {
  return encodeJsonBody({ table });
}

export function decodeKvTable(body: BodyText): Map<string, string> {
  return mapMember(parseJsonBody(body), 'table', textOf);
}
