// Room: remoting. Main thread. Request code to processor, and what a failure answers (protocol.md 1.7). Cold: the control plane.
// Always holds: each request that is not oneway gets at most one answer; a processor's failure is answered, never lost; asserts
// are not caught.

import { AssertionError } from '../base/assert.js';
import { isCometError } from '../base/errors.js';
import { getLogger } from '../base/logger.js';
import { decodeFrame, encodeFrame } from '../protocol/frame-codec.js';
import {
  createResponse,
  isOneway,
  isResponse,
  type RemotingCommand,
} from '../protocol/remoting-command.js';
import { requestCodeName } from '../protocol/request-code.js';
import { ResponseCode } from '../protocol/response-code.js';
import type { Connection } from './connection.js';
import type { FrameHandler } from './frame-handler.js';
import type { RpcHook } from './rpc-hook.js';

/** Null: no answer now; whoever keeps the connection answers later. */
export type ProcessorResult = RemotingCommand | null;

export type RequestProcessor = (
  command: RemotingCommand,
  connection: Connection,
) => ProcessorResult | Promise<ProcessorResult>;

export class RequestDispatcher {
  readonly #processors = new Map<number, RequestProcessor>();
  readonly #hooks: RpcHook[] = [];
  #default: RequestProcessor = notSupported;

  register(codes: readonly number[], processor: RequestProcessor): void {
    for (const code of codes) this.#processors.set(code, processor);
  }

  /** For codes that nobody registered; answers REQUEST_CODE_NOT_SUPPORTED otherwise. */
  setDefault(processor: RequestProcessor): void {
    this.#default = processor;
  }

  addHook(hook: RpcHook): void {
    this.#hooks.push(hook);
  }

  /** The command must own its body: it may be answered after the frame is gone. */
  dispatch(connection: Connection, command: RemotingCommand): void {
    if (isResponse(command)) {
      connection.completeResponse(command);
      return;
    }
    try {
      for (const hook of this.#hooks) hook.before(connection.remoteAddress, command);
      const processor = this.#processors.get(command.code) ?? this.#default;
      const result = processor(command, connection);
      if (result instanceof Promise) {
        result.then(
          (response) => this.#answer(connection, command, response),
          (error: unknown) => this.#answer(connection, command, errorResponse(command, error)),
        );
      } else {
        this.#answer(connection, command, result);
      }
    } catch (error) {
      this.#answer(connection, command, errorResponse(command, error));
    }
  }

  #answer(connection: Connection, request: RemotingCommand, response: ProcessorResult): void {
    for (const hook of this.#hooks) hook.after?.(connection.remoteAddress, request, response);
    if (response === null || isOneway(request)) return;
    connection.send(encodeAnswer(request, response));
  }
}

/** Gives whole frames to a dispatcher; for servers without a data plane, and for clients. */
export class DispatchingFrameHandler implements FrameHandler {
  readonly #dispatcher: RequestDispatcher;

  constructor(dispatcher: RequestDispatcher) {
    this.#dispatcher = dispatcher;
  }

  onFrame(connection: Connection, frame: Buffer): void {
    this.#dispatcher.dispatch(connection, decodeFrame(Buffer.from(frame)));
  }
}

/** The answer that an error stands for; a code that no error knows of is SYSTEM_ERROR, so that clients try elsewhere. */
export function errorResponse(request: RemotingCommand, error: unknown): RemotingCommand {
  if (error instanceof AssertionError) throw error;
  if (isCometError(error)) return createResponse(request, error.responseCode, error.message);
  const name = requestCodeName(request.code);
  getLogger('remoting').error(`${name} failed`, { err: error });
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return createResponse(request, ResponseCode.SYSTEM_ERROR, text);
}

/** An answer that does not fit in a frame must not leave its requester waiting. */
function encodeAnswer(request: RemotingCommand, response: RemotingCommand): Buffer {
  try {
    return encodeFrame(response);
  } catch (error) {
    return encodeFrame(errorResponse(request, error));
  }
}

function notSupported(command: RemotingCommand): RemotingCommand {
  // The space in front is Java's.
  const remark = ` request type ${command.code} not supported`;
  return createResponse(command, ResponseCode.REQUEST_CODE_NOT_SUPPORTED, remark);
}
