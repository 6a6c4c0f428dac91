// Room: native. Main thread. The lock of a store folder, the same as Java's: byte 0 of the file `lock`, which reads "lock". Failures are
// NativeErrors; EAGAIN or EACCES mean that another process holds it.

import { binding } from './binding.js';

export interface FileLock {
  release(): void;
}

export function lockFile(path: string): FileLock {
  const fd = binding.lockFile(path);
  return { release: () => binding.unlockFile(fd) };
}
