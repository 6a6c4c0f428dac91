import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { decodeResetOffsetBody } from '../../../src/protocol/bodies/reset-offset.js';
import { FakeConnection, heartbeatBody, type TestBroker, testBroker } from '../fakes.js';

setLogLevel('silent');

const RESET = 222;
const RESET_CLIENT = 220;
const CPP = 1;

/** Topic T with two queues of five messages a second apart; the group has read three of each. */
async function setUp(): Promise<TestBroker> {
  const broker = testBroker();
  await broker.ask(17, {
    topic: 'T',
    defaultTopic: 'TBW102',
    readQueueNums: '2',
    writeQueueNums: '2',
    perm: '6',
    topicFilterType: 'SINGLE_TAG',
  });
  const empty = { flag: 0, sysFlag: 0, bornTimestamp: 0, bornHost: Buffer.alloc(4), bornPort: 0 };
  const rest = {
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.alloc(1),
    properties: '',
  };
  for (let i = 0; i < 5; i++) {
    for (const queueId of [0, 1]) {
      await broker.store.put({ topic: 'T', queueId, ...empty, ...rest, waitStoreMsgOk: true });
    }
    broker.clock.advance(1000);
  }
  for (const queueId of [0, 1]) broker.controller.context.offsets.commit('', 'g', 'T', queueId, 3);
  return broker;
}

async function join(broker: TestBroker, version = 407): Promise<FakeConnection> {
  const connection = new FakeConnection(1);
  const body = heartbeatBody('c1', [{ group: 'g', topics: { T: '*' } }]);
  await broker.ask(34, null, { body, connection, version });
  connection.oneways.length = 0;
  return connection;
}

const offsetsOf = (body: Buffer | null | undefined) =>
  [...decodeResetOffsetBody(body ?? null).offsetTable].map(([queue, offset]) => [
    queue.queueId,
    offset,
  ]);

const fields = (timestamp: number, isForce = 'true') => ({
  topic: 'T',
  group: 'g',
  timestamp: String(timestamp),
  isForce,
});

describe('INVOKE_BROKER_TO_RESET_OFFSET', () => {
  it('tells each member where each queue goes on, and changes no offset itself', async () => {
    const broker = await setUp();
    const member = await join(broker);
    const second = broker.clock.nowMs() - 4000;
    const answer = await broker.ask(RESET, fields(second));
    expect(answer).toMatchObject({ code: 0, remark: 'not set any response code' });
    expect(offsetsOf(answer?.body)).toEqual([
      [0, 1],
      [1, 1],
    ]);
    const [notice] = member.oneways;
    expect(notice?.code).toBe(RESET_CLIENT);
    expect(notice?.extFields).toEqual({
      topic: 'T',
      group: 'g',
      isForce: 'false',
      timestamp: String(second),
    });
    expect(offsetsOf(notice?.body)).toEqual(offsetsOf(answer?.body));
    expect(broker.controller.context.offsets.query('g', 'T', 0)).toBe(3);
  });

  it('goes forward only by force, and to the end for -1', async () => {
    const broker = await setUp();
    await join(broker);
    expect(offsetsOf((await broker.ask(RESET, fields(-1)))?.body)).toEqual([
      [0, 5],
      [1, 5],
    ]);
    expect(offsetsOf((await broker.ask(RESET, fields(-1, 'false')))?.body)).toEqual([
      [0, 3],
      [1, 3],
    ]);
  });

  // bugreports.md #34
  it('gives members a list when a C++ tool asks, and the tool the map', async () => {
    const broker = await setUp();
    const member = await join(broker);
    const answer = await broker.ask(RESET, fields(-1), { language: CPP });
    expect(String(answer?.body)).toMatch(/^\{"offsetTable":\{\{/);
    expect(JSON.parse(String(member.oneways[0]?.body))).toEqual({
      offsetTable: [
        { brokerName: 'golden-a', offset: 5, queueId: 0, topic: 'T' },
        { brokerName: 'golden-a', offset: 5, queueId: 1, topic: 'T' },
      ],
    });
  });

  it('says in Java words why it can not be done', async () => {
    const broker = await setUp();
    expect(await broker.ask(RESET, { ...fields(-1), topic: 'No' })).toMatchObject({
      code: 1,
      remark: '[reset-offset] reset offset failed, no topic in this broker. topic=No',
    });
    expect(await broker.ask(RESET, { ...fields(-1), group: 'h' })).toMatchObject({
      code: 1,
      remark: 'THe consumer group <h> not exist',
    });
    expect(await broker.ask(RESET, fields(-1))).toMatchObject({
      code: 206,
      remark: 'Consumer not online, so can not reset offset, Group: g Topic: T Timestamp: -1',
    });
    await join(broker, 27);
    expect((await broker.ask(RESET, fields(-1)))?.remark).toMatch(
      /^the client does not support this feature\. version=V3_/,
    );
  });
});
