// Room: store. Dispatch worker only. One file of a ConsumeQueue or of its ext stream, mapped when it is first touched, and the
// pool that caps how many are mapped at once: the kernel allows 65,530 mappings in a process, and a broker may have more
// queue files than that. Unmapping loses nothing: written pages stay in the page cache.
// Always holds: 0 <= flushedPosition <= wrotePosition <= sizeBytes; the pool counts exactly the files whose region is there.

import { MappedRegion } from '../../native/mapped-region.js';

/** Far below vm.max_map_count, so that the log, the index and the runtime have theirs. */
export const MAX_MAPPED_QUEUE_FILES = 20_000;

/** Share of the pool that one eviction frees, so that evictions are rare. */
const EVICTION_DIVISOR = 16;

export class MappedFilePool {
  readonly #capacity: number;
  readonly #mapped = new Set<QueueFile>();
  #tick = 0;

  constructor(capacity = MAX_MAPPED_QUEUE_FILES) {
    this.#capacity = Math.max(2, capacity);
  }

  get mappedCount(): number {
    return this.#mapped.size;
  }

  /** A time that grows with every mapping; files keep the time of their last use. */
  get tick(): number {
    return this.#tick;
  }

  onMap(file: QueueFile): void {
    if (this.#mapped.size >= this.#capacity) this.#evict();
    this.#tick++;
    this.#mapped.add(file);
  }

  onUnmap(file: QueueFile): void {
    this.#mapped.delete(file);
  }

  /** Unmaps the files that were not used for longest. */
  #evict(): void {
    const byAge = [...this.#mapped].sort((a, b) => a.lastUsedTick - b.lastUsedTick);
    const count = Math.max(1, Math.floor(byAge.length / EVICTION_DIVISOR));
    for (const file of byAge.slice(0, count)) file.unmap();
  }
}

export class QueueFile {
  readonly path: string;
  readonly fileFromOffset: number;
  readonly sizeBytes: number;
  wrotePosition = 0;
  flushedPosition = 0;
  lastUsedTick = 0;
  readonly #pool: MappedFilePool;
  #region: MappedRegion | null = null;

  constructor(path: string, fileFromOffset: number, sizeBytes: number, pool: MappedFilePool) {
    this.path = path;
    this.fileFromOffset = fileFromOffset;
    this.sizeBytes = sizeBytes;
    this.#pool = pool;
  }

  get isFull(): boolean {
    return this.wrotePosition === this.sizeBytes;
  }

  get isMapped(): boolean {
    return this.#region !== null;
  }

  /** The file's bytes. Not to be kept over any other call into the pool: the next mapping may unmap this one. */
  get buffer(): Buffer {
    return this.region.buffer;
  }

  get region(): MappedRegion {
    let region = this.#region;
    if (region === null) {
      this.lastUsedTick = this.#pool.tick;
      this.#pool.onMap(this);
      region = MappedRegion.open(this.path, this.sizeBytes);
      this.#region = region;
    }
    this.lastUsedTick = this.#pool.tick;
    return region;
  }

  /** Makes the file on disk, at full length, and maps it. Throws NativeError (ENOSPC and the like). */
  create(): void {
    const region = MappedRegion.create(this.path, this.sizeBytes);
    this.#pool.onMap(this);
    this.#region = region;
    this.lastUsedTick = this.#pool.tick;
  }

  /** Writes what is dirty to disk. Throws NativeError when that fails. */
  flush(): void {
    const to = this.wrotePosition;
    if (to <= this.flushedPosition) return;
    this.region.sync(this.flushedPosition, to - this.flushedPosition);
    this.flushedPosition = to;
  }

  setPosition(position: number): void {
    this.wrotePosition = position;
    this.flushedPosition = position;
  }

  unmap(): void {
    if (this.#region === null) return;
    this.#region.release();
    this.#region = null;
    this.#pool.onUnmap(this);
  }
}
