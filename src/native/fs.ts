// Room: native. Any thread. What Node's fs does not offer, and the fault table for tests.

import { binding } from './binding.js';

/** The names in the folder are on disk when this returns. */
export function syncDirectory(path: string): void {
  binding.syncDirectory(path);
}

/** Drops the file's clean pages from memory, so that the next read sees the disk. */
export function dropCache(path: string): void {
  binding.dropCache(path);
}

/** Tests only: "msync@7=EIO,fallocate@2=ENOSPC,msync=500ms"; an empty text clears it. */
export function setFaults(spec: string): void {
  if (!binding.setFaults(spec))
    throw new Error(`cannot read the fault table ${JSON.stringify(spec)}`);
}
