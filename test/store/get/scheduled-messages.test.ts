import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { scheduledMessages } from '../../../src/store/get/scheduled-messages.js';
import type { ScheduledLimit } from '../../../src/store/message-store.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import { newFolder, removeFolders } from '../golden-store.js';
import { close, FIRST_STORE_TIME, message, smallConfig, writeLog } from '../small-store.js';

setLogLevel('silent');

afterAll(removeFolders);

const SCHEDULE_TOPIC = 'SCHEDULE_TOPIC_XXXX';
const ALL = { dueMs: Number.MAX_SAFE_INTEGER, delayMs: 1000, maxCount: 100, maxBytes: 1_000_000 };

/** Messages of level 1, stored every 10 ms, and what a read of them gives. */
function readOf(
  count: number,
  startOffset: number,
  limit: Partial<ScheduledLimit> = {},
  damage: (log: RecoveryLog) => void = () => {},
) {
  const root = newFolder();
  const properties = 'DELAY\u00011\u0002REAL_TOPIC\u0001T\u0002REAL_QID\u00010';
  const stored = writeLog(
    root,
    Array.from({ length: count }, (_, i) => ({ ...message(i, SCHEDULE_TOPIC, 0), properties })),
  );
  const opened = openStore(smallConfig(root), new ManualClock());
  const log = new RecoveryLog(smallConfig(root));
  log.load();
  log.endOffset = opened.state.maxOffset;
  damage(log);
  const queue = opened.table.find(SCHEDULE_TOPIC, 0);
  const answer = scheduledMessages(queue, log, startOffset, { ...ALL, ...limit }, () => false);
  const bodies = answer.records.map((it) => it?.toString('utf8', 88, 88 + it.readInt32BE(84)));
  log.close();
  close(opened);
  return { answer, bodies, stored };
}

describe('scheduledMessages', () => {
  it('gives the records that are due, and when the next one is', () => {
    const dueMs = FIRST_STORE_TIME + 1000 + 39;
    const { answer, bodies, stored } = readOf(30, 1, { dueMs });
    expect(bodies).toEqual(stored.slice(1, 4).map((it) => it.body));
    expect(answer.deliverTimestamps).toEqual([1010, 1020, 1030].map((it) => FIRST_STORE_TIME + it));
    expect(answer).toMatchObject({
      nextDeliverTimestamp: FIRST_STORE_TIME + 1040,
      minOffset: 0,
      maxOffset: 30,
    });
  });

  it('reads over the ends of queue files and log files', () => {
    const { answer, bodies, stored } = readOf(90, 0);
    expect(bodies).toEqual(stored.map((it) => it.body));
    expect(answer.nextDeliverTimestamp).toBe(-1);
  });

  it('ends at the limits, but never before the first record', () => {
    expect(readOf(10, 0, { maxCount: 4 }).bodies).toHaveLength(4);
    const { answer } = readOf(10, 0, { maxBytes: 1 });
    expect(answer.records).toHaveLength(1);
    expect(answer.nextDeliverTimestamp).toBe(FIRST_STORE_TIME + 1010);
  });

  it('leaves the place of a damaged record empty and goes on', () => {
    const { answer } = readOf(5, 0, {}, (log) => {
      log.locate(0);
      const second = log.buffer.readInt32BE(0);
      log.locate(second);
      log.buffer.writeUInt8(log.buffer.readUInt8(log.position + 100) ^ 1, log.position + 100);
    });
    expect(answer.records.map((it) => it !== null)).toEqual([true, false, true, true, true]);
    expect(answer.deliverTimestamps).toHaveLength(5);
  });

  it('tells the bounds of a queue in which there is nothing to read', () => {
    expect(readOf(5, 9).answer).toMatchObject({ maxOffset: 5, nextDeliverTimestamp: -1 });
    const log = new RecoveryLog(smallConfig(newFolder()));
    const answer = scheduledMessages(undefined, log, 0, ALL, () => false);
    expect(answer).toMatchObject({ minOffset: 0, maxOffset: 0, records: [] });
  });
});
