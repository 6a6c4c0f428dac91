// Room: base. Any thread. Hot (tags codes, index keys): no allocation. Java's String.hashCode, which RocketMQ stores on disk
// and compares on the wire, and its form over UTF-8 bytes for code that has no string at hand.

/** Σ c[i]·31^(n−1−i) over the UTF-16 units, as a signed 32-bit number. */
export function javaHashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * The hash of the text that the UTF-8 bytes spell, for bytes that are valid UTF-8; -1 is a possible hash like any other.
 * Sequences of four bytes count as the two surrogates that Java sees.
 */
export function javaHashCodeOfUtf8(bytes: Uint8Array, start: number, length: number): number {
  let hash = 0;
  const end = start + length;
  let i = start;
  while (i < end) {
    const first = bytes[i++] as number;
    if (first < 0x80) {
      hash = (Math.imul(hash, 31) + first) | 0;
    } else if (first < 0xe0) {
      const unit = ((first & 0x1f) << 6) | ((bytes[i++] as number) & 0x3f);
      hash = (Math.imul(hash, 31) + unit) | 0;
    } else if (first < 0xf0) {
      const unit =
        ((first & 0x0f) << 12) |
        (((bytes[i] as number) & 0x3f) << 6) |
        ((bytes[i + 1] as number) & 0x3f);
      i += 2;
      hash = (Math.imul(hash, 31) + unit) | 0;
    } else {
      const point =
        (((first & 0x07) << 18) |
          (((bytes[i] as number) & 0x3f) << 12) |
          (((bytes[i + 1] as number) & 0x3f) << 6) |
          ((bytes[i + 2] as number) & 0x3f)) -
        0x1_0000;
      i += 3;
      hash = (Math.imul(hash, 31) + (0xd800 | (point >>> 10))) | 0;
      hash = (Math.imul(hash, 31) + (0xdc00 | (point & 0x3ff))) | 0;
    }
  }
  return hash;
}
