// Room: store. HA thread (main in inline mode), which has an event loop for it. HaTransport over node:net: the listener of a broker and
// the way out of a slave. No policy here.
//
// What leaves goes by one send(2) straight from the caller's memory; only what the kernel does not take at once is copied and left to
// the stream. So nobody holds memory of the log longer than the call.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { splitHostPort } from '../../base/net-address.js';
import { trySend } from '../../native/socket.js';
import type { HaDial, HaTransport, HaTransportEvents } from './ha-transport.js';

class SocketTransport implements HaTransport {
  readonly remoteAddress: string;
  readonly #socket: Socket;
  readonly #onRoom: () => void;

  constructor(socket: Socket, remoteAddress: string, onRoom: () => void) {
    this.#socket = socket;
    this.remoteAddress = remoteAddress;
    this.#onRoom = onRoom;
    socket.setNoDelay(true);
  }

  get isWritable(): boolean {
    return this.#socket.writableLength === 0 && !this.#socket.destroyed;
  }

  send(bytes: Uint8Array, start: number, lengthBytes: number): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const fd = (socket as unknown as { _handle: { fd?: number } | null })._handle?.fd ?? -1;
    const taken =
      socket.writableLength === 0 && fd >= 0 ? trySend(fd, bytes, start, lengthBytes) : 0;
    // A refusal of any kind is left to the stream, which meets it again and says so by its events.
    const sent = Math.max(0, taken);
    if (sent === lengthBytes) return;
    socket.write(Buffer.from(bytes.subarray(start + sent, start + lengthBytes)), this.#onRoom);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** @param onActivity something happened that the agents should look at. */
export function dialBySocket(onActivity: () => void): HaDial {
  return (address, events) => {
    const { host, port } = splitHostPort(address);
    const socket = connect({ host, port });
    socket.on('connect', () => {
      events.onConnect?.();
      onActivity();
    });
    return wire(socket, address, () => events, onActivity);
  };
}

export interface HaListener {
  /** Rejects when the port is taken. */
  listen(): Promise<number>;
  close(): void;
}

export function listenBySocket(
  host: string,
  port: number,
  accept: (transport: HaTransport) => HaTransportEvents,
  onActivity: () => void,
): HaListener {
  const server: Server = createServer((socket) => {
    const address = `${socket.remoteAddress ?? '?'}:${socket.remotePort ?? 0}`;
    let events: HaTransportEvents | null = null;
    const transport = wire(socket, address, () => events, onActivity);
    events = accept(transport);
    onActivity();
  });
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          // An accept that fails for want of descriptors is tried again by the loop.
          server.on('error', () => {});
          const bound = server.address();
          resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
        });
      }),
    close: () => {
      server.close();
    },
  };
}

function wire(
  socket: Socket,
  address: string,
  events: () => HaTransportEvents | null,
  onActivity: () => void,
): HaTransport {
  let cause = 'closed by the peer';
  socket.on('data', (chunk) => {
    events()?.onBytes(chunk);
    onActivity();
  });
  socket.on('error', (error) => {
    cause = error.message;
  });
  socket.on('close', () => {
    events()?.onClose(cause);
    onActivity();
  });
  return new SocketTransport(socket, address, onActivity);
}
