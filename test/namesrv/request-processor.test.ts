import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeRegisterBody } from '../../src/protocol/bodies/register-broker-body.js';
import type { TopicConfig } from '../../src/protocol/bodies/topic-config.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest, isOneway } from '../../src/protocol/remoting-command.js';
import { RequestCode } from '../../src/protocol/request-code.js';
import { FakeChannel, NamesrvUnderTest } from './support.js';

let server: NamesrvUnderTest;
beforeEach(() => {
  server = new NamesrvUnderTest();
});

const topic: TopicConfig = {
  order: false,
  perm: 6,
  readQueueNums: 4,
  topicFilterType: 'SINGLE_TAG',
  topicName: 'T',
  topicSysFlag: 0,
  writeQueueNums: 4,
};

function register(compressed = false, change: Record<string, string> = {}) {
  const wrapper = {
    dataVersion: { counter: 1, timestamp: 1000 },
    topicConfigTable: new Map([['T', topic]]),
  };
  const body = encodeRegisterBody(wrapper, [], compressed);
  const fields = {
    brokerName: 'a',
    brokerAddr: '10.0.0.1:10911',
    clusterName: 'c',
    haServerAddr: '10.0.0.1:10912',
    brokerId: '0',
    compressed: String(compressed),
    bodyCrc32: String(body.crc32),
    ...change,
  };
  return createRequest(RequestCode.REGISTER_BROKER, fields, body.bytes);
}

function ask(code: number, fields: Record<string, string> | null = null, body = '') {
  return server.ask(createRequest(code, fields, body === '' ? null : Buffer.from(body)));
}

describe('registration', () => {
  test.each([false, true])('is understood (compressed: %s)', async (compressed) => {
    expect(await server.ask(register(compressed))).toMatchObject({ code: 0, body: null });
    const route = await ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T' });
    expect(JSON.parse(route.body?.toString() ?? '')).toMatchObject({
      brokerDatas: [{ brokerAddrs: { 0: '10.0.0.1:10911' }, brokerName: 'a', cluster: 'c' }],
      queueDatas: [{ brokerName: 'a', perm: 6, readQueueNums: 4, writeQueueNums: 4 }],
    });
  });

  test('with a wrong checksum is refused and changes nothing', async () => {
    const answer = await server.ask(register(false, { bodyCrc32: '12345' }));
    expect(answer).toMatchObject({ code: 1, remark: 'crc32 not match' });
    expect(server.routes.allTopics()).toEqual([]);
  });

  test('with a checksum of 0 is not checked', async () => {
    expect(await server.ask(register(false, { bodyCrc32: '0' }))).toMatchObject({ code: 0 });
  });

  test('without a field is answered with its name', async () => {
    const request = register();
    delete request.extFields?.['brokerAddr'];
    const answer = await server.ask(request);
    expect(answer.code).toBe(1);
    expect(answer.remark).toContain('brokerAddr');
  });

  test('with a body that is none is answered and changes nothing', async () => {
    const request = register(false, { bodyCrc32: '0' });
    request.body = Buffer.from('{"topicConfigSerializeWrapper":[');
    expect(await server.ask(request)).toMatchObject({ code: 1 });
    expect(server.routes.systemTopics().topics).toEqual([]);
  });

  test('of a slave is answered with its master', async () => {
    await server.ask(register());
    const answer = await server.ask(
      register(false, { brokerId: '1', brokerAddr: '10.0.0.2:10911' }),
    );
    expect(answer.extFields).toEqual({
      masterAddr: '10.0.0.1:10911',
      haServerAddr: '10.0.0.1:10912',
    });
  });

  test('brings the order configuration when there is one', async () => {
    const fields = { namespace: 'ORDER_TOPIC_CONFIG', key: 'T', value: 'a:4' };
    await ask(RequestCode.PUT_KV_CONFIG, fields);
    const answer = await server.ask(register());
    expect(answer.body?.toString()).toBe('{"table":{"T":"a:4"}}');
  });
});

describe('the route', () => {
  test.each([
    [401, null, '{"0":"10.0.0.1:10911"}'],
    [407, null, '{"0":"10.0.0.1:10911"}'],
    [317, null, '{0:"10.0.0.1:10911"}'],
    [317, 'true', '{"0":"10.0.0.1:10911"}'],
    [400, 'false', '{0:"10.0.0.1:10911"}'],
  ])('for version %i with acceptStandardJsonOnly %s has %s', async (version, accept, expected) => {
    await server.ask(register());
    const fields = { topic: 'T', ...(accept === null ? {} : { acceptStandardJsonOnly: accept }) };
    const request = createRequest(RequestCode.GET_ROUTEINFO_BY_TOPIC, fields);
    request.version = version;
    const answer = await server.ask(request);
    expect(answer.body?.toString()).toContain(expected);
  });

  test('names the order configuration only when orderMessageEnable is set', async () => {
    await server.ask(register());
    const fields = { namespace: 'ORDER_TOPIC_CONFIG', key: 'T', value: 'a:4' };
    await ask(RequestCode.PUT_KV_CONFIG, fields);
    const before = await ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T' });
    expect(before.body?.toString()).not.toContain('orderTopicConf');
    await ask(RequestCode.UPDATE_NAMESRV_CONFIG, null, 'orderMessageEnable=true\n');
    const after = await ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T' });
    expect(after.body?.toString()).toContain('"orderTopicConf":"a:4"');
  });
});

describe('its own configuration', () => {
  test.each(['kvConfigPath', 'configStorePath', 'rocketmqHome'])('never moves %s', async (name) => {
    const before = server.config[name as 'kvConfigPath'];
    const answer = await ask(RequestCode.UPDATE_NAMESRV_CONFIG, null, `${name}=/tmp/evil\n`);
    expect(answer).toMatchObject({ code: 16, remark: 'Can not update config path' });
    expect(server.config[name as 'kvConfigPath']).toBe(before);
  });

  test('refuses what may not change, and names what it does not know', async () => {
    const port = await ask(RequestCode.UPDATE_NAMESRV_CONFIG, null, 'listenPort=1\n');
    expect(port).toMatchObject({ code: 16 });
    const typo = await ask(RequestCode.UPDATE_NAMESRV_CONFIG, null, 'orderMesageEnable=true\n');
    expect(typo).toMatchObject({ code: 1 });
    expect(typo.remark).toContain('orderMessageEnable');
  });

  test('is read back as it was changed', async () => {
    await ask(RequestCode.UPDATE_NAMESRV_CONFIG, null, 'productEnvName=a b=c#d\n');
    const answer = await ask(RequestCode.GET_NAMESRV_CONFIG);
    expect(answer.body?.toString()).toContain('productEnvName=a b=c#d\n');
  });
});

test('lists topics of clusters, systems and units', async () => {
  await server.ask(register());
  const list = async (code: number, fields: Record<string, string> | null = null) =>
    JSON.parse((await ask(code, fields)).body?.toString() ?? '');
  const { GET_TOPICS_BY_CLUSTER, GET_SYSTEM_TOPIC_LIST_FROM_NS, GET_UNIT_TOPIC_LIST } = RequestCode;
  expect(await list(GET_TOPICS_BY_CLUSTER, { cluster: 'c' })).toEqual({ topicList: ['T'] });
  expect(await list(GET_TOPICS_BY_CLUSTER, { cluster: 'none' })).toEqual({ topicList: [] });
  expect(await list(GET_SYSTEM_TOPIC_LIST_FROM_NS)).toEqual({
    brokerAddr: '10.0.0.1:10911',
    topicList: ['c', 'a'],
  });
  expect(await list(GET_UNIT_TOPIC_LIST)).toEqual({ topicList: [] });
});

test('answers an unknown code with 3, where Java is silent', async () => {
  expect(await ask(4711)).toMatchObject({ code: 3, remark: ' request type 4711 not supported' });
});

interface GoldenFrame {
  readonly name: string;
  readonly run: string;
  readonly ex: number;
  readonly direction: string;
  readonly hex: string;
}

const frames = readFileSync(new URL('../golden/frames.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): GoldenFrame => JSON.parse(line));

/** The captured frames are not in the order of time: these answers of Java do not depend on what was asked before. */
const INDEPENDENT =
  /^(REGISTER_BROKER|UNREGISTER_BROKER|QUERY_DATA_VERSION|PUT_KV|DELETE_KV|UPDATE_NAMESRV|GET_UNIT|GET_HAS_UNIT|GET_BROKER_CLUSTER_INFO)/;

test('answers captured requests of Java brokers and tools with the bytes of Java', async () => {
  let compared = 0;
  for (const run of ['json', 'rmq', 'adm', 'ha', 'v6']) {
    const fresh = new NamesrvUnderTest();
    const channel = new FakeChannel();
    for (const frame of frames.filter(
      ({ run: of, direction }) => of === run && direction.endsWith('->namesrv'),
    )) {
      const command = decodeFrame(Buffer.from(frame.hex, 'hex'));
      if (isOneway(command)) {
        fresh.tell(command, channel);
        continue;
      }
      const answer = await fresh.frame(command, channel);
      const isAnswer = ({ ex, direction }: GoldenFrame) =>
        ex === frame.ex && direction.startsWith('namesrv->');
      const golden = frames.find(isAnswer);
      const isTbw102 = command.extFields?.['topic'] === 'TBW102' && run !== 'adm';
      if (golden === undefined || (!INDEPENDENT.test(frame.name) && !isTbw102)) continue;
      expect([frame.name, answer.toString('hex')]).toEqual([frame.name, golden.hex]);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(20);
});
