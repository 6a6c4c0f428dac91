// Room: protocol. Any thread. The ROCKETMQ form of a frame's header (protocol.md 1.3).
//
//   code 2 │ language 1 │ version 2 │ opaque 4 │ flag 4 │ remarkLength 4 + remark │ extFieldsLength 4 +
//   { keyLength 2 + key │ valueLength 4 + value } …
//
// Always holds: reading stays inside the header, whatever lengths it names; of a repeated key the last value counts.

import { cometError } from '../base/errors.js';
import { MAX_HEADER_BYTES } from '../base/limits.js';
import { orderedExtFields } from './ext-fields-order.js';
import { type RemotingCommand, SerializeType } from './remoting-command.js';

const FIXED_BYTES = 21;
const REMARK_POSITION = 13;
const MAX_KEY_BYTES = 0x7fff;

/** The header alone, without the frame's first eight bytes. */
export function encodeBinaryHeader(command: RemotingCommand): Buffer {
  const fields = command.extFields ?? {};
  const names = orderedExtFields(command);
  const remarkBytes = command.remark === null ? 0 : Buffer.byteLength(command.remark);
  let fieldsBytes = 0;
  for (const name of names) fieldsBytes += fieldBytes(name, fields[name] as string);
  if (FIXED_BYTES + remarkBytes + fieldsBytes > MAX_HEADER_BYTES) {
    throw cometError(
      'PROTOCOL_HEADER_TOO_LARGE',
      `${FIXED_BYTES + remarkBytes + fieldsBytes} bytes`,
    );
  }
  const header = Buffer.allocUnsafe(FIXED_BYTES + remarkBytes + fieldsBytes);
  header[0] = command.code >> 8;
  header[1] = command.code;
  header[2] = command.language;
  header[3] = command.version >> 8;
  header[4] = command.version;
  header.writeInt32BE(command.opaque | 0, 5);
  header.writeInt32BE(command.flag | 0, 9);
  header.writeInt32BE(remarkBytes, REMARK_POSITION);
  let position = REMARK_POSITION + 4;
  if (command.remark !== null) position += header.write(command.remark, position, 'utf8');
  header.writeInt32BE(fieldsBytes, position);
  position += 4;
  for (const name of names) position = writeField(header, position, name, fields[name] as string);
  return header;
}

/** The header lies between the two positions. Throws PROTOCOL_HEADER_INVALID. */
export function decodeBinaryHeader(
  frame: Buffer,
  start: number,
  end: number,
  body: Buffer | null,
): RemotingCommand {
  if (end - start < FIXED_BYTES) throw tooShort(`${end - start} bytes`);
  const remarkStart = start + REMARK_POSITION + 4;
  const remarkEnd = remarkStart + frame.readInt32BE(remarkStart - 4);
  if (remarkEnd < remarkStart || remarkEnd > end - 4) throw tooShort('its remark');
  const fieldsStart = remarkEnd + 4;
  const fieldsEnd = fieldsStart + frame.readInt32BE(remarkEnd);
  if (fieldsEnd < fieldsStart || fieldsEnd > end) throw tooShort('its fields');
  return {
    code: frame.readInt16BE(start),
    language: frame[start + 2] as number,
    version: frame.readInt16BE(start + 3),
    opaque: frame.readInt32BE(start + 5),
    flag: frame.readInt32BE(start + 9),
    remark: remarkEnd === remarkStart ? null : frame.toString('utf8', remarkStart, remarkEnd),
    extFields: readFields(frame, fieldsStart, fieldsEnd),
    body,
    serializeType: SerializeType.ROCKETMQ,
  };
}

function readFields(frame: Buffer, start: number, end: number): Record<string, string> | null {
  if (start === end) return null;
  const fields: Record<string, string> = {};
  let position = start;
  while (position < end) {
    if (position + 2 > end) throw tooShort('a key');
    const keyStart = position + 2;
    const keyEnd = keyStart + frame.readInt16BE(position);
    if (keyEnd < keyStart || keyEnd + 4 > end) throw tooShort('a key');
    const valueStart = keyEnd + 4;
    const valueEnd = valueStart + frame.readInt32BE(keyEnd);
    if (valueEnd < valueStart || valueEnd > end) throw tooShort('a value');
    setField(
      fields,
      frame.toString('utf8', keyStart, keyEnd),
      frame.toString('utf8', valueStart, valueEnd),
    );
    position = valueEnd;
  }
  return fields;
}

/** Assigning to __proto__ would change the object instead of adding a member. */
function setField(fields: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true });
  } else {
    fields[name] = value;
  }
}

function fieldBytes(name: string, value: string): number {
  const keyBytes = Buffer.byteLength(name);
  if (keyBytes > MAX_KEY_BYTES) throw cometError('PROTOCOL_HEADER_TOO_LARGE', 'a field name');
  return 2 + keyBytes + 4 + Buffer.byteLength(value);
}

function writeField(header: Buffer, position: number, name: string, value: string): number {
  const keyBytes = header.write(name, position + 2, 'utf8');
  header.writeInt16BE(keyBytes, position);
  const valuePosition = position + 2 + keyBytes + 4;
  const valueBytes = header.write(value, valuePosition, 'utf8');
  header.writeInt32BE(valueBytes, valuePosition - 4);
  return valuePosition + valueBytes;
}

function tooShort(what: string) {
  return cometError('PROTOCOL_HEADER_INVALID', `the ROCKETMQ header is too short for ${what}`);
}
