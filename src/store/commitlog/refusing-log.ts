// Room: store. Commitlog worker of a slave, whose log belongs to the ha thread: it takes nothing in, opens no file and moves no cursor.
// What the worker needs of a log is AppendLog; CommitLog is the other one.

import { PutMessageStatus } from '../put-message.js';
import type { CommitLog } from './commit-log.js';

export type AppendLog = Pick<
  CommitLog,
  | 'lastQueueOffset'
  | 'lastPhysicalOffset'
  | 'lastWroteEnd'
  | 'lastStoreTimestamp'
  | 'batchPhysicalOffsets'
  | 'batchCount'
  | 'beginBatch'
  | 'append'
  | 'appendBatch'
  | 'publishWroteOffset'
  | 'forgetTopics'
  | 'requestManualDelete'
  | 'close'
>;

export class RefusingLog implements AppendLog {
  lastQueueOffset = 0;
  lastPhysicalOffset = 0;
  lastWroteEnd = 0;
  lastStoreTimestamp = 0;
  readonly batchPhysicalOffsets: number[] = [];
  batchCount = 0;
  readonly #onManualDelete: () => void;

  constructor(onManualDelete: () => void) {
    this.#onManualDelete = onManualDelete;
  }

  beginBatch(): void {}

  append(): PutMessageStatus {
    return PutMessageStatus.SERVICE_NOT_AVAILABLE;
  }

  appendBatch(): PutMessageStatus {
    return PutMessageStatus.SERVICE_NOT_AVAILABLE;
  }

  publishWroteOffset(): void {}

  /** Queue offsets come with the master's records. */
  forgetTopics(): void {}

  requestManualDelete(): void {
    this.#onManualDelete();
  }

  close(): void {}
}
