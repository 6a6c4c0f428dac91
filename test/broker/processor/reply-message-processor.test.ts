import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { decodeFrame, encodeFrame } from '../../../src/protocol/frame-codec.js';
import { createResponse, type RemotingCommand } from '../../../src/protocol/remoting-command.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { frameBytes, goldenFrames } from '../../golden-data.js';
import { dispatch, FakeConnection, heartbeatBody, type TestBroker, testBroker } from '../fakes.js';

setLogLevel('silent');

const REPLY_TOPIC = 'GoldenCluster_REPLY_TOPIC';

function golden(name: string): RemotingCommand {
  const frame = goldenFrames().find((it) => it.name === name);
  if (frame === undefined) throw new Error(`no golden ${name}`);
  return decodeFrame(frameBytes(frame));
}

const goldenRequest = () => golden('SEND_REPLY_MESSAGE_V2.request');
const goldenPush = () => golden('PUSH_REPLY_MESSAGE_TO_CLIENT.request');

/** A broker to which the client of the golden run has sent its heartbeat. */
async function withRequester(
  flags: Record<string, string> = {},
): Promise<TestBroker & { requester: FakeConnection }> {
  const broker = testBroker(flags);
  broker.controller.load();
  const requester = new FakeConnection(7);
  const body = heartbeatBody('192.0.2.2@prod-PG_golden', [], ['PG_golden']);
  await broker.ask(34, null, { body, connection: requester });
  return { ...broker, requester };
}

/** The replier of the golden run. */
const replier = () => new FakeConnection(1, 59_958);

async function send(broker: TestBroker, request = goldenRequest()) {
  const response = await dispatch(broker.controller, request, replier());
  if (response === null) throw new Error('no answer');
  return response;
}

describe('SEND_REPLY_MESSAGE', () => {
  it("pushes to the client that asked, byte for byte as Java's broker", async () => {
    const broker = await withRequester();
    const expected = goldenPush();
    const pushedAt = Number(expected.extFields?.['storeTimestamp']);
    broker.clock.stepWallClock(pushedAt - broker.clock.nowMs());
    await send(broker);
    const [pushed] = broker.requester.invoked;
    if (pushed === undefined) throw new Error('nothing was pushed');
    pushed.opaque = expected.opaque;
    expect(pushed.extFields).toEqual(expected.extFields);
    expect(encodeFrame(pushed).toString('latin1')).toBe(encodeFrame(expected).toString('latin1'));
  });

  it('stores the reply as it came, and answers where', async () => {
    const broker = await withRequester();
    const response = await send(broker);
    expect(response).toMatchObject({ code: 0, remark: null });
    expect(response.extFields).toEqual({
      msgId: 'ID0',
      queueId: '0',
      queueOffset: '0',
      TRACE_ON: 'true',
      MSG_REGION: 'DefaultRegion',
    });
    const [stored] = broker.store.puts(REPLY_TOPIC);
    expect(stored?.properties).toBe(goldenRequest().extFields?.['i']);
    expect(stored?.body).toEqual(Buffer.from('pong'));
  });

  it('takes the long header of code 324 too', async () => {
    const broker = await withRequester();
    const short = goldenRequest().extFields ?? {};
    const request = goldenRequest();
    request.code = 324;
    request.extFields = {
      producerGroup: short['a'] ?? '',
      topic: short['b'] ?? '',
      defaultTopic: 'TBW102',
      defaultTopicQueueNums: '4',
      queueId: '0',
      sysFlag: '0',
      bornTimestamp: '1',
      flag: '0',
      properties: short['i'] ?? '',
    };
    expect((await send(broker, request)).code).toBe(0);
    expect(broker.requester.invoked).toHaveLength(1);
  });

  it('answers message id 0 when replies are not stored', async () => {
    const broker = await withRequester({ storeReplyMessageEnable: 'false' });
    expect((await send(broker)).extFields).toMatchObject({ msgId: '0', queueOffset: '0' });
    expect(broker.store.all).toHaveLength(0);
  });

  it('only logs a store that failed', async () => {
    const broker = await withRequester();
    broker.store.putStatus = PutMessageStatus.SERVICE_NOT_AVAILABLE;
    const response = await send(broker);
    expect(response).toMatchObject({ code: 0, extFields: { msgId: '0', queueOffset: '0' } });
  });

  it.each([
    [
      'is not connected',
      'push reply message fail, channel of <192.0.2.2@prod-PG_golden> not found.',
    ],
    ['refuses', 'push reply message to 192.0.2.2@prod-PG_golden' + 'fail.'],
    ['does not answer', 'push reply message to 192.0.2.2@prod-PG_golden' + 'fail.'],
  ])('stores it and says so when the client %s', async (what, remark) => {
    const broker = await withRequester();
    if (what === 'is not connected') broker.requester.close('gone');
    if (what === 'refuses') broker.requester.answer = (it) => createResponse(it, 1, 'no');
    if (what === 'does not answer') {
      broker.requester.answer = () => Promise.reject(new Error('timeout'));
    }
    const response = await send(broker);
    expect(response).toMatchObject({ code: 1, remark });
    expect(broker.store.puts(REPLY_TOPIC)).toHaveLength(1);
  });

  it('says so when it does not tell whom it is for', async () => {
    const broker = await withRequester();
    const request = goldenRequest();
    request.extFields = { ...request.extFields, i: 'MSG_TYPE\u0001reply' };
    const remark = 'reply message properties[REPLY_TO_CLIENT] is null';
    expect(await send(broker, request)).toMatchObject({ code: 1, remark });
  });

  it.each([
    ['b', 'SCHEDULE_TOPIC_XXXX', 16, /is forbidden/],
    ['b', 'RMQ_SYS_TRANS_OP_HALF_TOPIC', 16, /is forbidden/],
    ['b', 'no/topic', 1, /illegal characters/],
    ['e', '9', 1, /^request queueId\[9\] is illegal/],
  ])('refuses %s=%s before anything is pushed', async (name, value, code, remark) => {
    const broker = await withRequester();
    const request = goldenRequest();
    request.extFields = { ...request.extFields, [name]: value };
    const response = await send(broker, request);
    expect(response.code).toBe(code);
    expect(response.remark).toMatch(remark);
    expect(broker.requester.invoked).toHaveLength(0);
    expect(broker.store.all).toHaveLength(0);
    expect(broker.controller.context.topics.get('RMQ_SYS_TRANS_OP_HALF_TOPIC')).toBeUndefined();
  });

  it('refuses on a broker that may not be written to', async () => {
    const broker = await withRequester({ brokerPermission: '4' });
    expect((await send(broker)).code).toBe(16);
    expect(broker.requester.invoked).toHaveLength(0);
  });
});
