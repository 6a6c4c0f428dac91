// Room: protocol. Any thread. Whole frames to commands and back (protocol.md 1.1 to 1.3). peekRequestCode is hot (bench/01): it
// runs once a frame on the main thread and allocates nothing. `as number` stands where bounds were just checked.
//
//   ┌──────────┬────────┬─────────────────┬────────┬──────┐
//   │ length 4 │ type 1 │ headerLength 3  │ header │ body │     length = 4 + headerLength + body
//   └──────────┴────────┴─────────────────┴────────┴──────┘
//
// Always holds: decoding any bytes gives a command or throws a CometError PROTOCOL_*, never anything else.

import { cometError } from '../base/errors.js';
import { MAX_FRAME_BYTES, MAX_HEADER_BYTES } from '../base/limits.js';
import { decodeBinaryHeader, encodeBinaryHeader } from './binary-header.js';
import { decodeJsonHeader, encodeJsonHeader } from './json-header.js';
import { type RemotingCommand, SerializeType } from './remoting-command.js';

const PREFIX_BYTES = 8;

/** The whole frame with its length word; throws PROTOCOL_HEADER_TOO_LARGE or PROTOCOL_FRAME_LENGTH when it is above the limits. */
export function encodeFrame(command: RemotingCommand): Buffer {
  return command.serializeType === SerializeType.JSON
    ? jsonFrame(command, encodeJsonHeader(command))
    : binaryFrame(command, encodeBinaryHeader(command));
}

/**
 * Reads a whole frame with its length word. The body is a view into it. Throws PROTOCOL_FRAME_LENGTH, PROTOCOL_HEADER_LENGTH,
 * PROTOCOL_SERIALIZE_TYPE or PROTOCOL_HEADER_INVALID.
 */
export function decodeFrame(frame: Buffer): RemotingCommand {
  if (frame.length < PREFIX_BYTES || frame.readInt32BE(0) !== frame.length - 4) {
    throw cometError('PROTOCOL_FRAME_LENGTH', `a frame of ${frame.length} bytes`);
  }
  const type = frame[4] as number;
  const headerEnd = PREFIX_BYTES + frame.readUIntBE(5, 3);
  if (headerEnd > frame.length) {
    throw cometError('PROTOCOL_HEADER_LENGTH', `ends at ${headerEnd} of ${frame.length}`);
  }
  const body = headerEnd === frame.length ? null : frame.subarray(headerEnd);
  switch (type) {
    case SerializeType.JSON:
      return decodeJsonHeader(frame.toString('utf8', PREFIX_BYTES, headerEnd), body);
    case SerializeType.ROCKETMQ:
      return decodeBinaryHeader(frame, PREFIX_BYTES, headerEnd, body);
    default:
      throw cometError('PROTOCOL_SERIALIZE_TYPE', `type ${type}`);
  }
}

/**
 * The code of the frame that starts there, for routing; -1 when only the full decoder can tell. Whoever decodes the frame
 * must look at the code again: a header may name it twice.
 */
export function peekRequestCode(frame: Uint8Array, start: number): number {
  const header = start + PREFIX_BYTES;
  if (frame[start + 4] === SerializeType.ROCKETMQ) {
    if (header + 2 > frame.length) return -1;
    return (((frame[header] as number) << 24) >> 16) | (frame[header + 1] as number);
  }
  // {"code": is 7B 22 63 6F 64 65 22 3A
  if (
    frame[header] !== 0x7b ||
    frame[header + 1] !== 0x22 ||
    frame[header + 2] !== 0x63 ||
    frame[header + 3] !== 0x6f ||
    frame[header + 4] !== 0x64 ||
    frame[header + 5] !== 0x65 ||
    frame[header + 6] !== 0x22 ||
    frame[header + 7] !== 0x3a ||
    frame[start + 4] !== SerializeType.JSON
  ) {
    return -1;
  }
  let code = 0;
  for (let i = header + 8; i < header + 15; i++) {
    const digit = (frame[i] ?? 0) - 48;
    if (digit < 0 || digit > 9) {
      // Digits must be there, and the number must end like one.
      return i > header + 8 && (digit === -4 || digit === 77) ? code : -1;
    }
    code = code * 10 + digit;
  }
  return -1;
}

function jsonFrame(command: RemotingCommand, header: string): Buffer {
  const headerBytes = Buffer.byteLength(header, 'utf8');
  const frame = allocateFrame(command, headerBytes);
  frame.write(header, PREFIX_BYTES, headerBytes, 'utf8');
  return frame;
}

function binaryFrame(command: RemotingCommand, header: Buffer): Buffer {
  const frame = allocateFrame(command, header.length);
  header.copy(frame, PREFIX_BYTES);
  return frame;
}

/** The frame with everything but its header in place. */
function allocateFrame(command: RemotingCommand, headerBytes: number): Buffer {
  const bodyBytes = command.body?.length ?? 0;
  const frameBytes = PREFIX_BYTES + headerBytes + bodyBytes;
  if (headerBytes > MAX_HEADER_BYTES) {
    throw cometError('PROTOCOL_HEADER_TOO_LARGE', `${headerBytes} bytes`);
  }
  if (frameBytes > MAX_FRAME_BYTES) {
    throw cometError('PROTOCOL_FRAME_LENGTH', `a frame of ${frameBytes} bytes`);
  }
  const frame = Buffer.allocUnsafe(frameBytes);
  frame.writeInt32BE(frameBytes - 4, 0);
  frame[4] = command.serializeType;
  frame.writeUIntBE(headerBytes, 5, 3);
  command.body?.copy(frame, PREFIX_BYTES + headerBytes);
  return frame;
}
