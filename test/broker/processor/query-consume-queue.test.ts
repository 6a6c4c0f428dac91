import { beforeEach, describe, expect, it } from 'vitest';
import type { ConsumeQueueUnitView } from '../../../src/store/message-store.js';
import { FakeConnection, type TestBroker, testBroker } from '../fakes.js';

const QUEUE = { topic: 'T', queueId: '0', index: '0', count: '8' };
const ADDRESS = -9_223_372_036_854_775_808n;

let broker: TestBroker;
let units: ConsumeQueueUnitView[];

beforeEach(() => {
  broker = testBroker();
  broker.store.consumeQueue = async () => ({ minOffset: 0, maxOffset: 3, units });
});

async function subscribe(expressionType: string, subString: string, codeSet: number[] = []) {
  const subscription = { topic: 'T', subString, expressionType, subVersion: 7, codeSet };
  const group = {
    groupName: 'G',
    consumeType: 'CONSUME_PASSIVELY',
    messageModel: 'CLUSTERING',
    consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
    subscriptionDataSet: [{ ...subscription, tagsSet: [] }],
    unitMode: false,
  };
  const body = JSON.stringify({ clientID: 'c', consumerDataSet: [group], producerDataSet: [] });
  await broker.ask(34, null, { body, connection: new FakeConnection(1) });
}

function unit(tagsCode: bigint, msgStoreTime: number, bitMap: Uint8Array | null) {
  const ext = { sizeBytes: 20 + (bitMap?.length ?? 0), tagsCode, msgStoreTime, bitMap };
  return { physicalOffset: 208, sizeBytes: 208, tagsCode: ADDRESS, ext };
}

async function look(consumerGroup: string | null = 'G') {
  const fields = consumerGroup === null ? QUEUE : { ...QUEUE, consumerGroup };
  const body = (await broker.ask(321, fields))?.body?.toString() ?? '';
  return JSON.parse(body.replaceAll(/"tagsCode":(-?\d+)/g, '"tagsCode":"$1"')) as {
    filterData?: string;
    queueData: Record<string, unknown>[];
  };
}

describe('QUERY_CONSUME_QUEUE', () => {
  it('shows the bits of an entry, the last one first, and its ext unit', async () => {
    const bitMap = new Uint8Array(14);
    bitMap[0] = 0b1000_0001;
    bitMap[9] = 1;
    units = [unit(5n, 9, bitMap), unit(-5n, 9, null)];
    const { queueData, filterData } = await look(null);
    expect(filterData).toBeUndefined();
    const zeros = (count: number) => '00000000'.repeat(count);
    expect(queueData[0]).toMatchObject({
      bitMap: `${zeros(4)}00000001${zeros(1)}\n${zeros(7)}10000001\n`,
      eval: false,
      tagsCode: String(ADDRESS),
    });
    expect(queueData[0]?.['extendDataJson']).toContain('"filterBitMap":"gQAAAAAAAAAAAQAAAAA=",');
    const plain = '{"msgStoreTime":9,"size":20,"tagsCode":-5}';
    expect(queueData[1]?.['extendDataJson']?.toString().replaceAll(/"(-?\d+)"/g, '$1')).toBe(plain);
    expect(queueData[1]).not.toHaveProperty('bitMap');
  });

  it('judges entries by the bits of a registered expression', async () => {
    await subscribe('SQL92', 'a > 5');
    const laterMs = broker.clock.nowMs() + 1;
    units = [
      unit(0n, laterMs, new Uint8Array(14)),
      unit(0n, laterMs, new Uint8Array(14).fill(0xff)),
      unit(0n, laterMs - 1, new Uint8Array(14)),
    ];
    const { queueData, filterData } = await look();
    expect(queueData.map((it) => it['eval'])).toEqual([false, true, true]);
    expect(filterData).toMatch(/^\{\n\t"bloomFilterData":\{\n\t\t"bitNum":112,\n\t\t"bitPos":\[/);
    expect(filterData).toMatch(
      /\n\t"expression":"a > 5",\n\t"expressionType":"SQL92",\n\t"topic":"T"\n\}$/,
    );
  });

  it('judges entries by their tags, those with an ext unit only', async () => {
    await subscribe('TAG', 'A', [65]);
    units = [
      unit(65n, 9, null),
      unit(66n, 9, null),
      { physicalOffset: 0, sizeBytes: 208, tagsCode: 65n },
      { physicalOffset: 0, sizeBytes: 208, tagsCode: ADDRESS, ext: null },
    ];
    const { queueData, filterData } = await look();
    expect(queueData.map((it) => it['eval'])).toEqual([true, false, false, false]);
    expect(filterData).toBe('null');
    expect(queueData[3]?.['msg']).toBe(`Cq extend not exist!addr: ${ADDRESS}`);
  });

  it('lets all pass for an expression that is not known, and judges nothing for a group that is away', async () => {
    await subscribe('SQL92', 'a >');
    units = [unit(0n, 9, new Uint8Array(14))];
    expect((await look()).queueData[0]?.['eval']).toBe(true);
    const away = await look('H');
    expect(away.queueData[0]?.['eval']).toBe(false);
    expect(away.filterData).toBe('H@T is not online!');
  });
});
