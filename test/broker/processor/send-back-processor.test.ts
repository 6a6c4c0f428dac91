import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { encodeMessage } from '../../../src/message/message-encoder.js';
import { decodeProperties } from '../../../src/message/message-properties.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { goldenJson } from '../../golden-data.js';
import { type TestBroker, testBroker } from '../fakes.js';

setLogLevel('silent');

const SEND_BACK = 36;

interface GoldenMessage {
  readonly topic: string;
  readonly propsRaw: string;
  readonly reconsume: number;
}
interface Golden {
  stores: Record<string, { dump: { messages: GoldenMessage[] } }>;
}

/** A stored message as the consumer of golden run had it. */
function store(broker: TestBroker, reconsumeTimes = 0, extra = ''): void {
  const properties = `KEYS\u0001retry2\u0002UNIQ_KEY\u0001FD0000000000000000000000000000025E574E0E2F2A02F98F3804CD\u0002CLUSTER\u0001GoldenCluster\u0002TAGS\u0001RT${extra}`;
  const host = { address: Buffer.from([127, 0, 0, 1]), port: 28_731 };
  const record = encodeMessage({
    topic: 'GoldenRetry',
    queueId: 0,
    flag: 0,
    queueOffset: 0,
    physicalOffset: 0x28e453,
    sysFlag: 0,
    bornTimestamp: 5,
    bornHost: host,
    storeTimestamp: 6,
    storeHost: host,
    reconsumeTimes,
    preparedTransactionOffset: 0,
    body: Buffer.from('retry-2'),
    propertiesText: properties,
  });
  const message = { topic: 'GoldenRetry', queueId: 0, flag: 0, sysFlag: 0, bornTimestamp: 5 };
  const put = { bornHost: host.address, bornPort: 1, reconsumeTimes, preparedTransactionOffset: 0 };
  broker.store.add(
    { ...message, ...put, body: Buffer.from('retry-2'), properties, waitStoreMsgOk: true },
    record,
    0x28e453,
  );
}

const fields = (more: Record<string, string> = {}) => ({
  offset: String(0x28e453),
  group: 'CG_retry',
  delayLevel: '1',
  ...more,
});

describe('CONSUMER_SEND_MSG_BACK', () => {
  it("stores the message under the retry topic with the properties of Java's", async () => {
    const broker = testBroker();
    store(broker);
    expect(await broker.ask(SEND_BACK, fields())).toMatchObject({ code: 0, remark: null });
    const [message] = broker.store.puts('%RETRY%CG_retry');
    const golden = goldenJson<Golden>('golden.json').stores['main']?.dump.messages.find(
      (it) => it.topic === '%RETRY%CG_retry' && it.propsRaw.includes('retry2'),
    );
    const expected = decodeProperties(golden?.propsRaw ?? '');
    // The delay road adds these two when it is taken.
    expected.delete('REAL_TOPIC');
    expected.delete('REAL_QID');
    expect(decodeProperties(message?.properties ?? '')).toEqual(expected);
    expect(message).toMatchObject({
      reconsumeTimes: golden?.reconsume,
      bornTimestamp: 5,
      waitStoreMsgOk: false,
    });
    expect(message?.storeHost?.port).toBe(28_731);
  });

  it('delays by level 3 and the tries so far when the client leaves the level open', async () => {
    const broker = testBroker();
    store(broker, 4);
    await broker.ask(SEND_BACK, fields({ delayLevel: '0' }));
    const [message] = broker.store.puts('%RETRY%CG_retry');
    expect(decodeProperties(message?.properties ?? '').get('DELAY')).toBe('7');
  });

  it('keeps the first topic and the first id of a message that is given back again', async () => {
    const broker = testBroker();
    store(broker, 1, '\u0002RETRY_TOPIC\u0001First\u0002ORIGIN_MESSAGE_ID\u0001ID1');
    await broker.ask(SEND_BACK, fields());
    const properties = decodeProperties(broker.store.puts('%RETRY%CG_retry')[0]?.properties ?? '');
    expect([properties.get('RETRY_TOPIC'), properties.get('ORIGIN_MESSAGE_ID')]).toEqual([
      'First',
      'ID1',
    ]);
  });

  it.each([
    ['a negative level', 0, { delayLevel: '-1' }],
    ["the group's limit", 16, {}],
    ["the client's limit", 2, { maxReconsumeTimes: '2' }],
  ])('goes to the dead letters, undelayed, at %s', async (_, reconsumeTimes, more) => {
    const broker = testBroker();
    store(broker, reconsumeTimes);
    await broker.ask(SEND_BACK, fields(more as Record<string, string>));
    const [message] = broker.store.puts('%DLQ%CG_retry');
    expect(message?.queueId).toBe(0);
    expect(decodeProperties(message?.properties ?? '').get('DELAY')).toBe('0');
    expect(broker.publisher.topics.get('%DLQ%CG_retry')).toMatchObject({
      writeQueueNums: 1,
      perm: 6,
    });
  });

  it('says what could not be found, and what the store said', async () => {
    const broker = testBroker();
    expect(await broker.ask(SEND_BACK, fields())).toMatchObject({
      code: 1,
      remark: `look message by offset failed, ${0x28e453}`,
    });
    store(broker);
    broker.store.putStatus = PutMessageStatus.SERVICE_NOT_AVAILABLE;
    expect(await broker.ask(SEND_BACK, fields())).toMatchObject({
      code: 1,
      remark: 'SERVICE_NOT_AVAILABLE',
    });
  });

  it('is refused when the group is unknown, or the broker may not be written to', async () => {
    const FAQ = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';
    const noGroup = testBroker({ autoCreateSubscriptionGroup: 'false' });
    expect(await noGroup.ask(SEND_BACK, fields())).toMatchObject({
      code: 26,
      remark: `subscription group not exist, CG_retry ${FAQ}`,
    });
    const readOnly = testBroker({ brokerPermission: '4' });
    expect((await readOnly.ask(SEND_BACK, fields()))?.code).toBe(16);
  });
});
