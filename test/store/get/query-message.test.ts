import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { lookMessageByOffset, queryMessage } from '../../../src/store/get/query-message.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import { newFolder, removeFolders } from '../golden-store.js';
import {
  FIRST_STORE_TIME,
  message,
  type SmallMessage,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

const END = 2 ** 50;

function setup(messages: readonly SmallMessage[]) {
  const root = newFolder();
  const stored = writeLog(root, messages);
  const { index, state } = openStore(smallConfig(root), new ManualClock());
  const log = new RecoveryLog(smallConfig(root));
  log.load();
  log.endOffset = state.maxOffset;
  const query = (key: string, max: number, begin = 0, end = END) =>
    queryMessage(index, log, 'T', key, max, begin, end);
  const bodies = (key: string, max: number, begin = 0, end = END) =>
    query(key, max, begin, end).records.map((record) => record.toString('utf8', 88, 99));
  return { stored, index, log, query, bodies };
}

/** 60 messages with one key, over several index files of 39 keys. */
const same = Array.from({ length: 60 }, (_, i) => ({
  ...message(i),
  body: `number ${String(i).padStart(4, '0')} and more`,
  properties: 'UNIQ_KEY\u0001u\u0002KEYS\u0001a  b',
}));

describe('queryMessage', () => {
  const made = setup(same);

  it('finds the newest first, and gives them in the order of the log', () => {
    expect(made.bodies('a', 3)).toEqual(['number 0057', 'number 0058', 'number 0059']);
    expect(made.bodies('b', 64)).toHaveLength(60);
    expect(made.bodies('u', 1_000)).toHaveLength(60);
  });

  it('takes no more than the batch allows', () => {
    const { index, log } = made;
    expect(queryMessage(index, log, 'T', 'a', 1_000, 0, END, 5).records).toHaveLength(5);
  });

  it('keeps to the range of times', () => {
    const at = (i: number) => FIRST_STORE_TIME + i * 10;
    expect(made.bodies('a', 64, at(0), at(0))[0]).toBe('number 0000');
    expect(made.bodies('a', 64, at(5_000), at(6_000))).toEqual([]);
  });

  it('answers zeroes when nothing is found, and the end of the index when something is', () => {
    expect(made.query('none', 64)).toEqual({
      records: [],
      indexLastUpdateTimestamp: 0,
      indexLastUpdatePhyOffset: 0,
    });
    const last = made.stored.at(-1);
    expect(made.query('a', 1).indexLastUpdatePhyOffset).toBe(last?.physicalOffset);
  });

  it('leaves out a damaged record', () => {
    const hurt = setup(same.slice(0, 5));
    hurt.log.locate(hurt.stored[2]?.physicalOffset ?? 0);
    hurt.log.buffer[hurt.log.position + 90] = 0;
    expect(hurt.bodies('a', 64)).toEqual([
      'number 0000',
      'number 0001',
      'number 0003',
      'number 0004',
    ]);
  });
});

describe('lookMessageByOffset', () => {
  it('gives the record at its very offset, and nothing elsewhere', () => {
    const { stored, log } = setup(same.slice(0, 3));
    const { physicalOffset, sizeBytes } = stored[1]!;
    expect(lookMessageByOffset(log, physicalOffset)?.length).toBe(sizeBytes);
    for (const offset of [physicalOffset + 1, physicalOffset - 4, -1, log.maxOffset, 2 ** 50]) {
      expect(lookMessageByOffset(log, offset)).toBe(null);
    }
  });
});
