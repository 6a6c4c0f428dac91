// Room: processor; runs in the commitlog worker. What all offset message ids of a broker begin with: its address and port. The hot
// path writes only the physical offset behind it (frame-writer.ts).

import { createMessageId } from '../message/message-id.js';

/** Hex digits of the physical offset at the end of an id. */
const OFFSET_DIGITS = 16;

export function messageIdPrefix(address: Uint8Array, port: number): string {
  return createMessageId(address, port, 0).slice(0, -OFFSET_DIGITS);
}
