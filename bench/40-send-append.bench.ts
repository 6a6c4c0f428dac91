// The commitlog worker's work for a send: from the frame to the record in the log and the reply frame.

import { systemPrng } from '#dist/base/prng.js';
import { encodeBatchBody } from '#dist/message/batch-codec.js';
import { createMessageId } from '#dist/message/message-id.js';
import { decodeProperties } from '#dist/message/message-properties.js';
import { SendMessageProcessor, SendOutcome } from '#dist/processor/send-message-processor.js';
import { TableReplicas } from '#dist/processor/table-replicas.js';
import { decodeFrame, encodeFrame } from '#dist/protocol/frame-codec.js';
import { SerializeType } from '#dist/protocol/remoting-command.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import type { CommitLog } from '#dist/store/commitlog/commit-log.js';
import { mustEqual, trial } from './harness.js';
import { appendRequest, PROPERTIES, sendCommand, TOPIC } from './samples.js';
import { EndlessLog, mustAppend } from './store-fixture.js';

const BODY_BYTES = 256;
const BATCH_MESSAGES = 32;
const LIMIT_BYTES = 200 * 1024 * 1024;
const OFFSET_DIGITS = 16;
const HOST = Buffer.from([127, 0, 0, 1]);

await trial('one message of 256 bytes', async (run) => {
  const body = run.bytes(BODY_BYTES);
  const properties = decodeProperties(PROPERTIES);
  const items = Array.from({ length: BATCH_MESSAGES }, () => ({ flag: 0, body, properties }));
  const batch = sendCommand(encodeBatchBody(items), SerializeType.JSON, { i: '', m: 'true' });
  batch.code = RequestCode.SEND_BATCH_MESSAGE;
  const log = new EndlessLog(run, run.scale(LIMIT_BYTES, 0));
  const request = appendRequest(body);
  const ops = run.scale(512, BATCH_MESSAGES);
  const send = sender(log, ops);
  await run.group('from the frame to the reply', [
    {
      name: 'the append alone',
      ops,
      isBaseline: true,
      fn: () => {
        const target = log.next();
        for (let i = 0; i < ops; i++) mustAppend(target, request);
        target.publishWroteOffset();
      },
    },
    { name: 'send, JSON', ops, fn: send(encodeFrame(sendCommand(body)), 1) },
    {
      name: 'send, ROCKETMQ',
      ops,
      fn: send(encodeFrame(sendCommand(body, SerializeType.ROCKETMQ)), 1),
    },
    {
      name: `send in batches of ${BATCH_MESSAGES}, JSON`,
      ops,
      fn: send(encodeFrame(batch), BATCH_MESSAGES),
    },
  ]);
  log.close();
});

function sender(log: EndlessLog, ops: number): (frame: Buffer, messages: number) => () => void {
  const tables = topicTables();
  const reply = Buffer.alloc(64 * 1024);
  let commitLog = log.next();
  let processor = processorOf(commitLog, tables);
  return (frame, messages) => () => {
    const present = log.next();
    if (present !== commitLog) {
      commitLog = present;
      processor = processorOf(commitLog, tables);
    }
    const nowMs = Date.now();
    for (let i = 0; i < ops; i += messages) {
      const outcome = processor.process(frame, 0, frame.length, false, nowMs, reply, 0);
      if (outcome !== SendOutcome.REPLY) throw new Error(`the outcome is ${outcome}`);
    }
    commitLog.publishWroteOffset();
    mustEqual('code', decodeFrame(reply.subarray(0, processor.replySize)).code, 0);
  };
}

function processorOf(commitLog: CommitLog, tables: TableReplicas): SendMessageProcessor {
  const processor = new SendMessageProcessor(commitLog, tables, {
    clusterName: 'DefaultCluster',
    regionId: 'DefaultRegion',
    traceOn: true,
    brokerIp: '127.0.0.1',
    messageIdPrefix: createMessageId(HOST, 10_911, 0).slice(0, -OFFSET_DIGITS),
    maxMessageSize: 4 * 1024 * 1024,
    rejectTransactionMessage: false,
    startAcceptSendRequestTimeStamp: 0,
    internalTopics: { maxDelayLevel: 18 },
    diskText: () => '',
    prng: systemPrng,
  });
  processor.setOrigin(HOST, 0, false, 40_000);
  return processor;
}

function topicTables(): TableReplicas {
  const tables = new TableReplicas();
  tables.apply({
    table: 'topic',
    key: TOPIC,
    row: {
      topicName: TOPIC,
      readQueueNums: 4,
      writeQueueNums: 4,
      perm: 6,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: 0,
      order: false,
    },
  });
  return tables;
}
