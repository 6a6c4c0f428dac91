// Replays what a Java client asked of a Java 4.9.7 broker in the golden run `adm`, in the order in which it asked, and compares
// each answer: code, remark, the presence of extFields, and the body but for times, addresses and rates.

import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../src/base/logger.js';
import { decodeMessage } from '../../src/message/message-decoder.js';
import { parseFastJson } from '../../src/protocol/fast-json.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import { isOneway, isResponse, type RemotingCommand } from '../../src/protocol/remoting-command.js';
import { frameBytes, type GoldenFrame, goldenFrames } from '../golden-data.js';
import { dispatch, FakeConnection, heartbeatBody, type TestBroker, testBroker } from './fakes.js';

setLogLevel('silent');

interface Exchange {
  readonly ex: string;
  readonly request: RemotingCommand;
  readonly response: RemotingCommand | null;
}

const SEND_MESSAGE = 10;
const PULL_MESSAGE = 11;

/** Codes that other parts of the broker answer. */
const NOT_OURS = new Set([SEND_MESSAGE, PULL_MESSAGE, 52]);

/** Named difference: what a change of the configuration may touch is an allow-list here (reliability 6.3, 3). */
const ALLOW_LIST = 'adm-client-broker-25-0-0';

describe('the answers of the golden admin run', () => {
  const exchanges = clientExchanges();
  const broker = testBroker();
  broker.controller.load();
  const consumer = new FakeConnection(1, 42_004);
  const producer = new FakeConnection(2, 42_002);
  const answers = clientAnswers();
  consumer.answer = (request) => answers.get(request.code) ?? { ...request, flag: 1, code: 0 };
  storeMessages(broker);
  broker.controller.context.stats.sample();

  for (const { ex, request, response } of exchanges) {
    if (NOT_OURS.has(request.code) || ex === ALLOW_LIST) continue;
    it(`answers ${ex} as Java does`, async () => {
      await uncaptured(broker, producer, request.code);
      const from = isProducer(request) ? producer : consumer;
      const answer = await dispatch(broker.controller, request, from);
      if (response === null) {
        expect(answer).toBeNull();
        return;
      }
      if (answer === null) throw new Error('no answer');
      expect(answer.code).toBe(response.code);
      expect(answer.remark).toBe(response.remark);
      expect(Object.keys(answer.extFields ?? {}).sort()).toEqual(
        Object.keys(response.extFields ?? {}).sort(),
      );
      expect(answer.extFields === null).toBe(response.extFields === null);
      compareBodies(request.code, answer.body, response.body);
    });
  }
});

function compareBodies(code: number, actual: Buffer | null, expected: Buffer | null): void {
  expect(actual === null, 'a body is there or not').toBe(expected === null);
  if (actual === null || expected === null) return;
  if (code === 26) {
    expect(propertyNames(actual).sort()).toEqual(
      expect.arrayContaining(['brokerName', 'flushDiskType']),
    );
    return;
  }
  if (code === 12 || code === 33) {
    expect(actual.equals(expected)).toBe(true);
    return;
  }
  const [ours, javas] = [actual, expected].map((body) =>
    normal(parseFastJson(body.toString('utf8'))),
  );
  if (code === 28) {
    const missing = keysOf(javas).filter((key) => !keysOf(ours).includes(key));
    expect(missing).toEqual([]);
    return;
  }
  expect(ours).toEqual(javas);
}

/** Times, rates and addresses differ from run to run; the order of Java's maps and sets means nothing. */
function normal(value: unknown, name = ''): unknown {
  if (
    /timestamp|time$|TimeStamp|Str$|Tps$|tps$|subVersion|clientAddr|remoteIP|delayTime/i.test(name)
  )
    return name;
  if (Array.isArray(value)) {
    return value.map((item) => normal(item)).sort((a, b) => (text(a) < text(b) ? -1 : 1));
  }
  if (value instanceof Map) {
    return [...value]
      .map(([key, member]) => [normal(key), normal(member)])
      .sort((a, b) => (text(a) < text(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, normal(member, key)]),
  );
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, it) => (typeof it === 'bigint' ? String(it) : it));
}

function keysOf(body: unknown): string[] {
  const table = (body as { table: Record<string, string> }).table;
  return Object.keys(table).map((key) =>
    key.startsWith('commitLogDiskRatio_') ? 'commitLogDiskRatio_' : key,
  );
}

function propertyNames(body: Buffer): string[] {
  return body
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(0, line.indexOf('=')));
}

/** The client numbered its requests one after another, so that the numbers give their order. */
function clientExchanges(): Exchange[] {
  const byExchange = new Map<string, GoldenFrame[]>();
  for (const frame of goldenFrames()) {
    if (frame.run !== 'adm' || !frame.ex.startsWith('adm-client-broker-')) continue;
    byExchange.set(frame.ex, [...(byExchange.get(frame.ex) ?? []), frame]);
  }
  const exchanges: Exchange[] = [];
  for (const [ex, frames] of byExchange) {
    const commands = frames.map((frame) => ({ frame, command: decodeFrame(frameBytes(frame)) }));
    const request = commands.find(({ frame }) => frame.direction === 'client->broker')?.command;
    const response = commands.find(({ frame }) => frame.direction === 'broker->client')?.command;
    if (request === undefined || isResponse(request)) continue;
    if (response === undefined && !isOneway(request)) continue;
    exchanges.push({ ex, request, response: response ?? null });
  }
  return exchanges.sort((a, b) => a.request.opaque - b.request.opaque);
}

/** What the golden client answered to the broker's own requests. */
function clientAnswers(): Map<number, RemotingCommand> {
  const answers = new Map<number, RemotingCommand>();
  for (const frame of goldenFrames()) {
    const command = decodeFrame(frameBytes(frame));
    const isAnswer = frame.direction === 'client->broker' && isResponse(command);
    if (frame.run === 'adm' && isAnswer) answers.set(frame.reqCode, command);
  }
  return answers;
}

/** Six messages over two queues, as the run sent them; one of them is the record that frames 12 and 33 hold. */
function storeMessages(broker: TestBroker): void {
  const record = goldenFrames()
    .map((frame) => decodeFrame(frameBytes(frame)))
    .find((command) => command.body?.includes('adm-5'))?.body;
  const decoded = record === undefined || record === null ? null : decodeMessage(record, 0);
  if (record === undefined || record === null || decoded === null)
    throw new Error('no golden record');
  for (let i = 0; i < 6; i++) {
    const isGolden = i === 5;
    broker.store.add(
      {
        topic: 'GoldenAdm',
        queueId: i % 2,
        flag: 0,
        sysFlag: 0,
        bornTimestamp: 0,
        bornHost: Buffer.alloc(4),
        bornPort: 0,
        reconsumeTimes: 0,
        preparedTransactionOffset: 0,
        body: Buffer.from(`adm-${i}`),
        properties: isGolden ? decoded.propertiesText : '',
        waitStoreMsgOk: true,
      },
      isGolden ? record : Buffer.alloc(1),
      i * 208,
    );
  }
}

/** The capture holds two exchanges of each kind at most; what the later answers need of the others is done here. */
async function uncaptured(
  broker: TestBroker,
  producer: FakeConnection,
  code: number,
): Promise<void> {
  const { controller, clock, ask } = broker;
  const { topics, stats } = controller.context;
  if (code === 200 && topics.get('GoldenDel') === undefined) {
    const fields = { topic: 'GoldenDel', defaultTopic: 'TBW102', topicFilterType: 'SINGLE_TAG' };
    await ask(17, { ...fields, readQueueNums: '2', writeQueueNums: '2', perm: '6' });
  } else if (code === 303) {
    controller.commitOffset('', 'CG_adm', 'GoldenAdm', 1, 3);
  } else if (code === 315 && stats.find('TOPIC_PUT_NUMS', 'GoldenAdm') === undefined) {
    controller.countPuts('GoldenAdm', 6, 6 * 208);
    clock.advance(10_000);
    stats.sample();
  } else if (code === 328) {
    const inner = 'CLIENT_INNER_PRODUCER';
    const prod = heartbeatBody('192.0.2.2@prod-PG_adm', [], ['PG_adm', inner]);
    await ask(34, null, { body: prod, connection: producer });
    const third = heartbeatBody('192.0.2.2@adm1694800685937', [], [inner]);
    await ask(34, null, { body: third, connection: new FakeConnection(3) });
  }
}

function isProducer(request: RemotingCommand): boolean {
  return request.body?.includes('prod-PG_adm') ?? false;
}
