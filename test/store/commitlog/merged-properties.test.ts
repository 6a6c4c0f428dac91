import { afterEach, expect, test } from 'vitest';
import { encodeBatchBody } from '../../../src/message/batch-codec.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { removeFolders } from '../golden-store.js';
import { logFile, openLog, requestOf } from '../log-fixture.js';

const { PUT_OK } = PutMessageStatus;
const FIRST = '0'.repeat(20);
const item = (text: string, properties: Record<string, string> = {}) => ({
  flag: 0,
  body: Buffer.from(text),
  properties: new Map(Object.entries(properties)),
});

afterEach(removeFolders);

test('a text that ends with NUL gets a separator behind it, whoever brought the end', () => {
  const { log, root } = openLog();
  const body = encodeBatchBody([item('a', { K: '\0' }), item('b')]);
  expect(log.appendBatch(requestOf({ body, properties: '' }))).toBe(PUT_OK);
  const [first, second] = log.batchPhysicalOffsets;
  expect(log.appendBatch(requestOf({ body, properties: 'P\u0001\0' }))).toBe(PUT_OK);
  const offsets = [first, second, ...log.batchPhysicalOffsets.slice(0, 2)];
  log.publishWroteOffset();
  const file = logFile(root, FIRST);
  const texts = offsets.map((at) => decodeMessage(file, at ?? -1)?.propertiesText);
  expect(texts).toEqual([
    'K\u0001\0\u0002',
    '',
    'K\u0001\0\u0002P\u0001\0\u0002',
    'P\u0001\0\u0002',
  ]);
});
