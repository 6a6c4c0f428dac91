// Test support: a commit log in a folder of its own, on a manual clock, and requests to append.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '../../src/base/clock.js';
import type { CursorPage } from '../../src/ring/cursor.js';
import {
  AppendRequest,
  CommitLog,
  type CommitLogOptions,
} from '../../src/store/commitlog/commit-log.js';
import { defaultStoreConfig, type StoreConfig } from '../../src/store/store-config.js';
import { createStoreCursors } from '../../src/store/store-cursors.js';
import { newFolder } from './golden-store.js';

export const NOW_MS = 1_700_000_000_000;
export const FILE_BYTES = 16_384;
const EMPTY = { minOffset: 0, maxOffset: 0, queueOffsets: new Map<string, number>() };

export interface LogFixture {
  readonly root: string;
  readonly config: StoreConfig;
  readonly cursors: CursorPage;
  readonly clock: ManualClock;
  readonly log: CommitLog;
}

export function openLog(
  changes: Partial<StoreConfig> = {},
  options: Partial<CommitLogOptions> = {},
): LogFixture {
  const root = changes.storePathRootDir ?? newFolder();
  const config = { ...defaultStoreConfig(root), mappedFileSizeCommitLog: FILE_BYTES, ...changes };
  const cursors = options.cursors ?? createStoreCursors();
  const clock = new ManualClock(NOW_MS);
  const log = new CommitLog({ config, cursors, clock, recovered: EMPTY, ...options });
  log.beginBatch(NOW_MS);
  return { root, config, cursors, clock, log };
}

export interface RequestFields {
  readonly topic?: string;
  readonly queueId?: number;
  readonly sysFlag?: number;
  readonly body?: Uint8Array;
  readonly properties?: string | Uint8Array;
}

export function requestOf(fields: RequestFields = {}): AppendRequest {
  const request = new AppendRequest();
  request.topic = fields.topic ?? 'TopicTest';
  request.queueId = fields.queueId ?? 0;
  request.sysFlag = fields.sysFlag ?? 0;
  request.bornTimestamp = NOW_MS - 5;
  request.bornHost = Uint8Array.of(127, 0, 0, 1);
  request.bornPort = 50_000;
  request.body = fields.body ?? Buffer.from('hello');
  request.bodyLength = request.body.length;
  request.properties = Buffer.from(fields.properties ?? 'TAGS\u0001a');
  request.propertiesLength = request.properties.length;
  return request;
}

/** A body with which the record of a request takes that many bytes. */
export function bodyForRecord(recordBytes: number, fields: RequestFields = {}): Uint8Array {
  const { topic, propertiesLength } = requestOf(fields);
  return Buffer.alloc(recordBytes - 91 - Buffer.byteLength(topic) - propertiesLength, 'x');
}

export function logFileNames(root: string): string[] {
  return readdirSync(join(root, 'commitlog')).sort();
}

export function logFile(root: string, name: string): Buffer {
  return readFileSync(join(root, 'commitlog', name));
}
