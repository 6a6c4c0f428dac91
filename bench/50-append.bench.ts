// The commit log: append by body size and in batches; the ways to copy a record and to write one.

import { encodeBatchBody } from '#dist/message/batch-codec.js';
import { encodeMessage } from '#dist/message/message-encoder.js';
import { recordSize } from '#dist/message/message-layout.js';
import { decodeProperties } from '#dist/message/message-properties.js';
import { crc32 } from '#dist/native/crc32.js';
import { copyRecordParts } from '#dist/native/record-copy.js';
import { copyBytes, RecordWriter } from '#dist/store/commitlog/record-writer.js';
import { PutMessageStatus } from '#dist/store/put-message.js';
import { keep, type Piece, type Trial, trial } from './harness.js';
import { appendRequest, NOW_MS, PROPERTIES, TOPIC } from './samples.js';
import { EndlessLog, mustAppend } from './store-fixture.js';

const SIZES = [128, 1024, 65_536];
const BATCH_MESSAGES = 32;
const LIMIT_BYTES = 200 * 1024 * 1024;
const HOST = { address: Buffer.from([127, 0, 0, 1]), port: 40_000 };

await trial('one record', async (run) => {
  for (const size of SIZES) await appends(run, size);
  for (const size of SIZES) await copies(run, size);
  await writers(run);
});

async function appends(run: Trial, size: number): Promise<void> {
  const body = run.bytes(size);
  const request = appendRequest(body);
  const perBatch = size > 4096 ? 4 : BATCH_MESSAGES;
  const batch = appendRequest(
    encodeBatchBody(
      Array.from({ length: perBatch }, () => ({
        flag: 0,
        body,
        properties: decodeProperties(PROPERTIES),
      })),
    ),
    '',
  );
  const log = new EndlessLog(run, run.scale(LIMIT_BYTES, 0));
  const ops = run.scale(size > 4096 ? 64 : 512, perBatch);
  const record = recordSize(false, false, size, TOPIC.length, request.propertiesLength);
  const memory = Buffer.alloc(ops * record);
  await run.group(`append, body of ${size} bytes`, [
    {
      name: 'encodeMessage and a copy into memory',
      ops,
      bytes: record,
      isBaseline: true,
      fn: () => {
        for (let i = 0; i < ops; i++) encodeRecord(body, i).copy(memory, i * record);
      },
    },
    {
      name: 'CommitLog.append',
      ops,
      bytes: record,
      fn: () => {
        const target = log.next();
        for (let i = 0; i < ops; i++) mustAppend(target, request);
        target.publishWroteOffset();
      },
    },
    {
      name: `CommitLog.appendBatch, ${perBatch} in one`,
      ops,
      bytes: record,
      fn: () => {
        const target = log.next();
        for (let i = 0; i < ops; i += perBatch) {
          if (target.appendBatch(batch) !== PutMessageStatus.PUT_OK) throw new Error('refused');
        }
        target.publishWroteOffset();
      },
    },
  ]);
  log.close();
}

/** Body and properties into the record, and the sum of the body. */
async function copies(run: Trial, size: number): Promise<void> {
  const body = run.bytes(size);
  const text = Buffer.from(PROPERTIES, 'utf8');
  const target = Buffer.alloc(size + text.length);
  const ops = run.scale(size > 4096 ? 50 : 500, 1);
  const piece = (name: string, work: () => unknown): Piece => ({
    name,
    ops,
    bytes: size + text.length,
    fn: () => {
      for (let i = 0; i < ops; i++) keep(work());
    },
  });
  await run.group(`copy body and properties and sum the body, ${size} bytes`, [
    {
      ...piece('Buffer.copy twice, crc32', () => {
        body.copy(target, 0);
        text.copy(target, size);
        return crc32(body, 0, size);
      }),
      isBaseline: true,
    },
    piece('copyBytes twice, crc32', () => {
      copyBytes(target, 0, body, 0, size);
      copyBytes(target, size, text, 0, text.length);
      return crc32(body, 0, size);
    }),
    piece('copyRecordParts, one call of the addon', () =>
      copyRecordParts(target, 0, body, 0, size, size, text, 0, text.length),
    ),
  ]);
}

async function writers(run: Trial): Promise<void> {
  const size = 256;
  const request = appendRequest(run.bytes(size));
  const topic = Buffer.from(TOPIC, 'utf8');
  const record = recordSize(false, false, size, topic.length, request.propertiesLength);
  const target = Buffer.alloc(record);
  const text = request.properties;
  const writer = new RecordWriter();
  writer.sizeBytes = record;
  writer.storeTimestamp = NOW_MS;
  const ops = run.scale(500, 1);
  await run.group('write a record of 256 bytes into memory', [
    {
      name: 'encodeMessage',
      ops,
      isBaseline: true,
      fn: () => {
        for (let i = 0; i < ops; i++) keep(encodeRecord(request.body, i));
      },
    },
    {
      name: 'RecordWriter',
      ops,
      fn: () => {
        for (let i = 0; i < ops; i++) {
          writer.write(target, 0, request, topic, 0, 0, size, text, 0, text.length, text.length);
        }
      },
    },
  ]);
}

function encodeRecord(body: Uint8Array, i: number): Buffer {
  return encodeMessage({
    topic: TOPIC,
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    queueOffset: i,
    physicalOffset: i * 512,
    bornTimestamp: NOW_MS,
    bornHost: HOST,
    storeTimestamp: NOW_MS,
    storeHost: HOST,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(body.buffer, body.byteOffset, body.length),
    propertiesText: PROPERTIES,
  });
}
