// Latencies in buckets that are 1/64 wide of their own size, from 1 ns to half a minute and more; fixed memory, adding is a few operations.

const SUB_BITS = 6;
const SUB_COUNT = 1 << SUB_BITS;
const OCTAVES = 32;

export class Histogram {
  count = 0;
  sumNs = 0;
  maxNs = 0;
  readonly #buckets = new Float64Array((OCTAVES + 1) * SUB_COUNT);

  record(ns: number): void {
    this.count++;
    this.sumNs += ns;
    if (ns > this.maxNs) this.maxNs = ns;
    const index = bucketOf(ns);
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
  }

  clear(): void {
    this.count = 0;
    this.sumNs = 0;
    this.maxNs = 0;
    this.#buckets.fill(0);
  }

  /** In milliseconds; share 0.99 is the 99th percentile. */
  percentileMs(share: number): number {
    if (this.count === 0) return 0;
    const wanted = Math.max(1, Math.ceil(share * this.count));
    let seen = 0;
    for (let i = 0; i < this.#buckets.length; i++) {
      seen += this.#buckets[i] ?? 0;
      if (seen >= wanted) return Math.min(upperEndOf(i), this.maxNs) / 1e6;
    }
    return this.maxNs / 1e6;
  }

  meanMs(): number {
    return this.count === 0 ? 0 : this.sumNs / this.count / 1e6;
  }
}

function bucketOf(ns: number): number {
  const value = Math.max(1, Math.floor(ns));
  const octave = Math.floor(Math.log2(value));
  if (octave < SUB_BITS) return value;
  const bounded = Math.min(octave, OCTAVES + SUB_BITS - 1);
  const inOctave = Math.floor(value / 2 ** (bounded - SUB_BITS)) - SUB_COUNT;
  return Math.min((bounded - SUB_BITS + 1) * SUB_COUNT + inOctave, (OCTAVES + 1) * SUB_COUNT - 1);
}

/** The upper end of a bucket. */
function upperEndOf(index: number): number {
  if (index < SUB_COUNT) return index;
  const octave = Math.floor(index / SUB_COUNT) - 1;
  return (SUB_COUNT + (index % SUB_COUNT) + 1) * 2 ** octave;
}
