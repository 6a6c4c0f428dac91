// Room: broker, main thread. Access control as a hook of the dispatcher, and before the workers (protocol.md 10): nothing of a request
// is done before it was allowed.
// Always holds: a worker sees what was checked. A frame may name a field or a code twice, and two readers may differ in which one they
// take; so what goes on is the checked command, encoded anew.

import { isCometError } from '../../base/errors.js';
import { decodeFrame, encodeFrame } from '../../protocol/frame-codec.js';
import { isOneway, isResponse, type RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import type { Connection } from '../../remoting/connection.js';
import type { FrameHandler } from '../../remoting/frame-handler.js';
import { errorResponse } from '../../remoting/request-dispatcher.js';
import type { RpcHook } from '../../remoting/rpc-hook.js';
import { aclError } from './acl-error.js';
import type { PlainPermissionManager } from './plain-permission-manager.js';

/** What peekRequestCode says when only the decoder can tell. */
const UNKNOWN_CODE = -1;

export class AclHook implements RpcHook {
  readonly #permissions: PlainPermissionManager;

  constructor(permissions: PlainPermissionManager) {
    this.#permissions = permissions;
  }

  /** Throws ACL_REFUSED or NO_PERMISSION. */
  before(remoteAddress: string, request: RemotingCommand): void {
    const refusal = this.#permissions.refusal(remoteAddress, request);
    if (refusal !== null) throw aclError(refusal);
  }
}

const OF_THE_WORKERS: ReadonlySet<number> = new Set([
  RequestCode.SEND_MESSAGE,
  RequestCode.SEND_MESSAGE_V2,
  RequestCode.SEND_BATCH_MESSAGE,
  RequestCode.PULL_MESSAGE,
]);

/** Stands before the acceptor's handler when there is access control; other frames are checked by the dispatcher. */
export function checkedFrames(handler: FrameHandler, hook: RpcHook): FrameHandler {
  return {
    ...handler,
    onFrame: (connection, frame, requestCode) => {
      if (requestCode !== UNKNOWN_CODE && !OF_THE_WORKERS.has(requestCode)) {
        handler.onFrame(connection, frame, requestCode);
        return;
      }
      const command = decodeFrame(frame);
      if (isResponse(command)) {
        handler.onFrame(connection, frame, UNKNOWN_CODE);
        return;
      }
      // The decoded code is the one that the rules are asked about.
      const { code } = command;
      const checked = OF_THE_WORKERS.has(code) ? checkedFrame(connection, command, hook) : frame;
      if (checked !== null) handler.onFrame(connection, checked, code);
    },
  };
}

/** Null when it was refused, and answered if anyone waits. */
function checkedFrame(
  connection: Connection,
  command: RemotingCommand,
  hook: RpcHook,
): Buffer | null {
  try {
    hook.before(connection.remoteAddress, command);
    return encodeFrame(command);
  } catch (error) {
    if (!isCometError(error)) throw error;
    if (!isOneway(command)) connection.send(encodeFrame(errorResponse(command, error)));
    return null;
  }
}
