// Room: store. Dispatch worker, and recovery. What every derivation from the log looks like; the agent runs a list of them in
// order (a bitmap first when filters are calculated, then the queues, then the index). Java's CommitLogDispatcher.

import type { DispatchRequest } from './dispatch-request.js';

export interface Dispatcher {
  /**
   * Derives from one record. Must be repeatable: a record may come again after a failure or a restart.
   * Throws NativeError when a file can't be made; nothing of this dispatcher's work is then half done.
   */
  dispatch(request: DispatchRequest): void;
}
