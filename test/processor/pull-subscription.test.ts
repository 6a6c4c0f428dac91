import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { ConsumerFilterReplicas } from '../../src/processor/consumer-filter-replicas.js';
import { HeaderScan } from '../../src/processor/header-scan.js';
import { PULL_FIELDS } from '../../src/processor/pull-fields.js';
import {
  ExpressionFilter,
  RegisteredFilter,
  RetryFilter,
} from '../../src/processor/pull-filter.js';
import { PullRefusal, PullSubscription } from '../../src/processor/pull-subscription.js';
import {
  type SubscriptionRow,
  TableReplicas,
  TopicRow,
} from '../../src/processor/table-replicas.js';
import { encodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest } from '../../src/protocol/remoting-command.js';
import { exampleRecord, propertiesOf } from '../support/example-record.js';

const BLOOM = { maxErrorRateOfBloomFilter: 20, expectConsumerNumUseFilter: 32 };
const FROM_HEADER = '4';
const FROM_HEARTBEAT = '0';
const GROUP = {
  groupName: 'G',
  consumeEnable: true,
  consumeBroadcastEnable: true,
  brokerId: 0,
  whichBrokerWhenConsumeSlowly: 1,
};
const NOT_SUPPORTED = {
  code: 1,
  remark: 'The broker does not support consumer to filter message by SQL92',
};

let filters: ConsumerFilterReplicas;
let tables: TableReplicas;

beforeEach(() => {
  filters = new ConsumerFilterReplicas(BLOOM, new ManualClock());
  tables = new TableReplicas(filters);
});

function subscribe(expressionType: string, topic = 'T', over: Partial<SubscriptionRow> = {}) {
  const row = { topic, subString: 'A', codeSet: [65], subVersion: 7, expressionType, ...over };
  const consumers = { messageModel: 'CLUSTERING', subscriptions: [row] };
  tables.apply({ table: 'consumers', key: 'G', row: consumers });
}

function register(clientVersion: number, expression = 'a > 5', topic = 'T') {
  const bloomFilterData = filters.bloomFilter.generate('G', topic);
  const times = { bornTime: 1, deadTime: 0 };
  const base = { topic, consumerGroup: 'G', expression, expressionType: 'SQL92' };
  const row = { ...base, ...times, bloomFilterData, clientVersion };
  tables.apply({ table: 'filter', topic, group: 'G', row });
}

function ask(fields: Record<string, string>, enabled = true, topic = 'T', group = GROUP) {
  const frame = encodeFrame(createRequest(11, { subVersion: '7', ...fields }));
  const scan = new HeaderScan(PULL_FIELDS);
  expect(scan.scan(frame, 0, frame.length)).toBe(true);
  return new PullSubscription(tables, filters, enabled).filterOf(scan, group, new TopicRow(topic));
}

const registered = (enabled = true) => ask({ sysFlag: FROM_HEARTBEAT }, enabled);
const brought = (subscription: string, expressionType = 'SQL92', enabled = true) =>
  ask({ sysFlag: FROM_HEADER, subscription, expressionType }, enabled);

describe('a subscription in the request', () => {
  it('is refused with 23 when it can not be compiled, is empty, or of an unknown type', () => {
    const refusal = { code: 23, remark: "parse the consumer's subscription failed" };
    expect(brought('a > AND 3')).toEqual(refusal);
    expect(brought('')).toEqual(refusal);
    expect(brought('a > 5', 'LUA')).toEqual(refusal);
    expect(ask({ sysFlag: FROM_HEADER, expressionType: 'SQL92' })).toEqual(refusal);
    expect(brought('a > AND 3', 'SQL92', false)).toEqual(refusal);
  });

  it('is refused with 1 while property filters are off', () => {
    expect(brought('a > 5', 'SQL92', false)).toEqual(NOT_SUPPORTED);
    expect(brought('A', 'TAG', false)).not.toBeInstanceOf(PullRefusal);
  });

  it('gives the same filter for the same expression, without a registered one', () => {
    const frame = { sysFlag: FROM_HEADER, subscription: 'a > 5', expressionType: 'SQL92' };
    expect(ask(frame)).toBeInstanceOf(ExpressionFilter);
  });
});

describe('a subscription of the heartbeat', () => {
  it('is refused while the group is away, reads another topic, or is older than the client', () => {
    expect(registered()).toMatchObject({
      code: 24,
      remark: expect.stringContaining('group info not exist'),
    });
    subscribe('SQL92', 'Other');
    expect(registered()).toMatchObject({
      code: 24,
      remark: expect.stringContaining('subscription not exist'),
    });
    subscribe('SQL92', 'T', { subVersion: 6 });
    expect(registered()).toEqual({ code: 25, remark: "the consumer's subscription not latest" });
  });

  it('is refused with 27 without a filter, or with one that can not be compiled', () => {
    const refusal = {
      code: 27,
      remark: "The broker's consumer filter data is not exist!Your expression may be wrong!",
    };
    subscribe('SQL92');
    expect(registered()).toEqual(refusal);
    expect(registered(false)).toEqual(refusal);
    register(7, 'a >');
    expect(registered()).toEqual(refusal);
  });

  it('is refused with 28 when the filter is older than the client', () => {
    subscribe('SQL92');
    register(6);
    const refusal = { code: 28, remark: "the consumer's consumer filter data not latest" };
    expect(registered()).toEqual(refusal);
    expect(registered(false)).toEqual(refusal);
  });

  it('is refused with 1 while property filters are off, and else has its filter', () => {
    subscribe('SQL92');
    register(7);
    expect(registered(false)).toEqual(NOT_SUPPORTED);
    expect(registered()).toBeInstanceOf(RegisteredFilter);
  });

  it('may not be read by broadcast when the group does not allow it', () => {
    const row = { messageModel: 'BROADCASTING', subscriptions: [] };
    tables.apply({ table: 'consumers', key: 'G', row });
    const group = { ...GROUP, consumeBroadcastEnable: false };
    expect(ask({ sysFlag: FROM_HEARTBEAT }, true, 'T', group)).toMatchObject({
      code: 16,
      remark: 'the consumer group[G] can not consume by broadcast way',
    });
  });
});

describe('filterSupportRetry', () => {
  const retry = () => ask({ sysFlag: FROM_HEARTBEAT }, true, '%RETRY%G');
  const record = exampleRecord({ propertiesText: propertiesOf({ RETRY_TOPIC: 'T', a: '4' }) });

  beforeEach(() => {
    subscribe('TAG', '%RETRY%G', { subString: '*', codeSet: [] });
    register(7);
  });

  it('filters retried messages by the expression on their topic only while it is on', () => {
    expect(retry()).toBeNull();
    tables.apply({ table: 'filterSupportRetry', row: true });
    const filter = retry();
    expect(filter).toBeInstanceOf(RetryFilter);
    expect((filter as RetryFilter).matchCommitLog(record, 0, record.length)).toBe(false);
    subscribe('TAG', 'T');
    expect(ask({ sysFlag: FROM_HEARTBEAT })).not.toBeInstanceOf(RetryFilter);
  });

  it('does not hide a refusal', () => {
    tables.apply({ table: 'filterSupportRetry', row: true });
    subscribe('TAG', 'Other');
    expect(retry()).toMatchObject({ code: 24 });
  });
});
