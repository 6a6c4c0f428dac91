// A store in the trial's folder for the benches of its parts: one thread plays all owners. Files are smaller than a broker's, so that
// a trial neither waits for gigabytes nor leaves them.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '#dist/base/clock.js';
import type { CursorPage } from '#dist/ring/cursor.js';
import { type AppendRequest, CommitLog } from '#dist/store/commitlog/commit-log.js';
import { PutMessageStatus } from '#dist/store/put-message.js';
import { defaultStoreConfig, type StoreConfig } from '#dist/store/store-config.js';
import { createStoreCursors } from '#dist/store/store-cursors.js';
import type { Trial } from './harness.js';

const LOG_FILE_BYTES = 128 * 1024 * 1024;
const SMOKE_LOG_FILE_BYTES = 1024 * 1024;
const EMPTY = { minOffset: 0, maxOffset: 0, queueOffsets: new Map<string, number>() };
let made = 0;

export interface LogFixture {
  readonly root: string;
  readonly config: StoreConfig;
  readonly cursors: CursorPage;
  readonly clock: Clock;
  readonly log: CommitLog;
  close(): void;
}

export function openLog(run: Trial, changes: Partial<StoreConfig> = {}): LogFixture {
  const root = join(run.folder(), `store-${made++}`);
  mkdirSync(root);
  const config: StoreConfig = {
    ...defaultStoreConfig(root),
    storePathCommitLog: join(root, 'commitlog'),
    mappedFileSizeCommitLog: run.scale(LOG_FILE_BYTES, SMOKE_LOG_FILE_BYTES),
    mappedFileSizeConsumeQueue: run.scale(300_000, 3_000) * 20,
    maxHashSlotNum: run.scale(500_000, 100),
    maxIndexNum: run.scale(2_000_000, 400),
    ...changes,
  };
  const cursors = createStoreCursors();
  const log = new CommitLog({ config, cursors, clock: systemClock, recovered: EMPTY });
  log.beginBatch(Date.now());
  return {
    root,
    config,
    cursors,
    clock: systemClock,
    log,
    close() {
      log.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function mustAppend(log: CommitLog, request: AppendRequest): void {
  const status = log.append(request);
  if (status !== PutMessageStatus.PUT_OK) throw new Error(`the append answered ${status}`);
}

/** A log that is made anew when it has taken that many bytes, so that a bench can append for ever. */
export class EndlessLog {
  #fixture: LogFixture;
  readonly #run: Trial;
  readonly #limitBytes: number;

  constructor(run: Trial, limitBytes: number) {
    this.#run = run;
    this.#limitBytes = limitBytes;
    this.#fixture = openLog(run);
  }

  /** For one call of a piece. */
  next(): CommitLog {
    if (this.#fixture.log.wroteOffset > this.#limitBytes) {
      this.close();
      this.#fixture = openLog(this.#run);
    }
    this.#fixture.log.beginBatch(Date.now());
    return this.#fixture.log;
  }

  close(): void {
    this.#fixture.close();
  }
}
