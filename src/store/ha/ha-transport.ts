// Room: store. HA thread. One TCP connection as replication sees it, so that it can be tested without sockets; ha-socket.ts has the
// real one. Whoever makes a transport calls its events, and none after onClose.

export interface HaTransport {
  readonly remoteAddress: string;
  /** All that was given to send() has left: there is room for more. */
  readonly isWritable: boolean;
  /** The bytes may change when this returns. */
  send(bytes: Uint8Array, start: number, lengthBytes: number): void;
  close(): void;
}

export interface HaTransportEvents {
  /** Not called for accepted connections. */
  onConnect?(): void;
  /** The chunk is valid during the call. */
  onBytes(chunk: Uint8Array): void;
  onClose(reason: string): void;
}

/** Begins to connect to `host:port`. */
export type HaDial = (address: string, events: HaTransportEvents) => HaTransport;
