import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { decodeMessages } from '../../src/message/message-decoder.js';
import { ConsumerFilterReplicas } from '../../src/processor/consumer-filter-replicas.js';
import { PullMessageProcessor, PullOutcome } from '../../src/processor/pull-message-processor.js';
import {
  type HeldPull,
  PullRequestHoldService,
} from '../../src/processor/pull-request-hold-service.js';
import { TableReplicas } from '../../src/processor/table-replicas.js';
import { decodeFrame, encodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest } from '../../src/protocol/remoting-command.js';
import { GetMessage } from '../../src/store/get/get-message.js';
import { type OpenedStore, openStore } from '../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../src/store/recovery/recovery-log.js';
import { newFolder, removeFolders } from '../store/golden-store.js';
import { close, getConfig, smallConfig, writeLog } from '../store/small-store.js';
import { exampleRecord, propertiesOf } from '../support/example-record.js';

const BLOOM = { maxErrorRateOfBloomFilter: 20, expectConsumerNumUseFilter: 32 };
const SUSPEND_AND_SUBSCRIPTION = '6';
const MESSAGES = 5;

let opened: OpenedStore;
let log: RecoveryLog;
let processor: PullMessageProcessor;

/** Properties a = 0 to 4. */
beforeAll(() => {
  const root = newFolder();
  const messages = Array.from({ length: MESSAGES }, (_, i) => ({
    topic: 'T',
    queueId: 0,
    body: `body ${i}`,
    properties: propertiesOf({ a: String(i) }),
  }));
  writeLog(root, messages);
  opened = openStore(smallConfig(root), new ManualClock());
  log = new RecoveryLog(smallConfig(root));
  log.load();
  log.endOffset = opened.state.maxOffset;
});

afterAll(() => {
  log.close();
  close(opened);
  removeFolders();
});

beforeEach(() => {
  processor = processorWith(true);
});

function processorWith(enablePropertyFilter: boolean): PullMessageProcessor {
  const filters = new ConsumerFilterReplicas(BLOOM, new ManualClock());
  const tables = new TableReplicas(filters);
  const group = { groupName: 'G', consumeEnable: true, consumeBroadcastEnable: true };
  const slow = { brokerId: 0, whichBrokerWhenConsumeSlowly: 1 };
  tables.apply({ table: 'group', key: 'G', row: { ...group, ...slow } });
  const queues = { readQueueNums: 1, writeQueueNums: 1, perm: 6, order: false };
  const topic = { topicName: 'T', topicFilterType: 'SINGLE_TAG', topicSysFlag: 0 };
  tables.apply({ table: 'topic', key: 'T', row: { ...topic, ...queues } });
  return new PullMessageProcessor(new GetMessage(opened.table, log, getConfig), tables, filters, {
    brokerIp: '127.0.0.1',
    brokerId: 0,
    isSlave: false,
    offsetCheckInSlave: false,
    slaveReadEnable: false,
    longPollingEnable: true,
    shortPollingTimeMills: 1000,
    enablePropertyFilter,
    onCommitOffset: () => {},
  });
}

function pull(subscription: string, queueOffset = 0) {
  const frame = encodeFrame(
    createRequest(11, {
      consumerGroup: 'G',
      topic: 'T',
      queueId: '0',
      queueOffset: String(queueOffset),
      maxMsgNums: '32',
      sysFlag: SUSPEND_AND_SUBSCRIPTION,
      commitOffset: '0',
      suspendTimeoutMillis: '15000',
      subscription,
      subVersion: '0',
      expressionType: 'SQL92',
    }),
  );
  const bytes = Buffer.alloc(64 * 1024);
  const target = { bytes, frameAt: 16, claim: () => true };
  const outcome = processor.process(frame, 0, frame.length, true, () => 'client', target);
  if (outcome !== PullOutcome.REPLY) return { outcome, offsets: [] };
  const { code, remark, extFields, body } = decodeFrame(
    bytes.subarray(16, 16 + processor.replySize),
  );
  const offsets = body === null ? [] : decodeMessages(body).map((it) => it.queueOffset);
  return { outcome, code, remark, next: extFields?.['nextBeginOffset'], offsets };
}

describe('a pull with an SQL92 expression', () => {
  it('gets the matching messages and goes on behind all that were looked at', () => {
    expect(pull('a = 1 OR a > 2')).toMatchObject({ code: 0, offsets: [1, 3, 4], next: '5' });
    expect(pull('a BETWEEN 2 AND 3', 3)).toMatchObject({ code: 0, offsets: [3], next: '5' });
  });

  it('is told so, and is not held, when none of many matches', () => {
    expect(pull('a > 100')).toMatchObject({ code: 20, remark: 'NO_MATCHED_MESSAGE', next: '5' });
  });

  it('is refused as Java refuses it while property filters are off', () => {
    processor = processorWith(false);
    expect(pull('a > 2')).toMatchObject({
      code: 1,
      remark: 'The broker does not support consumer to filter message by SQL92',
      offsets: [],
    });
  });

  it('that is held ends with the first message that matches, not with others', () => {
    expect(pull('a > 5', MESSAGES).outcome).toBe(PullOutcome.HOLD);
    const held = new PullRequestHoldService();
    held.sweep(0, () => 0, []);
    const ready: HeldPull[] = [];
    held.hold({
      connectionId: 1,
      record: Buffer.alloc(0),
      topic: processor.heldTopic,
      queueId: processor.heldQueueId,
      queueOffset: processor.heldOffset,
      filter: processor.heldFilter,
      deadlineMs: processor.heldForMs,
    });
    const arrive = (properties: Record<string, string>, maxOffset: number) => {
      const buffer = exampleRecord({ propertiesText: propertiesOf(properties) });
      const record = { buffer, position: 0, sizeBytes: buffer.length };
      held.arrived('T', 0, maxOffset, 0, 0, ready, record);
      return ready.length;
    };
    expect(arrive({ a: '5' }, MESSAGES + 1)).toBe(0);
    expect(arrive({}, MESSAGES + 2)).toBe(0);
    expect(arrive({ a: '6' }, MESSAGES)).toBe(0);
    expect(arrive({ a: '6' }, MESSAGES + 3)).toBe(1);
  });
});
