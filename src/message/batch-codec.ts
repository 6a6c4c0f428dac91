// Room: message. The reader runs in the commitlog worker and is hot (bench/01): one instance is used again and again, nothing is
// allocated per message. The body of a SEND_BATCH_MESSAGE request (protocol.md 5.3):
//
//   { totalSize 4 │ magic 4 = 0 │ crc 4 = 0 │ flag 4 │ bodyLength 4 + body │ propertiesLength 2 + properties } …
//
// Always holds: the reader stays inside the body it was given; the first three numbers are never believed.

import { cometError } from '../base/errors.js';
import { MAX_PROPERTIES_BYTES } from '../base/limits.js';
import { readInt16, readInt32 } from './message-layout.js';
import { encodeProperties } from './message-properties.js';

const FIXED_BYTES = 22;
const FLAG_OFFSET = 12;
const BODY_LENGTH_OFFSET = 16;
const BODY_OFFSET = 20;

export interface BatchMessage {
  readonly flag: number;
  readonly body: Uint8Array;
  readonly properties: ReadonlyMap<string, string>;
}

/** Throws MESSAGE_TOO_LARGE when the properties of a message exceed their length field. */
export function encodeBatchBody(messages: readonly BatchMessage[]): Buffer {
  return Buffer.concat(messages.map(encodeItem));
}

/** Walks a batch body: begin, then next until it answers false; the fields describe the present message. */
export class BatchBodyReader {
  bytes: Uint8Array = new Uint8Array(0);
  flag = 0;
  bodyStart = 0;
  bodyLength = 0;
  propertiesStart = 0;
  propertiesLength = 0;
  #position = 0;
  #end = 0;

  begin(bytes: Uint8Array, start: number, length: number): void {
    this.bytes = bytes;
    this.#position = start;
    this.#end = start + length;
  }

  /** False at the end of the body. Throws BATCH_INVALID when the rest is no message. */
  next(): boolean {
    const start = this.#position;
    if (start >= this.#end) return false;
    if (this.#end - start < FIXED_BYTES) throw tornAt(start);
    this.flag = readInt32(this.bytes, start + FLAG_OFFSET);
    this.bodyLength = readInt32(this.bytes, start + BODY_LENGTH_OFFSET);
    this.bodyStart = start + BODY_OFFSET;
    const bodyEnd = this.bodyStart + this.bodyLength;
    if (this.bodyLength < 0 || bodyEnd + 2 > this.#end) throw tornAt(start);
    this.propertiesLength = readInt16(this.bytes, bodyEnd);
    this.propertiesStart = bodyEnd + 2;
    const end = this.propertiesStart + this.propertiesLength;
    if (this.propertiesLength < 0 || end > this.#end) throw tornAt(start);
    this.#position = end;
    return true;
  }
}

function encodeItem(message: BatchMessage): Buffer {
  const properties = Buffer.from(encodeProperties(message.properties));
  if (properties.length > MAX_PROPERTIES_BYTES) {
    throw cometError('MESSAGE_TOO_LARGE', `its properties of ${properties.length} bytes`);
  }
  const item = Buffer.alloc(FIXED_BYTES + message.body.length + properties.length);
  item.writeInt32BE(item.length, 0);
  item.writeInt32BE(message.flag, FLAG_OFFSET);
  item.writeInt32BE(message.body.length, BODY_LENGTH_OFFSET);
  item.set(message.body, BODY_OFFSET);
  item.writeInt16BE(properties.length, BODY_OFFSET + message.body.length);
  item.set(properties, FIXED_BYTES + message.body.length);
  return item;
}

function tornAt(position: number) {
  return cometError('BATCH_INVALID', `the message at ${position} is longer than the body`);
}
