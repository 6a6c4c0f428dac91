// Room: native. Main thread, owner of the sockets. One send(2) that never waits.

import { binding } from './binding.js';

/** @returns how many bytes the kernel took, or a negative errno (-11: its buffer is full). */
export function trySend(fd: number, bytes: Uint8Array, start: number, lengthBytes: number): number {
  return binding.send(fd, bytes, start, lengthBytes);
}
