import { describe, expect, it } from 'vitest';
import { cometError } from '../../../../src/base/errors.js';
import { setLogLevel } from '../../../../src/base/logger.js';
import { createMessageId } from '../../../../src/message/message-id.js';
import { createResponse } from '../../../../src/protocol/remoting-command.js';
import { FakeConnection, heartbeatBody, type TestBroker, testBroker } from '../../fakes.js';

setLogLevel('silent');

const HEART_BEAT = 34;
const CONSUMERS = 203;
const RUNNING_INFO = 307;
const CONSUME_DIRECTLY = 309;

async function join(broker: TestBroker, id: number, tags = '*', version = 407) {
  const connection = new FakeConnection(id);
  const body = heartbeatBody(`c${id}`, [{ group: 'g', topics: { T: tags }, subVersion: id }]);
  await broker.ask(HEART_BEAT, null, { body, connection, version });
  return connection;
}

describe('GET_CONSUMER_CONNECTION_LIST', () => {
  // bugreports.md #28
  it('says that members disagree, and nothing of it while they agree', async () => {
    const broker = testBroker();
    await join(broker, 1, 'TagA');
    const list = async () =>
      JSON.parse(String((await broker.ask(CONSUMERS, { consumerGroup: 'g' }))?.body));
    expect(await list()).not.toHaveProperty('inconsistentSubscriptions');
    await join(broker, 2, '*');
    expect(await list()).toMatchObject({
      inconsistentSubscriptions: true,
      messageModel: 'CLUSTERING',
    });
    const runtime = await broker.ask(28);
    expect(JSON.parse(String(runtime?.body)).table.inconsistentConsumerGroups).toBe('g');
  });
});

describe('GET_CONSUMER_RUNNING_INFO', () => {
  const fields = { consumerGroup: 'g', clientId: 'c1', jstackEnable: 'false' };

  it("goes on to the client as it is, and the client's answer comes back as it is", async () => {
    const broker = testBroker();
    const client = await join(broker, 1);
    client.answer = (request) => {
      const answer = createResponse(request, 0, 'not set any response code');
      answer.body = Buffer.from('{"mqTable":{{"queueId":0}:{}}}');
      return answer;
    };
    const answer = await broker.ask(RUNNING_INFO, fields);
    expect(client.invoked[0]).toMatchObject({ code: 307, extFields: fields });
    expect(answer).toMatchObject({ code: 0, remark: 'not set any response code', extFields: null });
    expect(String(answer?.body)).toBe('{"mqTable":{{"queueId":0}:{}}}');
  });

  it('says in Java words that the client is not there, too old, silent or gone', async () => {
    const broker = testBroker();
    expect(await broker.ask(RUNNING_INFO, fields)).toMatchObject({
      code: 1,
      remark: 'The Consumer <g> <c1> not online',
    });
    await join(broker, 2, '*', 61);
    expect(await broker.ask(RUNNING_INFO, { ...fields, clientId: 'c2' })).toMatchObject({
      code: 1,
      remark: expect.stringMatching(
        /^The Consumer <c2> Version <V3_.*> too low to finish, please upgrade it to V3_1_8_SNAPSHOT$/,
      ),
    });
    const client = await join(broker, 1);
    client.answer = () => Promise.reject(cometError('REQUEST_TIMEOUT'));
    expect(await broker.ask(RUNNING_INFO, fields)).toMatchObject({
      code: 207,
      remark: expect.stringMatching(/^consumer <g> <c1> Timeout: /),
    });
    client.answer = () => Promise.reject(cometError('CONNECTION_CLOSED'));
    expect(await broker.ask(RUNNING_INFO, fields)).toMatchObject({
      code: 1,
      remark: expect.stringMatching(/^invoke consumer <g> <c1> Exception: /),
    });
  });
});

describe('CONSUME_MESSAGE_DIRECTLY', () => {
  it('gives the client the record and the name of the broker', async () => {
    const broker = testBroker();
    const client = await join(broker, 1);
    const message = { topic: 'T', queueId: 0, flag: 0, sysFlag: 0, bornTimestamp: 0 };
    const from = { bornHost: Buffer.alloc(4), bornPort: 0, reconsumeTimes: 0 };
    const rest = { preparedTransactionOffset: 0, body: Buffer.alloc(1), properties: '' };
    await broker.store.put({ ...message, ...from, ...rest, waitStoreMsgOk: true });
    const msgId = createMessageId(Buffer.from([127, 0, 0, 1]), 28_731, 0);
    const fields = { consumerGroup: 'g', clientId: 'c1', msgId };
    expect((await broker.ask(CONSUME_DIRECTLY, fields))?.code).toBe(0);
    expect(client.invoked[0]?.extFields).toEqual({ ...fields, brokerName: 'golden-a' });
    expect(String(client.invoked[0]?.body)).toBe('record 0');
    const gone = createMessageId(Buffer.from([127, 0, 0, 1]), 28_731, 999);
    expect((await broker.ask(CONSUME_DIRECTLY, { ...fields, msgId: gone }))?.code).toBe(1);
  });
});
