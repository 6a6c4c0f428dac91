// Room: message. Any thread; the client and the tools (a broker never touches bodies). Bodies are compressed by producers and the
// type stands in sysFlag (protocol.md 4.1). ZLIB is written and read; the other types are read only where this Node can.

import * as zlib from 'node:zlib';
import { cometError } from '../base/errors.js';
import { MAX_INFLATED_BYTES } from '../base/limits.js';
import { decodeLz4Frame } from './lz4-frame.js';
import {
  COMPRESSED_FLAG,
  COMPRESSION_TYPE_MASK,
  COMPRESSION_TYPE_SHIFT,
} from './message-sys-flag.js';

/** The number in bits 8 to 10 of sysFlag; 0 comes from clients that knew only ZLIB. */
export const CompressionType = { OLD_ZLIB: 0, LZ4: 1, ZSTD: 2, ZLIB: 3 } as const;

const OUTPUT_BOUND = { maxOutputLength: MAX_INFLATED_BYTES };
/** Node has it from 22.15 on. */
const { zstdDecompressSync } = zlib as {
  zstdDecompressSync?: (body: Buffer, options: typeof OUTPUT_BOUND) => Buffer;
};
/** Java's producers use this one. */
const DEFAULT_LEVEL = 5;

export interface CompressedBody {
  readonly body: Buffer;
  /** The given sysFlag with the bits that say how the body is compressed. */
  readonly sysFlag: number;
}

export function compressBody(
  body: Uint8Array,
  sysFlag: number,
  level: number = DEFAULT_LEVEL,
): CompressedBody {
  return {
    body: zlib.deflateSync(body, { level: Math.min(level, zlib.constants.Z_BEST_COMPRESSION) }),
    sysFlag:
      (sysFlag & ~COMPRESSION_TYPE_MASK) |
      COMPRESSED_FLAG |
      (CompressionType.ZLIB << COMPRESSION_TYPE_SHIFT),
  };
}

/** The body as its sender gave it. Throws COMPRESSION_UNSUPPORTED or COMPRESSION_INVALID. */
export function uncompressedBody(body: Buffer, sysFlag: number): Buffer {
  if ((sysFlag & COMPRESSED_FLAG) === 0) return body;
  const type = (sysFlag & COMPRESSION_TYPE_MASK) >> COMPRESSION_TYPE_SHIFT;
  switch (type) {
    case CompressionType.OLD_ZLIB:
    case CompressionType.ZLIB:
      return inflate('ZLIB', () => zlib.inflateSync(body, OUTPUT_BOUND));
    case CompressionType.LZ4:
      return decodeLz4Frame(body, MAX_INFLATED_BYTES);
    case CompressionType.ZSTD:
      if (zstdDecompressSync === undefined) {
        throw cometError('COMPRESSION_UNSUPPORTED', 'ZSTD needs a newer Node');
      }
      return inflate('ZSTD', () => zstdDecompressSync(body, OUTPUT_BOUND));
    default:
      throw cometError('COMPRESSION_UNSUPPORTED', `type ${type}`);
  }
}

function inflate(name: string, run: () => Buffer): Buffer {
  try {
    return run();
  } catch (error) {
    throw cometError('COMPRESSION_INVALID', name, error);
  }
}
