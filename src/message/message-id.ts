// Room: message. Any thread. The offset message id: upper-case hex of store address (4 or 16 bytes), port (4) and physical
// offset (8); 32 digits, or 56 with IPv6 (protocol.md 5.4). It says where the record lies, UNIQ_KEY says who sent it.

import { cometError } from '../base/errors.js';
import type { HostPort } from '../base/net-address.js';
import { readInt32, writeInt32, writeInt64 } from './message-layout.js';

const IPV4_ID_DIGITS = 32;
const IPV6_ID_DIGITS = 56;

export interface MessageId extends HostPort {
  readonly physicalOffset: number;
}

export function createMessageId(address: Uint8Array, port: number, physicalOffset: number): string {
  const bytes = Buffer.allocUnsafe(address.length + 12);
  bytes.set(address, 0);
  writeInt32(bytes, address.length, port);
  writeInt64(bytes, address.length + 4, physicalOffset);
  return bytes.toString('hex').toUpperCase();
}

/** Throws MESSAGE_ID_INVALID; also for an offset that is negative or no safe integer, which no log can hold. */
export function decodeMessageId(id: string): MessageId {
  const isId = id.length === IPV4_ID_DIGITS || id.length === IPV6_ID_DIGITS;
  if (!isId || !/^[0-9a-fA-F]+$/.test(id)) throw cometError('MESSAGE_ID_INVALID', shown(id));
  const bytes = Buffer.from(id, 'hex');
  const addressBytes = bytes.length - 12;
  const physicalOffset = Number(bytes.readBigInt64BE(addressBytes + 4));
  if (physicalOffset < 0 || !Number.isSafeInteger(physicalOffset)) {
    throw cometError('MESSAGE_ID_INVALID', `the offset of ${id}`);
  }
  return {
    address: bytes.subarray(0, addressBytes),
    port: readInt32(bytes, addressBytes),
    physicalOffset,
  };
}

/** The id from the bytes of a record: address with port, and physical offset. */
export function messageIdOfBytes(host: Buffer, physicalOffset: Buffer): string {
  return (host.toString('hex') + physicalOffset.toString('hex')).toUpperCase();
}

function shown(id: string): string {
  return id.length > 80 ? `"${id.slice(0, 80)}…"` : `"${id}"`;
}
