// Room: filter. Any thread; cold: once per registered filter, so BigInt is good enough. MurmurHash3 for x64, 128 bits, seed
// 0, of which Java takes the low half (Guava's murmur3_128().asLong()). The hash decides bits that are stored on disk.
// After Austin Appleby's public-domain description of the algorithm.

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const BLOCK_BYTES = 16;

/** The low 64 bits, unsigned. */
export function murmur3Low64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocksEnd = bytes.length - (bytes.length % BLOCK_BYTES);
  let h1 = 0n;
  let h2 = 0n;
  for (let at = 0; at < blocksEnd; at += BLOCK_BYTES) {
    h1 ^= mixFirst(view.getBigUint64(at, true));
    h1 = wrap((rotate(h1, 27n) + h2) * 5n + 0x52dce729n);
    h2 ^= mixSecond(view.getBigUint64(at + 8, true));
    h2 = wrap((rotate(h2, 31n) + h1) * 5n + 0x38495ab5n);
  }
  h1 ^= mixFirst(littleEndian(bytes.subarray(blocksEnd, blocksEnd + 8)));
  h2 ^= mixSecond(littleEndian(bytes.subarray(blocksEnd + 8)));
  const length = BigInt(bytes.length);
  h1 ^= length;
  h2 ^= length;
  h1 = wrap(h1 + h2);
  h2 = wrap(h2 + h1);
  return wrap(finish(h1) + finish(h2));
}

function mixFirst(block: bigint): bigint {
  return wrap(rotate(wrap(block * C1), 31n) * C2);
}

function mixSecond(block: bigint): bigint {
  return wrap(rotate(wrap(block * C2), 33n) * C1);
}

function finish(value: bigint): bigint {
  let hash = value ^ (value >> 33n);
  hash = wrap(hash * 0xff51afd7ed558ccdn);
  hash ^= hash >> 33n;
  hash = wrap(hash * 0xc4ceb9fe1a85ec53n);
  return hash ^ (hash >> 33n);
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function rotate(value: bigint, bits: bigint): bigint {
  return wrap((value << bits) | (value >> (64n - bits)));
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
