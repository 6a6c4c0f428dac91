// Room: store. Dispatch worker, and recovery. From a record to its index entries: the unique key first, then each of KEYS.
// Rolled-back records have none. Java's CommitLogDispatcherBuildIndex.

import { TRANSACTION_ROLLBACK_TYPE, transactionType } from '../../message/message-sys-flag.js';
import type { IndexService } from '../index/index-service.js';
import type { DispatchRequest } from './dispatch-request.js';
import type { Dispatcher } from './dispatcher.js';

export class BuildIndex implements Dispatcher {
  readonly #index: IndexService;
  readonly #hashes: number[] = [];

  constructor(index: IndexService) {
    this.#index = index;
  }

  dispatch(request: DispatchRequest): void {
    if (!request.hasKeys || transactionType(request.sysFlag) === TRANSACTION_ROLLBACK_TYPE) return;
    const count = request.keyHashes(this.#hashes);
    this.#index.putKeys(this.#hashes, count, request.physicalOffset, request.storeTimestamp);
  }
}
