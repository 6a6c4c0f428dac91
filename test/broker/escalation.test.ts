import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../src/base/logger.js';
import type { EscalationReason } from '../../src/broker/control-plane.js';
import { encodeFrame } from '../../src/protocol/frame-codec.js';
import {
  createRequest,
  markOneway,
  type RemotingCommand,
} from '../../src/protocol/remoting-command.js';
import { PutMessageStatus } from '../../src/store/put-message.js';
import { FakeConnection, type TestBroker, testBroker } from './fakes.js';

setLogLevel('silent');

const FAQ = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';

function send(fields: Record<string, string> = {}, version = 407): RemotingCommand {
  const request = createRequest(
    310,
    { a: 'pg', b: 'T', c: 'TBW102', d: '4', e: '0', f: '0', g: '1', h: '0', ...fields },
    Buffer.from('body'),
    0,
  );
  request.version = version;
  request.opaque = 7;
  return request;
}

async function escalate(
  broker: TestBroker,
  reason: EscalationReason,
  request: RemotingCommand,
  connection = new FakeConnection(5),
): Promise<RemotingCommand | undefined> {
  await broker.controller.escalated(reason, encodeFrame(request), connection);
  return connection.sent[0];
}

describe('an escalated send', () => {
  it('comes back to the worker after its topic was made, published and saved', async () => {
    const broker = testBroker();
    const request = send();
    expect(await escalate(broker, 'TOPIC_NOT_FOUND', request)).toBeUndefined();
    expect(broker.publisher.topics.get('T')?.writeQueueNums).toBe(4);
    expect(broker.files.get('topics.json')).toContain('"T":{');
    expect(broker.resubmitted).toEqual([encodeFrame(request)]);
  });

  it('comes back at once when the topic is known meanwhile', async () => {
    const broker = testBroker();
    await Promise.all([1, 2].map(() => escalate(broker, 'TOPIC_NOT_FOUND', send())));
    expect(broker.resubmitted).toHaveLength(2);
    expect(broker.controller.context.topics.dataVersion.counter).toBe(1);
  });

  it('reads the long header of code 10 too', async () => {
    const broker = testBroker();
    const long = {
      producerGroup: 'pg',
      topic: 'Long',
      defaultTopic: 'TBW102',
      defaultTopicQueueNums: '2',
      queueId: '0',
      sysFlag: '0',
      bornTimestamp: '1',
      flag: '0',
      unitMode: 'true',
    };
    await escalate(broker, 'TOPIC_NOT_FOUND', createRequest(10, long, Buffer.from('b')));
    expect(broker.publisher.topics.get('Long')).toMatchObject({
      writeQueueNums: 2,
      topicSysFlag: 1,
    });
  });

  it('is refused with 17 and the trace fields when its topic may not be made', async () => {
    const broker = testBroker({ autoCreateTopicEnable: 'false' });
    const answer = await escalate(broker, 'TOPIC_NOT_FOUND', send());
    expect(answer).toMatchObject({
      code: 17,
      opaque: 7,
      remark: `topic[T] not exist, apply first please!${FAQ}`,
      extFields: { MSG_REGION: 'DefaultRegion', TRACE_ON: 'true' },
    });
    expect(broker.resubmitted).toEqual([]);
  });

  it('is refused with 17, not made again, when it was unknown after it came back', async () => {
    const broker = testBroker();
    expect((await escalate(broker, 'OTHER', send()))?.code).toBe(17);
    expect(broker.publisher.topics.has('T')).toBe(false);
  });

  // bugreports.md #25
  it.each(['../../../../probe', 'a/b', '..', 'a\\b', 'x'.repeat(128)])(
    'is refused with 1 when the topic is %s, and makes nothing',
    async (topic) => {
      const broker = testBroker();
      const answer = await escalate(broker, 'TOPIC_NOT_FOUND', send({ b: topic }));
      expect(answer?.code).toBe(1);
      expect(answer?.remark).toMatch(/^The specified topic/);
      expect(broker.publisher.topics.size).toBe(0);
    },
  );

  // bugreports.md #36
  it.each([
    ['b', 'b'],
    ['e', 'e'],
    ['g', 'g'],
  ])('is refused with a remark that names the field %s when it is missing', async (name) => {
    const broker = testBroker();
    const request = send();
    delete request.extFields?.[name];
    const answer = await escalate(broker, 'OTHER', request);
    expect(answer?.code).toBe(1);
    expect(answer?.remark).toContain(`"${name}"`);
  });

  it('is answered by nobody when it is oneway', async () => {
    const broker = testBroker({ autoCreateTopicEnable: 'false' });
    const request = send();
    markOneway(request);
    expect(await escalate(broker, 'TOPIC_NOT_FOUND', request)).toBeUndefined();
  });

  it('closes the connection of a frame that can not be read', async () => {
    const broker = testBroker();
    const connection = new FakeConnection(5);
    const frame = Buffer.from('0000000c00000004ffffffffffffffff', 'hex');
    await broker.controller.escalated('OTHER', frame, connection);
    expect(connection.isClosed).toBe(true);
  });
});

describe('an escalated send to a retry topic', () => {
  const retry = (fields: Record<string, string> = {}, version?: number) =>
    send(
      {
        b: '%RETRY%g',
        i: 'RETRY_TOPIC\u0001T\u0002DELAY\u00013\u0002WAIT\u0001true',
        j: '2',
        ...fields,
      },
      version,
    );

  it('is stored under its retry topic while the group allows more tries', async () => {
    const broker = testBroker();
    await broker.controller.context.topics.createIfAbsent('%RETRY%g', 1, 6, 0);
    const answer = await escalate(broker, 'RETRY_TOPIC', retry());
    expect(answer).toMatchObject({ code: 0, opaque: 7 });
    expect(answer?.extFields).toEqual({
      MSG_REGION: 'DefaultRegion',
      TRACE_ON: 'true',
      msgId: 'ID0',
      queueId: '0',
      queueOffset: '0',
    });
    const [message] = broker.store.puts('%RETRY%g');
    expect(message).toMatchObject({
      queueId: 0,
      reconsumeTimes: 2,
      waitStoreMsgOk: true,
      bornPort: 40_005,
    });
    expect(message?.properties).toBe(
      'RETRY_TOPIC\u0001T\u0002DELAY\u00013\u0002WAIT\u0001true\u0002CLUSTER\u0001GoldenCluster',
    );
  });

  it('makes the retry topic when neither it nor a template is there', async () => {
    const broker = testBroker();
    await escalate(broker, 'TOPIC_NOT_FOUND', retry({ c: 'NoTemplate' }));
    expect(broker.publisher.topics.get('%RETRY%g')?.writeQueueNums).toBe(1);
    expect(broker.store.puts('%RETRY%g')).toHaveLength(1);
  });

  it('leaves WAIT out of what is stored when the message is not delayed, and honours it', async () => {
    const broker = testBroker();
    await broker.controller.context.topics.createIfAbsent('%RETRY%g', 1, 6, 0);
    await escalate(broker, 'RETRY_TOPIC', retry({ i: 'WAIT\u0001false\u0002KEYS\u0001k' }));
    const [message] = broker.store.puts('%RETRY%g');
    expect(message?.properties).toBe('KEYS\u0001k\u0002CLUSTER\u0001GoldenCluster');
    expect(message?.waitStoreMsgOk).toBe(false);
  });

  it("goes to the dead letters at the group's limit, or the client's from version 121 on", async () => {
    const broker = testBroker();
    await broker.controller.context.topics.createIfAbsent('%RETRY%g', 1, 6, 0);
    await escalate(broker, 'RETRY_TOPIC', retry({ j: '16' }));
    expect(broker.store.puts('%DLQ%g')).toHaveLength(1);
    await escalate(broker, 'RETRY_TOPIC', retry({ j: '3', l: '3' }));
    expect(broker.store.puts('%DLQ%g')).toHaveLength(2);
    await escalate(broker, 'RETRY_TOPIC', retry({ j: '3', l: '3' }, 120));
    expect(broker.store.puts('%DLQ%g')).toHaveLength(2);
    expect(broker.publisher.topics.get('%DLQ%g')).toMatchObject({ writeQueueNums: 1, perm: 6 });
  });

  it('is refused with 26 when the group is unknown and may not be made', async () => {
    const broker = testBroker({ autoCreateSubscriptionGroup: 'false' });
    await broker.controller.context.topics.createIfAbsent('%RETRY%g', 1, 6, 0);
    const answer = await escalate(broker, 'RETRY_TOPIC', retry());
    expect(answer).toMatchObject({ code: 26, remark: `subscription group not exist, g ${FAQ}` });
  });

  // bugreports.md #40
  it('is refused with 16 while the broker may not be written to', async () => {
    const broker = testBroker({ brokerPermission: '4' });
    await broker.controller.context.topics.createIfAbsent('%RETRY%g', 1, 6, 0);
    const answer = await escalate(broker, 'RETRY_TOPIC', retry());
    expect(answer).toMatchObject({
      code: 16,
      remark: 'the broker[127.0.0.1] sending message is forbidden',
    });
  });

  it("answers with the store's outcome when it is not stored", async () => {
    const broker = testBroker();
    await broker.controller.context.topics.createIfAbsent('%RETRY%g', 1, 6, 0);
    broker.store.putStatus = PutMessageStatus.SERVICE_NOT_AVAILABLE;
    const answer = await escalate(broker, 'RETRY_TOPIC', retry());
    expect(answer?.code).toBe(14);
    expect(answer?.remark).toContain(
      "the broker's disk is full [CL:  0.28 CQ:  0.28 INDEX:  0.28]",
    );
  });
});

describe('an escalated pull', () => {
  const pull = (fields: Record<string, string> = {}) =>
    createRequest(11, {
      consumerGroup: 'g',
      topic: 'T',
      queueId: '0',
      queueOffset: '0',
      maxMsgNums: '32',
      sysFlag: '2',
      commitOffset: '0',
      suspendTimeoutMillis: '1',
      subVersion: '0',
      ...fields,
    });

  it('comes back after its group was made and published', async () => {
    const broker = testBroker();
    expect(await escalate(broker, 'GROUP_NOT_FOUND', pull())).toBeUndefined();
    expect(broker.publisher.groups.get('g')?.retryMaxTimes).toBe(16);
    expect(broker.resubmitted).toHaveLength(1);
  });

  it('is refused with 26 when its group may not be made', async () => {
    const broker = testBroker({ autoCreateSubscriptionGroup: 'false' });
    const answer = await escalate(broker, 'GROUP_NOT_FOUND', pull());
    expect(answer).toMatchObject({
      code: 26,
      remark: `subscription group [g] does not exist, ${FAQ}`,
    });
    const system = await escalate(
      broker,
      'GROUP_NOT_FOUND',
      pull({ consumerGroup: 'CID_RMQ_SYS_x' }),
    );
    expect(system).toBeUndefined();
  });

  it('is refused with 17 when its topic is unknown', async () => {
    const answer = await escalate(testBroker(), 'TOPIC_NOT_FOUND', pull());
    expect(answer).toMatchObject({
      code: 17,
      remark: `topic[T] not exist, apply first please! ${FAQ}`,
    });
  });

  it('is refused with a remark that names the field that is wrong', async () => {
    const answer = await escalate(testBroker(), 'OTHER', pull({ queueOffset: 'x' }));
    expect(answer?.code).toBe(1);
    expect(answer?.remark).toContain('"queueOffset"');
  });
});
