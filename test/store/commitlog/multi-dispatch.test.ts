import { afterEach, expect, test } from 'vitest';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { decodeProperties, encodeProperties } from '../../../src/message/message-properties.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { goldenDump, removeFolders } from '../golden-store.js';
import { logFile, openLog, requestOf } from '../log-fixture.js';

const FIRST = '0'.repeat(20);

afterEach(removeFolders);

test('gives the offsets that a Java broker gave, in the same text', () => {
  const golden = goldenDump('sql').messages.filter(({ propsRaw }) =>
    propsRaw.includes('INNER_MULTI_QUEUE_OFFSET'),
  );
  expect(golden.length).toBeGreaterThan(2);
  const { log, root } = openLog({
    mappedFileSizeCommitLog: 1_048_576,
    enableMultiDispatch: true,
    enableLmq: true,
  });
  for (const { topic, queueId, propsRaw } of golden) {
    const sent = decodeProperties(propsRaw);
    sent.delete('INNER_MULTI_QUEUE_OFFSET');
    const request = requestOf({ topic, queueId, properties: encodeProperties(sent) });
    expect(log.append(request)).toBe(PutMessageStatus.PUT_OK);
    log.publishWroteOffset();
    const stored = decodeMessage(logFile(root, FIRST), log.lastPhysicalOffset);
    expect(stored?.propertiesText).toBe(propsRaw);
  }
});

test('counters move only with the record, and not for prepared ones', () => {
  const { log, root } = openLog({ enableMultiDispatch: true, enableLmq: true });
  const properties = 'INNER_MULTI_DISPATCH\u0001%LMQ%a,other';
  const offsets = [4, 0, 0].map((sysFlag) => {
    expect(log.append(requestOf({ queueId: 3, sysFlag, properties }))).toBe(0);
    log.publishWroteOffset();
    const text = decodeMessage(logFile(root, FIRST), log.lastPhysicalOffset)?.propertiesText ?? '';
    return decodeProperties(text).get('INNER_MULTI_QUEUE_OFFSET');
  });
  expect(offsets).toEqual(['0,0', '0,0', '1,1']);
  expect(log.queues.find('%LMQ%a')?.next(0)).toBe(2);
  expect(log.queues.find('other')?.next(3)).toBe(2);
});

test('a name that no topic can have is refused; off, the property means nothing', () => {
  const properties = `INNER_MULTI_DISPATCH\u0001${'x'.repeat(128)}`;
  const on = openLog({ enableMultiDispatch: true });
  const names = [
    'x'.repeat(128),
    '..',
    '.',
    '%LMQ%a/1',
    'a\0b',
    'a,,b',
    'a,..',
    'SCHEDULE_TOPIC_XXXX',
  ];
  for (const name of names) {
    const request = requestOf({ properties: `INNER_MULTI_DISPATCH\u0001${name}` });
    expect(on.log.append(request)).toBe(PutMessageStatus.MESSAGE_ILLEGAL);
  }
  const off = openLog();
  expect(off.log.append(requestOf({ properties }))).toBe(PutMessageStatus.PUT_OK);
  off.log.publishWroteOffset();
  expect(decodeMessage(logFile(off.root, FIRST), 0)?.propertiesText).toBe(properties);
});
