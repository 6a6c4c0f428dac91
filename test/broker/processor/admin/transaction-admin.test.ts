import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../src/base/clock.js';
import { setLogLevel } from '../../../../src/base/logger.js';
import { createMessageId } from '../../../../src/message/message-id.js';
import { transactionBroker } from '../../transaction/record-store.js';

setLogLevel('silent');

const RESUME_CHECK_HALF_MESSAGE = 323;
const HALF = 'RMQ_SYS_TRANS_HALF_TOPIC';

async function setUp() {
  const broker = transactionBroker(new ManualClock());
  const { physicalOffset } = await broker.store.put({
    topic: 'TRANS_CHECK_MAX_TIME_TOPIC',
    queueId: 0,
    flag: 9,
    sysFlag: 1,
    bornTimestamp: 5,
    bornHost: Buffer.from([127, 0, 0, 1]),
    bornPort: 40_000,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from([0x78, 0x9c, 1]),
    properties: 'TRAN_MSG\u0001true\u0002TRANSACTION_CHECK_TIMES\u000115\u0002PGROUP\u0001pg',
    waitStoreMsgOk: false,
  });
  const msgId = createMessageId(Buffer.from([127, 0, 0, 1]), 28_731, physicalOffset);
  return { ...broker, msgId };
}

describe('RESUME_CHECK_HALF_MESSAGE', () => {
  it('stores the half again with its counter at 0, its body as it was', async () => {
    const { ask, msgId, store } = await setUp();
    expect(await ask(RESUME_CHECK_HALF_MESSAGE, { msgId })).toMatchObject({
      code: 0,
      remark: null,
    });
    const [half] = store.messages(HALF);
    expect(half?.properties.get('TRANSACTION_CHECK_TIMES')).toBe('0');
    expect(half).toMatchObject({ flag: 9, sysFlag: 1, bornTimestamp: 5, queueId: 0 });
    expect([...(half?.body ?? [])]).toEqual([0x78, 0x9c, 1]);
  });

  it("is refused with Java's remarks when there is no record, or none can be stored", async () => {
    const { ask, msgId, store } = await setUp();
    const nowhere = createMessageId(Buffer.from([127, 0, 0, 1]), 28_731, 12_345);
    expect(await ask(RESUME_CHECK_HALF_MESSAGE, { msgId: nowhere })).toMatchObject({
      code: 1,
      remark: 'Exception was thrown when putting message back to RMQ_SYS_TRANS_HALF_TOPIC.',
    });
    store.refused.add(HALF);
    expect(await ask(RESUME_CHECK_HALF_MESSAGE, { msgId })).toMatchObject({
      code: 1,
      remark: 'Put message back to RMQ_SYS_TRANS_HALF_TOPIC failed.',
    });
  });

  it('is refused for an id that is none', async () => {
    const { ask } = await setUp();
    expect((await ask(RESUME_CHECK_HALF_MESSAGE, { msgId: 'x' }))?.code).toBe(1);
    expect((await ask(RESUME_CHECK_HALF_MESSAGE, {}))?.remark).toContain('msgId');
  });
});
