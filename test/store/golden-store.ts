// Test support: golden stores of a real 4.9.7 broker, unpacked into a folder of their own, and small stores made here.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_DELAY_LEVELS } from '../../src/message/delay-level-table.js';
import type { RecoveryConfig } from '../../src/store/recovery/recover-store.js';
import { goldenJson, goldenPath } from '../golden-data.js';

/** In memory where that is possible: these tests open stores by the hundred, and every new file is synced. */
const BASE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const made: string[] = [];

/** A new folder, removed by removeFolders(). */
export function newFolder(): string {
  const folder = mkdtempSync(join(BASE, 'cometmq-store-'));
  made.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export type GoldenName = 'main' | 'kill9' | 'sql' | 'v6' | 'ha-master' | 'ha-slave';

export function unpack(name: GoldenName): string {
  const folder = newFolder();
  const untar = (file: string) => execFileSync('tar', ['xzf', goldenPath(file), '-C', folder]);
  if (name === 'kill9') {
    untar('store-main.tar.gz');
    untar('store-kill9-overlay.tar.gz');
  } else {
    untar(`store-${name}.tar.gz`);
  }
  return folder;
}

export function storeConfig(root: string, changes: Partial<RecoveryConfig> = {}): RecoveryConfig {
  mkdirSync(root, { recursive: true });
  return {
    storePathRootDir: root,
    storePathCommitLog: null,
    readOnlyCommitLogStorePaths: null,
    mappedFileSizeCommitLog: 1_048_576,
    mappedFileSizeConsumeQueue: 6_000,
    enableConsumeQueueExt: false,
    mappedFileSizeConsumeQueueExt: 512,
    maxHashSlotNum: 500,
    maxIndexNum: 1_000,
    enableMultiDispatch: false,
    enableLmq: false,
    messageDelayLevel: DEFAULT_DELAY_LEVELS,
    checkCRCOnRecover: true,
    messageIndexEnable: true,
    messageIndexSafe: false,
    ...changes,
  };
}

export function goldenConfig(name: GoldenName, root: string): RecoveryConfig {
  if (name.startsWith('ha')) return storeConfig(root, { mappedFileSizeCommitLog: 65_536 });
  if (name !== 'sql') return storeConfig(root);
  return storeConfig(root, {
    enableConsumeQueueExt: true,
    enableLmq: true,
    enableMultiDispatch: true,
  });
}

export interface GoldenMessage {
  readonly off: number;
  readonly size: number;
  readonly queueId: number;
  readonly queueOffset: number;
  readonly sysFlag: number;
  readonly store: number;
  readonly topic: string;
  readonly propsRaw: string;
}

export interface GoldenDump {
  /** Only of the store with an ext stream. */
  readonly consumequeue_ext?: Record<
    string,
    { readonly units: readonly { readonly bitMap: string }[] }
  >;
  readonly commitlog: readonly { readonly name: string; readonly used: number }[];
  readonly messages: readonly GoldenMessage[];
  readonly consumequeue: Record<
    string,
    readonly {
      readonly name: string;
      readonly size: number;
      readonly count: number;
      readonly entries: readonly (readonly [number, number, string])[];
      readonly sha256: string;
    }[]
  >;
  readonly index: readonly {
    readonly name: string;
    readonly beginTimestamp: number;
    readonly endTimestamp: number;
    readonly beginPhyOffset: number;
    readonly endPhyOffset: number;
    readonly hashSlotCount: number;
    readonly indexCount: number;
    readonly sha256: string;
  }[];
}

/** The dump of a store; kill9 lists only what differs from main. */
export function goldenDump(name: GoldenName): GoldenDump {
  const { stores } = goldenJson('golden.json') as {
    stores: Record<string, { dump: GoldenDump }>;
  };
  const store = stores[name];
  if (store === undefined) throw new Error(`no golden store ${name}`);
  return store.dump;
}
