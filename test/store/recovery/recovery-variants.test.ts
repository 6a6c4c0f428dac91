// The golden recovery.json: what Java 4.9.7 made of a store that was left by kill -9 and then damaged. Java's result is the base; each
// place where this store keeps more than Java is named in DIFFERENCES.

import {
  closeSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { offsetByTime, storeTimestampInQueue } from '../../../src/store/get/offset-by-time.js';
import { queryMessage } from '../../../src/store/get/query-message.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import { goldenJson } from '../../golden-data.js';
import { removeFolders, storeConfig, unpack } from '../golden-store.js';

interface Queue {
  readonly min: number;
  readonly max: number;
  readonly maxPhysicOffset: number;
  readonly lastOffset: number;
}
interface Query {
  readonly topic: string;
  readonly key: string;
  readonly maxNum: number;
  readonly offsets: number[];
  readonly ts: number;
  readonly phy: number;
}
interface Variant {
  readonly name: string;
  readonly ops: readonly Record<string, unknown>[];
  readonly result: {
    readonly load: boolean;
    readonly minPhyOffset: number;
    readonly maxPhyOffset: number;
    readonly queues: Record<string, Queue>;
    readonly topicQueueTable: Record<string, number>;
    readonly storeTimes?: number[];
    readonly offsetByTime?: [number, number][];
    readonly rollByTime?: [number, number, number, number][];
    readonly query?: Query[];
  };
}

/** Where we end up otherwise than Java, and why. `queuesLike` names the variant whose queues we have. */
const DIFFERENCES: Record<
  string,
  { why: string; maxOffset?: number; like?: string; refuses?: RegExp }
> = {
  'torn-tail': {
    why: 'a record torn in its properties is noticed and cut (Java serves it)',
    like: 'torn-body',
  },
  'normal-torn-tail': {
    why: 'the same after a clean stop',
    like: 'torn-body',
  },
  'bad-crc': { why: 'valid records behind a rotten one are kept (Java cuts four)', like: 'kill9' },
  'bad-size': { why: 'valid records behind a rotten one are kept (Java cuts four)', like: 'kill9' },
  'no-cq': { why: 'all queues are built anew (Java loses 13 of 30)', like: 'kill9' },
  'no-cq-start': { why: 'all queues are built anew (Java loses 13 of 30)', like: 'kill9' },
  'no-index': {
    why: 'all keys are indexed again (Java only those of the last file)',
    like: 'kill9',
  },
  'cq-ahead': { why: 'the entry is written anew (Java ends the queue there)', like: 'kill9' },
  'no-last-cl': {
    why: 'a lost log file with traces in the queues refuses (Java goes on without its messages)',
    refuses: /commitlog\/00000000000002097152 is missing/,
  },
  'no-commitlog': {
    why: 'a lost log refuses (Java deletes all queues)',
    refuses: /commitlog\/00000000000000000000 is missing/,
  },
  'short-file': {
    why: 'Java ends with status -3, we with a sentence',
    refuses: /commitlog\/00000000000002097152 has 1048575 bytes/,
  },
};

const { variants } = goldenJson<{ variants: Variant[] }>('recovery.json');
const byName = new Map(variants.map((variant) => [variant.name, variant]));

afterAll(removeFolders);

describe.each(variants)('recovery of $name', (variant) => {
  const difference = DIFFERENCES[variant.name];
  const expected = byName.get(difference?.like ?? variant.name)?.result ?? variant.result;

  it(difference === undefined ? 'gives what Java gives' : difference.why, () => {
    const root = unpack('kill9');
    applyOps(root, variant.ops);
    const config = storeConfig(root);
    if (difference?.refuses !== undefined) {
      expect(() => openStore(config, new ManualClock())).toThrow(difference.refuses);
      return;
    }
    const { state, table, index } = openStore(config, new ManualClock());
    expect(state.minOffset).toBe(Math.max(0, expected.minPhyOffset));
    expect(state.maxOffset).toBe(expected.maxPhyOffset);
    for (const [name, queue] of Object.entries(expected.queues)) {
      const slash = name.lastIndexOf('/');
      const found = table.find(name.slice(0, slash), Number(name.slice(slash + 1)));
      expect({ name, min: found?.minOffset, max: found?.maxOffset }).toEqual({
        name,
        min: queue.min,
        max: queue.max,
      });
      if (difference === undefined) {
        expect({ name, max: found?.maxPhysicOffset }).toEqual({ name, max: queue.maxPhysicOffset });
      }
    }
    for (const [key, offset] of Object.entries(expected.topicQueueTable)) {
      // A started store also knows the 18 queues of the schedule topic, all at 0.
      if (offset > 0) expect([key, state.queueOffsets.get(key)]).toEqual([key, offset]);
    }
    checkTimes(config, table, expected);
    checkQueries(config, index, byName.get('kill9')?.result ?? expected, variant);
    table.close();
    index.close();
  });

  it('changes nothing when it runs once more', () => {
    const root = unpack('kill9');
    applyOps(root, variant.ops);
    const config = storeConfig(root);
    if (difference?.refuses !== undefined) return;
    openAndClose(config);
    const again = openAndClose(config);
    expect(again.maxOffset).toBe(expected.maxPhyOffset);
    expect(again.healedEntries).toBe(0);
    expect(again.rebuiltQueues).toEqual([]);
    expect(again.droppedIndexFiles).toBe(0);
  });
});

function openAndClose(config: ReturnType<typeof storeConfig>) {
  const { state, table, index } = openStore(config, new ManualClock());
  table.close();
  index.close();
  return state;
}

function checkTimes(
  config: ReturnType<typeof storeConfig>,
  table: ReturnType<typeof openStore>['table'],
  expected: Variant['result'],
): void {
  if (expected.offsetByTime === undefined) return;
  const log = new RecoveryLog(config);
  log.load();
  log.endOffset = expected.maxPhyOffset;
  const queue = table.find('GoldenTopic', 0);
  if (queue === undefined) throw new Error('GoldenTopic/0 is not there');
  for (const [time, offset] of expected.offsetByTime) {
    expect([time, offsetByTime(queue, log, time)]).toEqual([time, offset]);
  }
  const times = expected.storeTimes ?? [];
  expect(times.map((_, i) => storeTimestampInQueue(queue, log, i))).toEqual(times);
  log.close();
}

function checkQueries(
  config: ReturnType<typeof storeConfig>,
  index: ReturnType<typeof openStore>['index'],
  whole: Variant['result'],
  variant: Variant,
): void {
  const log = new RecoveryLog(config);
  log.load();
  for (const query of variant.result.query ?? []) {
    const full = whole.query?.find(
      (q) => q.topic === query.topic && q.key === query.key && q.maxNum === query.maxNum,
    );
    const result = queryMessage(
      index,
      log,
      query.topic,
      query.key,
      query.maxNum,
      0,
      Number.MAX_SAFE_INTEGER,
    );
    const offsets = result.records.map((record) => Number(record.readBigInt64BE(28)));
    expect([query.key, query.maxNum, offsets]).toEqual([query.key, query.maxNum, full?.offsets]);
    expect(result.indexLastUpdateTimestamp).toBe(full?.ts);
    expect(result.indexLastUpdatePhyOffset).toBe(full?.phy);
  }
  log.close();
}

function applyOps(root: string, ops: Variant['ops']): void {
  for (const op of ops) {
    const [kind, value] = Object.entries(op)[0] as [string, never];
    const args = value as unknown as (string | number)[];
    if (kind === 'zero') writeAt(root, args[0] as number, Buffer.alloc(args[1] as number));
    else if (kind === 'xor') xorAt(root, args[0] as number, args[1] as number);
    else if (kind === 'setInt') {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(args[1] as number);
      writeAt(root, args[0] as number, bytes);
    } else if (kind === 'rm' || kind === 'rmdir') {
      rmSync(join(root, value as unknown as string), { recursive: true });
    } else if (kind === 'truncate') truncateSync(join(root, args[0] as string), args[1] as number);
    else if (kind === 'cqEntry') writeEntry(root, args);
    else if (kind !== 'start') throw new Error(`unknown operation ${kind}`);
  }
}

function writeEntry(root: string, args: (string | number)[]): void {
  const [queue, at, offset, size, tags] = args as [string, number, number, number, number];
  const bytes = Buffer.alloc(20);
  bytes.writeBigInt64BE(BigInt(offset), 0);
  bytes.writeInt32BE(size, 8);
  bytes.writeBigInt64BE(BigInt(tags), 12);
  write(join(root, 'consumequeue', queue, '0'.repeat(20)), at * 20, bytes);
}

function segment(root: string, offset: number): { path: string; at: number } {
  const at = offset % 1_048_576;
  return { path: join(root, 'commitlog', String(offset - at).padStart(20, '0')), at };
}

function writeAt(root: string, offset: number, bytes: Buffer): void {
  const { path, at } = segment(root, offset);
  write(path, at, bytes);
}

function xorAt(root: string, offset: number, mask: number): void {
  const { path, at } = segment(root, offset);
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ mask;
  writeSync(file, byte, 0, 1, at);
  closeSync(file);
}

function write(path: string, at: number, bytes: Buffer): void {
  if (!existsSync(path)) throw new Error(`${path} is not there`);
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}
