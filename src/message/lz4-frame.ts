// Room: message. Any thread; cold. Reads LZ4 frames (the format of github.com/lz4/lz4, doc/lz4_Frame_format.md), which Java
// producers write when they are told to. Checksums are not verified: the record's own CRC covers these bytes.
// Always holds: any bytes give a body or throw COMPRESSION_INVALID; no more than the given bound is ever held.
//
//   magic 4 │ FLG 1 │ BD 1 │ [content size 8] │ [dictionary id 4] │ HC 1 │ { block size 4, block, [checksum 4] } … │ 0 4 │ [checksum 4]

import { cometError } from '../base/errors.js';

const MAGIC = 0x184d_2204;
const STORED_BLOCK = 0x8000_0000;
const FLAG_DICTIONARY = 0x01;
const FLAG_CONTENT_SIZE = 0x08;
const FLAG_BLOCK_CHECKSUM = 0x10;
const VERSION_MASK = 0xc0;
const VERSION_1 = 0x40;
const MIN_MATCH = 4;

export function decodeLz4Frame(frame: Buffer, maxBytes: number): Buffer {
  if (frame.length < 7 || frame.readUInt32LE(0) !== MAGIC) throw invalid('no frame starts here');
  const flags = frame[4] as number;
  if ((flags & VERSION_MASK) !== VERSION_1) throw invalid('an unknown version');
  if ((flags & FLAG_DICTIONARY) !== 0) throw invalid('a dictionary is needed');
  let position = 7 + ((flags & FLAG_CONTENT_SIZE) === 0 ? 0 : 8);
  const output = new Output(maxBytes);
  for (;;) {
    if (position + 4 > frame.length) throw invalid('it ends in the middle');
    const word = frame.readUInt32LE(position);
    if (word === 0) return output.toBuffer();
    const end = position + 4 + (word & ~STORED_BLOCK);
    if (end > frame.length) throw invalid('a block ends in the middle');
    const block = frame.subarray(position + 4, end);
    if (word >= STORED_BLOCK) output.append(block, 0, block.length);
    else decodeBlock(block, output);
    position = end + ((flags & FLAG_BLOCK_CHECKSUM) === 0 ? 0 : 4);
  }
}

/** Sequences of literals and of matches in what was written before. */
function decodeBlock(block: Buffer, output: Output): void {
  let position = 0;
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble !== 15) return length;
    for (;;) {
      const more = block[position++];
      if (more === undefined) throw invalid('a length ends in the middle');
      length += more;
      if (more !== 255) return length;
    }
  };
  while (position < block.length) {
    const token = block[position++] as number;
    const literals = lengthOf(token >> 4);
    if (position + literals > block.length) throw invalid('literals end in the middle');
    output.append(block, position, literals);
    position += literals;
    if (position === block.length) return;
    if (position + 2 > block.length) throw invalid('a match ends in the middle');
    const distance = block.readUInt16LE(position);
    position += 2;
    output.repeat(distance, lengthOf(token & 15) + MIN_MATCH);
  }
}

class Output {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(1024);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(source: Buffer, start: number, count: number): void {
    this.#reserve(count);
    source.copy(this.#bytes, this.#length, start, start + count);
    this.#length += count;
  }

  /** Copies from what was written; the two may overlap, so it goes byte by byte. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.#length) throw invalid('a match before the start');
    this.#reserve(count);
    for (let i = 0; i < count; i++, this.#length++) {
      this.#bytes[this.#length] = this.#bytes[this.#length - distance] as number;
    }
  }

  toBuffer(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    const wanted = this.#length + count;
    if (wanted > this.#maxBytes) throw invalid(`more than ${this.#maxBytes} bytes`);
    if (wanted <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

function invalid(what: string) {
  return cometError('COMPRESSION_INVALID', `LZ4: ${what}`);
}
