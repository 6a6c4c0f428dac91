import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { StoreCheckpoint } from '../../src/store/store-checkpoint.js';
import { goldenJson } from '../golden-data.js';
import { newFolder, removeFolders, unpack } from './golden-store.js';

afterEach(removeFolders);

test('is 4096 bytes: three big-endian longs, and zero', () => {
  const path = join(newFolder(), 'checkpoint');
  const checkpoint = new StoreCheckpoint(path);
  checkpoint.physicMsgTimestamp = 0x1_0000_0002;
  checkpoint.logicsMsgTimestamp = 1_700_000_000_001;
  checkpoint.indexMsgTimestamp = 3;
  checkpoint.flush();
  checkpoint.close();
  const bytes = readFileSync(path);
  expect(bytes).toHaveLength(4096);
  expect(bytes.subarray(0, 8).toString('hex')).toBe('0000000100000002');
  expect(bytes.readBigInt64BE(8)).toBe(1_700_000_000_001n);
  expect(bytes.readBigInt64BE(16)).toBe(3n);
  expect(bytes.subarray(24).every((byte) => byte === 0)).toBe(true);
});

test('reads what a Java broker wrote', () => {
  const checkpoint = new StoreCheckpoint(join(unpack('main'), 'checkpoint'));
  const { stores } = goldenJson('golden.json') as {
    stores: { main: { dump: { checkpoint: Record<string, number> } } };
  };
  const golden = stores.main.dump.checkpoint;
  for (const name of ['physicMsgTimestamp', 'logicsMsgTimestamp', 'indexMsgTimestamp'] as const) {
    expect(checkpoint[name], name).toBe(golden[name]);
  }
  checkpoint.close();
});

test('two threads write their own times into one page, and neither undoes the other', () => {
  const path = join(newFolder(), 'checkpoint');
  const flush = new StoreCheckpoint(path);
  const dispatch = new StoreCheckpoint(path);
  flush.physicMsgTimestamp = 10_000;
  flush.write();
  dispatch.logicsMsgTimestamp = 20_000;
  dispatch.flush();
  flush.close();
  dispatch.close();
  const again = new StoreCheckpoint(path);
  expect(again.physicMsgTimestamp).toBe(10_000);
  expect(again.logicsMsgTimestamp).toBe(20_000);
  expect(again.minTimestamp).toBe(7_000);
  expect(again.minTimestampIndex).toBe(0);
  again.close();
});

test('no time is before 0', () => {
  const checkpoint = new StoreCheckpoint(join(newFolder(), 'checkpoint'));
  checkpoint.physicMsgTimestamp = 2_000;
  checkpoint.logicsMsgTimestamp = 9_000;
  expect(checkpoint.minTimestamp).toBe(0);
  checkpoint.close();
});

test('a file of another length is made whole and keeps what it says', () => {
  const path = join(newFolder(), 'checkpoint');
  const short = Buffer.alloc(24);
  short.writeBigInt64BE(77n, 0);
  writeFileSync(path, short);
  const checkpoint = new StoreCheckpoint(path);
  expect(checkpoint.physicMsgTimestamp).toBe(77);
  expect(statSync(path).size).toBe(4096);
  checkpoint.close();
});
