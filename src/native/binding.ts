// Room: native. Any thread. Loads the addon once and says what is in it; the other files of this room are its typed doors.

import { createRequire } from 'node:module';

/** Advice numbers of madvise(2) on Linux. */
export const Advice = {
  NORMAL: 0,
  RANDOM: 1,
  SEQUENTIAL: 2,
  WILLNEED: 3,
  DONTNEED: 4,
  POPULATE_READ: 22,
  POPULATE_WRITE: 23,
} as const;

export interface NativeBinding {
  createMapping(path: string, sizeBytes: number, writeZeros: boolean): number;
  openMapping(path: string, sizeBytes: number): number;
  view(id: number): ArrayBuffer;
  /** Gives one reference back; a view that is handed in is detached. */
  releaseMapping(id: number, view: ArrayBuffer | null): void;
  sync(id: number, position: number, lengthBytes: number): void;
  resident(id: number, position: number, lengthBytes: number): boolean;
  advise(id: number, position: number, lengthBytes: number, advice: number): void;
  lockMemory(id: number, position: number, lengthBytes: number): void;
  unlockMemory(id: number, position: number, lengthBytes: number): void;
  crc32(bytes: Uint8Array, start: number, lengthBytes: number, previous: number): number;
  copyBytes(
    target: Uint8Array,
    at: number,
    source: Uint8Array,
    start: number,
    lengthBytes: number,
  ): number;
  copyTwo(
    target: Uint8Array,
    bodyAt: number,
    body: Uint8Array,
    bodyStart: number,
    bodyLength: number,
    propertiesAt: number,
    properties: Uint8Array,
    propertiesStart: number,
    propertiesLength: number,
  ): number;
  send(fd: number, bytes: Uint8Array, start: number, lengthBytes: number): number;
  lockFile(path: string): number;
  unlockFile(fd: number): void;
  syncDirectory(path: string): void;
  dropCache(path: string): void;
  setFaults(spec: string): boolean;
}

/** What every function of the addon throws. */
export interface NativeError extends Error {
  /** The errno's name, as ENOSPC; ESIZE when a file has another length than was asked for. */
  readonly code: string;
  readonly errno: number;
  readonly syscall: string;
  readonly path: string;
}

export function isNativeError(error: unknown): error is NativeError {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

// The addon stands in build/ of the package, for src/native (tests) and dist/native alike.
export const binding = createRequire(import.meta.url)(
  '../../build/Release/cometmq.node',
) as NativeBinding;
