// Room: native. A file in memory, as one thread sees it. Regions of one file share a mapping in the process and one view in the thread;
// each must be released. After the thread's last release the view is detached: its length is 0, so that a late reader finds nothing
// rather than freed memory. Any failure is a NativeError.

import { type Advice, binding } from './binding.js';

export interface CreateOptions {
  /** Where the file system cannot allocate (EOPNOTSUPP): write the zeros. Slow. */
  readonly writeZeros?: boolean;
}

interface SharedView {
  readonly id: number;
  readonly memory: ArrayBuffer;
  readonly buffer: Buffer;
  regions: number;
}

/** This thread's views by mapping id. */
const views = new Map<number, SharedView>();

export class MappedRegion {
  readonly path: string;
  readonly sizeBytes: number;
  /** This thread's view of the whole file. */
  readonly buffer: Buffer;
  readonly #view: SharedView;
  #released = false;

  private constructor(path: string, sizeBytes: number, view: SharedView) {
    this.path = path;
    this.sizeBytes = sizeBytes;
    this.buffer = view.buffer;
    this.#view = view;
  }

  /**
   * Makes a file of that size, all of it allocated; it and its name are on disk when this returns. It has no name before that.
   * Throws EEXIST when the path is taken, ENOSPC when there is no room, EOPNOTSUPP on a file system that cannot allocate.
   */
  static create(path: string, sizeBytes: number, options: CreateOptions = {}): MappedRegion {
    const id = binding.createMapping(path, sizeBytes, options.writeZeros === true);
    return MappedRegion.#of(path, sizeBytes, id);
  }

  /** Throws ENOENT when there is no file, ESIZE when it has another length. */
  static open(path: string, sizeBytes: number): MappedRegion {
    return MappedRegion.#of(path, sizeBytes, binding.openMapping(path, sizeBytes));
  }

  static #of(path: string, sizeBytes: number, id: number): MappedRegion {
    let view = views.get(id);
    if (view === undefined) {
      const memory = binding.view(id);
      view = { id, memory, buffer: Buffer.from(memory), regions: 0 };
      views.set(id, view);
    } else {
      // One reference a thread is enough: its view is shared.
      binding.releaseMapping(id, null);
    }
    view.regions++;
    return new MappedRegion(path, sizeBytes, view);
  }

  get isReleased(): boolean {
    return this.#released;
  }

  /** Blocks until the range is on disk. After a throw nothing is known about it, and asking again would lie. */
  sync(position: number, lengthBytes: number): void {
    binding.sync(this.#view.id, position, lengthBytes);
  }

  /** True when reading the range would not wait for the disk. */
  isResident(position: number, lengthBytes: number): boolean {
    return binding.resident(this.#view.id, position, lengthBytes);
  }

  advise(
    position: number,
    lengthBytes: number,
    advice: (typeof Advice)[keyof typeof Advice],
  ): void {
    binding.advise(this.#view.id, position, lengthBytes, advice);
  }

  lock(): void {
    binding.lockMemory(this.#view.id, 0, this.sizeBytes);
  }

  unlock(): void {
    binding.unlockMemory(this.#view.id, 0, this.sizeBytes);
  }

  /** The last region of a file in the thread detaches the view; the last thread unmaps. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (--this.#view.regions > 0) return;
    views.delete(this.#view.id);
    binding.releaseMapping(this.#view.id, this.#view.memory);
  }
}
