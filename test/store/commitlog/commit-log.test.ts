import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeBatchBody } from '../../../src/message/batch-codec.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { BLANK_MAGIC, readInt32 } from '../../../src/message/message-layout.js';
import { setFaults } from '../../../src/native/fs.js';
import { MappedRegion } from '../../../src/native/mapped-region.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { RunningFlags } from '../../../src/store/running-flags.js';
import { StoreCursor } from '../../../src/store/store-cursors.js';
import { removeFolders } from '../golden-store.js';
import {
  bodyForRecord,
  FILE_BYTES,
  logFile,
  logFileNames,
  NOW_MS,
  openLog,
  requestOf,
} from '../log-fixture.js';

const { PUT_OK, MESSAGE_ILLEGAL, PROPERTIES_SIZE_EXCEEDED, SERVICE_NOT_AVAILABLE } =
  PutMessageStatus;
const FIRST = '00000000000000000000';
const SECOND = '00000000000000016384';

afterEach(() => {
  setFaults('');
  removeFolders();
});

describe('limits', () => {
  test.each([
    [32_766, 'a', PUT_OK],
    [32_767, 'a', PUT_OK],
    [32_768, 'a', MESSAGE_ILLEGAL],
    [16_383, 'é', PUT_OK],
    [16_384, 'é', PROPERTIES_SIZE_EXCEEDED],
    [32_768, 'é', MESSAGE_ILLEGAL],
  ])('%i characters of properties "%s" give status %i', (count, character, status) => {
    const { log } = openLog({ mappedFileSizeCommitLog: 65_536 });
    expect(log.append(requestOf({ properties: character.repeat(count) }))).toBe(status);
  });

  test.each([
    ['T'.repeat(127), PUT_OK],
    ['T'.repeat(128), MESSAGE_ILLEGAL],
    ['é'.repeat(63), PUT_OK],
    ['é'.repeat(64), MESSAGE_ILLEGAL],
    ['', MESSAGE_ILLEGAL],
  ])('the topic %s gives status %i', (topic, status) => {
    expect(openLog().log.append(requestOf({ topic }))).toBe(status);
  });

  test('a body may have maxMessageSize bytes and no more, and a change holds from the next batch', () => {
    const { log, config } = openLog({ maxMessageSize: 100 });
    expect(log.append(requestOf({ body: Buffer.alloc(100) }))).toBe(PUT_OK);
    expect(log.append(requestOf({ body: Buffer.alloc(101) }))).toBe(MESSAGE_ILLEGAL);
    config.maxMessageSize = 101;
    log.beginBatch(NOW_MS);
    expect(log.append(requestOf({ body: Buffer.alloc(101) }))).toBe(PUT_OK);
  });

  test('a record that fits into no file is refused and leaves no trace', () => {
    const { log } = openLog();
    expect(log.append(requestOf({ body: bodyForRecord(FILE_BYTES - 7) }))).toBe(MESSAGE_ILLEGAL);
    expect(log.wroteOffset).toBe(0);
    expect(log.append(requestOf({ body: bodyForRecord(FILE_BYTES - 8) }))).toBe(PUT_OK);
    expect(log.lastQueueOffset).toBe(0);
  });

  test('a queue id below 0 is refused', () => {
    expect(openLog().log.append(requestOf({ queueId: -1 }))).toBe(MESSAGE_ILLEGAL);
  });
});

describe('queue offsets', () => {
  test('count each queue of each topic, from where recovery found them', () => {
    const queueOffsets = new Map([['a-b-1', 7]]);
    const { log } = openLog({}, { recovered: { minOffset: 0, maxOffset: 0, queueOffsets } });
    const given = [
      ['a-b', 1],
      ['a-b', 0],
      ['a-b', 1],
      ['c', 1],
    ].map(([topic, queueId]) => {
      log.append(requestOf({ topic: String(topic), queueId: Number(queueId) }));
      return log.lastQueueOffset;
    });
    expect(given).toEqual([7, 0, 8, 0]);
  });

  test('prepared and rolled-back records get 0 and move nothing; committed ones count', () => {
    const { log } = openLog();
    const given = [0, 4, 12, 8, 0].map((sysFlag) => {
      log.append(requestOf({ sysFlag }));
      return log.lastQueueOffset;
    });
    expect(given).toEqual([0, 0, 0, 1, 2]);
  });

  test('begin at 0 again for a forgotten topic', () => {
    const { log } = openLog();
    log.append(requestOf());
    log.append(requestOf({ topic: 'Other' }));
    log.forgetTopics(['TopicTest']);
    log.append(requestOf());
    expect(log.lastQueueOffset).toBe(0);
    log.append(requestOf({ topic: 'Other' }));
    expect(log.lastQueueOffset).toBe(1);
  });
});

describe('roll-over', () => {
  test('a record may leave exactly 8 bytes, and the next append fills them with a blank', () => {
    const { log, root } = openLog();
    expect(log.append(requestOf({ body: bodyForRecord(FILE_BYTES - 8) }))).toBe(PUT_OK);
    expect(log.lastWroteEnd).toBe(FILE_BYTES - 8);
    expect(logFileNames(root)).toEqual([FIRST]);
    expect(log.append(requestOf())).toBe(PUT_OK);
    expect(log.lastPhysicalOffset).toBe(FILE_BYTES);
    const first = logFile(root, FIRST);
    expect(readInt32(first, FILE_BYTES - 8)).toBe(8);
    expect(readInt32(first, FILE_BYTES - 4)).toBe(BLANK_MAGIC);
  });

  test('the blank counts all the space that is left, and is zero behind its head', () => {
    const { log, root } = openLog();
    log.append(requestOf({ body: bodyForRecord(10_000) }));
    log.append(requestOf({ body: bodyForRecord(FILE_BYTES - 10_000 - 7) }));
    log.publishWroteOffset();
    const first = logFile(root, FIRST);
    expect(readInt32(first, 10_000)).toBe(FILE_BYTES - 10_000);
    expect(readInt32(first, 10_004)).toBe(BLANK_MAGIC);
    expect(first.subarray(10_008).every((byte) => byte === 0)).toBe(true);
    const record = decodeMessage(logFile(root, SECOND), 0);
    expect(record?.physicalOffset).toBe(FILE_BYTES);
    expect(record?.queueOffset).toBe(1);
  });

  test('asks for the next file once, when half of the present one is written, and uses it', () => {
    const asked: string[] = [];
    const requestNextFile = (path: string, sizeBytes: number) => {
      asked.push(path);
      MappedRegion.create(path, sizeBytes).release();
    };
    const { log, root } = openLog({}, { requestNextFile });
    log.append(requestOf({ body: bodyForRecord(FILE_BYTES / 2 - 1) }));
    log.publishWroteOffset();
    expect(asked).toEqual([]);
    for (let i = 0; i < 3; i++) {
      log.append(requestOf());
      log.publishWroteOffset();
    }
    expect(asked).toEqual([join(root, 'commitlog', SECOND)]);
    expect(log.append(requestOf({ body: bodyForRecord(FILE_BYTES / 2) }))).toBe(PUT_OK);
    expect(log.lastPhysicalOffset).toBe(FILE_BYTES);
  });

  test('a file that was made ahead and never used goes at the clean stop', () => {
    const { log, root } = openLog(
      {},
      { requestNextFile: (path, sizeBytes) => MappedRegion.create(path, sizeBytes).release() },
    );
    log.append(requestOf({ body: bodyForRecord(10_000) }));
    log.publishWroteOffset();
    expect(logFileNames(root)).toEqual([FIRST, SECOND]);
    log.close();
    expect(logFileNames(root)).toEqual([FIRST]);
  });

  test('a log that can not grow stays as it is, takes what fits, and grows again later', () => {
    const { log, root, clock } = openLog();
    log.append(requestOf({ body: bodyForRecord(10_000) }));
    setFaults('fallocate=ENOSPC');
    const large = requestOf({ body: bodyForRecord(9_000) });
    expect(log.append(large)).toBe(PutMessageStatus.CREATE_MAPEDFILE_FAILED);
    expect(log.wroteOffset).toBe(10_000);
    expect(existsSync(join(root, 'commitlog', SECOND))).toBe(false);
    expect(log.append(requestOf({ body: bodyForRecord(1_000) }))).toBe(PUT_OK);
    expect(log.lastPhysicalOffset).toBe(10_000);
    setFaults('');
    clock.advance(1_000);
    expect(log.append(large)).toBe(PUT_OK);
    expect(log.lastQueueOffset).toBe(2);
    expect(readInt32(logFile(root, FIRST), 11_000)).toBe(FILE_BYTES - 11_000);
  });
});

describe('batches', () => {
  const item = (text: string, properties: Record<string, string> = {}, flag = 0) => ({
    flag,
    body: Buffer.from(text),
    properties: new Map(Object.entries(properties)),
  });

  test('each message is a record of its own, with the text of the batch behind its own', () => {
    const { log, root } = openLog();
    log.append(requestOf());
    const start = log.wroteOffset;
    const body = encodeBatchBody([item('a', { K: '1' }, -3), item('bb'), item('', { L: '2' })]);
    const request = requestOf({ body, properties: 'TAGS\u0001t\u0002CLUSTER\u0001c' });
    expect(log.appendBatch(request)).toBe(PUT_OK);
    expect(log.batchCount).toBe(3);
    expect(log.lastQueueOffset).toBe(1);
    expect(log.lastPhysicalOffset).toBe(start);
    log.publishWroteOffset();
    const file = logFile(root, FIRST);
    const records = log.batchPhysicalOffsets.slice(0, 3).map((at) => decodeMessage(file, at));
    expect(records.map((record) => record?.body.toString())).toEqual(['a', 'bb', '']);
    expect(records.map((record) => record?.queueOffset)).toEqual([1, 2, 3]);
    expect(records.map((record) => record?.flag)).toEqual([-3, 0, 0]);
    expect(records.map((record) => record?.propertiesText)).toEqual([
      'K\u00011\u0002TAGS\u0001t\u0002CLUSTER\u0001c',
      'TAGS\u0001t\u0002CLUSTER\u0001c',
      'L\u00012\u0002TAGS\u0001t\u0002CLUSTER\u0001c',
    ]);
    expect(log.append(requestOf())).toBe(PUT_OK);
    expect(log.lastQueueOffset).toBe(4);
  });

  test('text that ends with a separator gets no second one', () => {
    const { log, root } = openLog();
    const body = encodeBatchBody([item('a', { K: '1' })]);
    const text = Buffer.from('K\u00011\u0002');
    const raw = Buffer.concat([body.subarray(0, 21), Buffer.from([0, text.length]), text]);
    expect(log.appendBatch(requestOf({ body: raw, properties: 'P\u0001q' }))).toBe(PUT_OK);
    log.publishWroteOffset();
    expect(decodeMessage(logFile(root, FIRST), 0)?.propertiesText).toBe('K\u00011\u0002P\u0001q');
  });

  test('moves to the next file as a whole', () => {
    const { log, root } = openLog();
    log.append(requestOf({ body: bodyForRecord(FILE_BYTES - 600) }));
    const body = encodeBatchBody([item('x'.repeat(300)), item('y'.repeat(300))]);
    expect(log.appendBatch(requestOf({ body }))).toBe(PUT_OK);
    expect(log.lastPhysicalOffset).toBe(FILE_BYTES);
    expect(readInt32(logFile(root, FIRST), FILE_BYTES - 600)).toBe(600);
  });

  test('that is torn, empty, or too large stores nothing at all', () => {
    const { log } = openLog();
    const body = encodeBatchBody([item('a'), item('b')]);
    const torn = requestOf({ body: body.subarray(0, body.length - 1) });
    expect(log.appendBatch(torn)).toBe(MESSAGE_ILLEGAL);
    expect(log.appendBatch(requestOf({ body: Buffer.alloc(0) }))).toBe(MESSAGE_ILLEGAL);
    const large = encodeBatchBody([item('a'), item('x'.repeat(FILE_BYTES))]);
    expect(log.appendBatch(requestOf({ body: large }))).toBe(MESSAGE_ILLEGAL);
    const text = 'p'.repeat(32_760);
    const long = encodeBatchBody([item('a', { KEY: 'value' })]);
    expect(log.appendBatch(requestOf({ body: long, properties: text }))).toBe(
      PROPERTIES_SIZE_EXCEEDED,
    );
    expect(log.appendBatch(requestOf({ body, sysFlag: 4 }))).toBe(MESSAGE_ILLEGAL);
    expect(log.wroteOffset).toBe(0);
    log.append(requestOf());
    expect(log.lastQueueOffset).toBe(0);
  });
});

describe('who may append', () => {
  test('nobody once the store has failed, from the next batch on', () => {
    const { log, cursors } = openLog();
    cursors.set(StoreCursor.storeFailed, 1);
    log.beginBatch(NOW_MS);
    expect(log.append(requestOf())).toBe(SERVICE_NOT_AVAILABLE);
    expect(log.appendBatch(requestOf())).toBe(SERVICE_NOT_AVAILABLE);
    expect(log.appendRaw(0, Buffer.alloc(4), 0, 4)).toBe(false);
  });

  test('nobody while the disk is full', () => {
    const runningFlags = new RunningFlags();
    const { log } = openLog({}, { runningFlags });
    runningFlags.setDiskFull(true);
    log.beginBatch(NOW_MS);
    expect(log.append(requestOf())).toBe(SERVICE_NOT_AVAILABLE);
    runningFlags.setDiskFull(false);
    log.beginBatch(NOW_MS);
    expect(log.append(requestOf())).toBe(PUT_OK);
  });

  test('nobody on a slave or after close', () => {
    expect(openLog({ brokerRole: 'SLAVE' }).log.append(requestOf())).toBe(SERVICE_NOT_AVAILABLE);
    const { log } = openLog();
    log.close();
    log.beginBatch(NOW_MS);
    expect(log.append(requestOf())).toBe(SERVICE_NOT_AVAILABLE);
  });
});

describe('cursors and times', () => {
  test('nothing is visible before it is published; the log has its start with its first file', () => {
    const recovered = { minOffset: 0, maxOffset: FILE_BYTES * 2, queueOffsets: new Map() };
    const { log, cursors } = openLog({}, { recovered });
    log.append(requestOf());
    expect(cursors.get(StoreCursor.wroteOffset)).toBe(0);
    log.publishWroteOffset();
    expect(cursors.get(StoreCursor.wroteOffset)).toBe(log.lastWroteEnd);
    expect(cursors.get(StoreCursor.logMinOffset)).toBe(FILE_BYTES * 2);
    expect(cursors.get(StoreCursor.storeTimestamp)).toBe(NOW_MS);
  });

  test('store timestamps never go back when the clock does', () => {
    const { log } = openLog();
    log.beginBatch(NOW_MS + 10);
    log.append(requestOf());
    log.beginBatch(NOW_MS - 10_000);
    log.append(requestOf());
    expect(log.lastStoreTimestamp).toBe(NOW_MS + 10);
  });

  test('a log that is opened again goes on where recovery says it ends', () => {
    const first = openLog();
    first.log.append(requestOf());
    const end = first.log.wroteOffset;
    first.log.close();
    const recovered = { minOffset: 0, maxOffset: end, queueOffsets: new Map([['TopicTest-0', 1]]) };
    const again = openLog({ storePathRootDir: first.root }, { recovered });
    again.log.append(requestOf());
    again.log.publishWroteOffset();
    const file = logFile(first.root, FIRST);
    expect(decodeMessage(file, 0)?.queueOffset).toBe(0);
    expect(decodeMessage(file, end)?.queueOffset).toBe(1);
    expect(decodeMessage(file, end)?.physicalOffset).toBe(end);
  });
});

describe('raw bytes of a master', () => {
  test('an empty log begins where they do, and goes on only where it ends', () => {
    const { log, root, cursors } = openLog({ brokerRole: 'SLAVE' });
    expect(log.appendRaw(FILE_BYTES, Buffer.alloc(0), 0, 0)).toBe(true);
    expect(logFileNames(root)).toEqual([SECOND]);
    const bytes = Buffer.from('-12345678');
    expect(log.appendRaw(FILE_BYTES, bytes, 1, 8)).toBe(true);
    expect(log.appendRaw(FILE_BYTES, bytes, 1, 8)).toBe(false);
    expect(log.appendRaw(FILE_BYTES + 8, bytes, 1, 8)).toBe(true);
    log.publishWroteOffset();
    expect(cursors.get(StoreCursor.wroteOffset)).toBe(FILE_BYTES + 16);
    expect(cursors.get(StoreCursor.logMinOffset)).toBe(FILE_BYTES);
    expect(logFile(root, SECOND).toString('latin1', 0, 16)).toBe('1234567812345678');
  });

  test('never cross the end of a file, and open the next one when it is full', () => {
    const { log, root } = openLog({ brokerRole: 'SLAVE' });
    const bytes = Buffer.alloc(FILE_BYTES, 7);
    expect(log.appendRaw(0, bytes, 0, FILE_BYTES - 1)).toBe(true);
    expect(log.appendRaw(FILE_BYTES - 1, bytes, 0, 2)).toBe(false);
    expect(log.appendRaw(FILE_BYTES - 1, bytes, 0, 1)).toBe(true);
    expect(log.appendRaw(FILE_BYTES, bytes, 0, 2)).toBe(true);
    expect(logFileNames(root)).toEqual([FIRST, SECOND]);
    log.publishWroteOffset();
    expect(logFile(root, SECOND)[1]).toBe(7);
  });
});
