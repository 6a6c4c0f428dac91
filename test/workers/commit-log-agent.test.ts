// Puts of the control plane, appended by the agents of a whole store that runs in this thread.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { setLogLevel } from '../../src/base/logger.js';
import { decodeMessage } from '../../src/message/message-decoder.js';
import { encodeProperties } from '../../src/message/message-properties.js';
import type { MessageToPut } from '../../src/store/message-store.js';
import { type InlineStore, inlineStore } from '../support/inline-store.js';

setLogLevel('silent');

const folder = mkdtempSync(join(tmpdir(), 'commitlog-agent-'));
let opened: InlineStore | null = null;

afterEach(async () => {
  await opened?.threads.shutdown();
  opened = null;
  rmSync(folder, { recursive: true, force: true });
});

const properties = new Map([
  ['TAGS', 'a'],
  ['DELAY', '99'],
  ['WAIT', 'false'],
]);

const message: MessageToPut = {
  topic: 'T',
  queueId: 2,
  flag: 0,
  sysFlag: 0,
  bornTimestamp: 1,
  bornHost: Buffer.from([127, 0, 0, 1]),
  bornPort: 1,
  reconsumeTimes: 0,
  preparedTransactionOffset: 0,
  body: Buffer.from('body'),
  properties: encodeProperties(properties),
  waitStoreMsgOk: true,
};

async function stored(changes: Partial<MessageToPut>) {
  opened = await inlineStore(folder);
  const { store } = opened.threads;
  const { physicalOffset } = await store.put({ ...message, ...changes });
  const record = await store.lookMessageByOffset(physicalOffset);
  return record === null ? null : decodeMessage(record, 0);
}

describe('a put of the control plane', () => {
  it('goes through the schedule topic when it has a DELAY, of the last level at most', async () => {
    const record = await stored({});
    expect(record).toMatchObject({ topic: 'SCHEDULE_TOPIC_XXXX', queueId: 17 });
    expect(Object.fromEntries(record?.properties ?? [])).toEqual({
      TAGS: 'a',
      DELAY: '18',
      WAIT: 'false',
      REAL_TOPIC: 'T',
      REAL_QID: '2',
    });
  });

  it('goes to its topic when its delay is served, with the same text', async () => {
    const record = await stored({ isDelayServed: true });
    expect(record).toMatchObject({ topic: 'T', queueId: 2, propertiesText: message.properties });
  });

  it('is not delayed while it is half of a transaction', async () => {
    expect(await stored({ sysFlag: 4 })).toMatchObject({ topic: 'T', queueId: 2 });
  });
});
