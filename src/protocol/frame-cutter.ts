// Room: protocol. Main thread (and the client's); one cutter a connection. Hot (bench/01): one view a frame, no copy for a frame
// that lies whole in one chunk. `!` is not used, `as number` stands where the bounds were just checked.
//
//   ┌──────────┬─────────────────────────────────────┐
//   │ length 4 │ length bytes: mark 4, header, body   │   a frame; handed on with its length word
//   └──────────┴─────────────────────────────────────┘
//
// Always holds: memory grows only as bytes arrive, whatever length was announced; after a bad length nothing more is cut.

import { cometError } from '../base/errors.js';
import { KEPT_FRAME_BUFFER_BYTES, MAX_FRAME_BYTES, MIN_FRAME_LENGTH } from '../base/limits.js';

const FIRST_BUFFER_BYTES = 4096;
const LENGTH_BYTES = 4;

export class FrameCutter {
  readonly #maxFrameBytes: number;
  /** The start of a frame whose rest has not arrived; #have bytes of it are valid. */
  #partial: Buffer = Buffer.alloc(0);
  #have = 0;
  /** The size of the partial frame with its length word, 0 while the length word itself is incomplete. */
  #need = 0;
  #stopped = false;

  constructor(maxFrameBytes: number = MAX_FRAME_BYTES) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Bytes that wait for the rest of their frame. */
  get pendingBytes(): number {
    return this.#have;
  }

  /** Hands on no more frames, the rest of the present chunk included. For whoever closes the connection in onFrame. */
  stop(): void {
    this.#stopped = true;
    this.#release();
  }

  /**
   * Cuts what is whole and keeps the rest. The frame handed to onFrame is valid during the call only.
   * Throws PROTOCOL_FRAME_LENGTH when the stream is not one of frames; the connection must then close.
   */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    let position = 0;
    if (this.#have > 0) {
      position = this.#complete(chunk, onFrame);
      if (position < 0) return;
    }
    const end = chunk.length;
    while (end - position >= LENGTH_BYTES && !this.#stopped) {
      const frameBytes = this.#frameBytes(chunk, position);
      if (end - position < frameBytes) {
        this.#need = frameBytes;
        break;
      }
      const frame = chunk.subarray(position, position + frameBytes);
      position += frameBytes;
      onFrame(frame);
    }
    if (position < end && !this.#stopped) this.#keep(chunk, position, end - position);
  }

  /** Adds to the partial frame; where the next frame starts in the chunk, or -1 when the chunk is used up. */
  #complete(chunk: Buffer, onFrame: (frame: Buffer) => void): number {
    if (this.#stopped) return -1;
    let position = 0;
    if (this.#need === 0) {
      position = Math.min(LENGTH_BYTES - this.#have, chunk.length);
      this.#keep(chunk, 0, position);
      if (this.#have < LENGTH_BYTES) return -1;
      this.#need = this.#frameBytes(this.#partial, 0);
    }
    const missing = this.#need - this.#have;
    const arrived = chunk.length - position;
    if (arrived < missing) {
      this.#keep(chunk, position, arrived);
      return -1;
    }
    this.#keep(chunk, position, missing);
    const frame = this.#partial.subarray(0, this.#need);
    this.#have = 0;
    this.#need = 0;
    if (this.#partial.length > KEPT_FRAME_BUFFER_BYTES) this.#partial = Buffer.alloc(0);
    onFrame(frame);
    return this.#stopped ? -1 : position + missing;
  }

  #keep(chunk: Buffer, position: number, count: number): void {
    const wanted = this.#have + count;
    if (wanted > this.#partial.length) {
      const roomy = Math.max(FIRST_BUFFER_BYTES, this.#partial.length * 2, wanted);
      const bounded = this.#need === 0 ? roomy : Math.max(wanted, Math.min(roomy, this.#need));
      const grown = Buffer.allocUnsafeSlow(bounded);
      this.#partial.copy(grown, 0, 0, this.#have);
      this.#partial = grown;
    }
    chunk.copy(this.#partial, this.#have, position, position + count);
    this.#have = wanted;
  }

  /** The size of the frame that starts there, with its length word. */
  #frameBytes(bytes: Buffer, position: number): number {
    const length =
      ((bytes[position] as number) << 24) |
      ((bytes[position + 1] as number) << 16) |
      ((bytes[position + 2] as number) << 8) |
      (bytes[position + 3] as number);
    if (length >= MIN_FRAME_LENGTH && length <= this.#maxFrameBytes - LENGTH_BYTES) {
      return length + LENGTH_BYTES;
    }
    this.stop();
    throw cometError('PROTOCOL_FRAME_LENGTH', describeBadLength(bytes, position, length >>> 0));
  }

  #release(): void {
    this.#partial = Buffer.alloc(0);
    this.#have = 0;
    this.#need = 0;
  }
}

/** Says what a stream looks like that is not one of frames. */
function describeBadLength(bytes: Buffer, position: number, length: number): string {
  const start = bytes.toString('latin1', position, position + 4);
  if (start === 'PRI ') return `${length}, the peer speaks HTTP/2 or gRPC`;
  if (/^(GET |POST|PUT |HEAD|DELE|OPTI|CONN|PATC|TRAC)/.test(start)) {
    return `${length}, the peer speaks HTTP`;
  }
  if (start.startsWith('\u0016\u0003')) return `${length}, the peer speaks TLS`;
  if (start.startsWith('SSH-')) return `${length}, the peer speaks SSH`;
  return String(length);
}
