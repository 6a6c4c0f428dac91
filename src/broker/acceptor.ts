// Room: broker, main thread. Hot (bench/90-broker-throughput). Sorts frames by their request code and nothing else: sends go to the commitlog
// worker, pulls to the dispatch worker, the rest is the control plane's. Two servers feed it: the listen port, and the fast port
// (listenPort - 2), which serves everything but pulls, as Java's does. Who reads and writes: main only.

import { decodeFrame, peekRequestCode } from '../protocol/frame-codec.js';
import { isResponse } from '../protocol/remoting-command.js';
import { RequestCode } from '../protocol/request-code.js';
import type { Connection } from '../remoting/connection.js';
import type { FrameHandler } from '../remoting/frame-handler.js';
import type { RequestDispatcher } from '../remoting/request-dispatcher.js';
import type { HandOver } from '../workers/hand-over.js';

/** What peekRequestCode says when only the decoder can tell: headers of clients that write their keys in another order. */
const UNKNOWN_CODE = -1;

export interface AcceptorOptions {
  readonly toCommitlog: HandOver;
  readonly toDispatch: HandOver;
  readonly dispatcher: RequestDispatcher;
  /** A frame went to a worker: its answer is to be looked for soon. */
  readonly onHandedOver: () => void;
}

export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #connections = new Map<number, Connection>();
  #nextId = 1;

  constructor(options: AcceptorOptions) {
    this.#options = options;
  }

  /** Numbers connections over all servers: workers know a connection by its number. */
  readonly nextConnectionId = (): number => {
    do this.#nextId = this.#nextId === 0x7fff_ffff ? 1 : this.#nextId + 1;
    while (this.#connections.has(this.#nextId));
    return this.#nextId;
  };

  readonly connection = (id: number): Connection | undefined => this.#connections.get(id);

  /** The handler of one server. */
  handler(servesPulls: boolean): FrameHandler {
    const { toCommitlog, toDispatch, onHandedOver } = this.#options;
    return {
      onFrame: (connection, frame, requestCode) => {
        switch (requestCode === UNKNOWN_CODE ? decodedCode(frame) : requestCode) {
          case RequestCode.SEND_MESSAGE:
          case RequestCode.SEND_MESSAGE_V2:
          case RequestCode.SEND_BATCH_MESSAGE:
            toCommitlog.frame(connection, frame);
            onHandedOver();
            break;
          case RequestCode.PULL_MESSAGE:
            if (servesPulls) {
              toDispatch.frame(connection, frame);
              onHandedOver();
            } else this.#control(connection, frame);
            break;
          default:
            this.#control(connection, frame);
        }
      },
      onConnect: (connection) => this.#connections.set(connection.id, connection),
      onClose: (connection) => {
        this.#connections.delete(connection.id);
        toDispatch.connectionClosed(connection.id);
      },
    };
  }

  #control(connection: Connection, frame: Buffer): void {
    // The frame is the reader's; a command may be answered after it is gone.
    this.#options.dispatcher.dispatch(connection, decodeFrame(Buffer.from(frame)));
  }
}

/** Of a whole frame that is a request. */
export function requestCodeOf(frame: Buffer): number {
  const code = peekRequestCode(frame, 0);
  return code === UNKNOWN_CODE ? decodedCode(frame) : code;
}

/** Responses have codes of their own. */
function decodedCode(frame: Buffer): number {
  const command = decodeFrame(frame);
  return isResponse(command) ? UNKNOWN_CODE : command.code;
}
