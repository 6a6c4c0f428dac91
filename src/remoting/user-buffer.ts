// Room: remoting. Main thread. Reads of a plain socket into one buffer that all connections share. Node gives each read a buffer of
// 64 KiB of its own, and collecting those was a tenth of the broker's CPU time (bench/02-remoting). net.Socket can read into a
// buffer of its user's (`onread`), but offers that only for sockets that it connects itself; for accepted ones the same switch is
// thrown here, by the fields that the option sets. Where a Node version has other fields, reads go on as usual.
//
// The shared buffer is safe because a read is taken synchronously: when the callback returns nothing refers to its bytes any more.

import type { Socket } from 'node:net';

const SHARED_BYTES = 256 * 1024;
const shared = Buffer.allocUnsafeSlow(SHARED_BYTES);

interface ReadableHandle {
  useUserBuffer?: (buffer: Uint8Array) => void;
}

/**
 * From the next read on, bytes go to onRead and no longer to `data` listeners.
 * @param onRead gets a view that is valid during the call.
 * @returns false when this Node offers no such thing; nothing has changed then.
 */
export function readIntoSharedBuffer(socket: Socket, onRead: (chunk: Buffer) => void): boolean {
  const fields = new Map(
    Object.getOwnPropertySymbols(socket).map((symbol) => [symbol.description, symbol]),
  );
  const bufferField = fields.get('kBuffer');
  const callbackField = fields.get('kBufferCb');
  const handle = (socket as unknown as { _handle: ReadableHandle | null })._handle;
  if (bufferField === undefined || callbackField === undefined) return false;
  if (handle === null || typeof handle.useUserBuffer !== 'function') return false;
  const internals = socket as unknown as Record<symbol, unknown>;
  internals[callbackField] = (size: number): boolean => {
    onRead(shared.subarray(0, size));
    return !socket.isPaused();
  };
  internals[bufferField] = shared;
  handle.useUserBuffer(shared);
  return true;
}
