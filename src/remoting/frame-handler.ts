// Room: remoting. Main thread. Whoever takes the frames that connections cut: the acceptor's router, a dispatcher, a client.

import type { Connection } from './connection.js';

export interface FrameHandler {
  /**
   * One whole frame with its length word, valid during the call only. The code is -1 when only the full decoder can tell it.
   * A CometError thrown here closes the connection; a frame that can not be taken now is given back by connection.refuseFrame().
   */
  onFrame(connection: Connection, frame: Buffer, requestCode: number): void;
  onConnect?(connection: Connection): void;
  /** Once for each connection, when it begins to close. */
  onClose?(connection: Connection, reason: string): void;
}

/** send(2): the bytes that were sent, or a negative errno. */
export type NativeSend = (
  fd: number,
  memory: Uint8Array,
  start: number,
  lengthBytes: number,
) => number;
