// Room: remoting. Main thread. What runs before and after each request, on a client (signing) or on a dispatcher (access
// control). Follows Java's RPCHook.

import type { RemotingCommand } from '../protocol/remoting-command.js';

export interface RpcHook {
  /** A throw refuses the request: nothing is sent, or the error is the answer. May change the request's ext fields. */
  before(remoteAddress: string, request: RemotingCommand): void;
  /** The response is null for a oneway request and for one that is answered later. */
  after?(remoteAddress: string, request: RemotingCommand, response: RemotingCommand | null): void;
}
