import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { type Registration, RouteInfoManager } from '../../src/namesrv/route-info-manager.js';
import type { TopicConfig } from '../../src/protocol/bodies/topic-config.js';
import { FakeChannel, LogLines } from './support.js';

let clock: ManualClock;
let log: LogLines;
let routes: RouteInfoManager;

beforeEach(() => {
  clock = new ManualClock();
  log = new LogLines();
  routes = new RouteInfoManager(clock, log);
});

function topic(topicName: string, perm = 6, topicSysFlag = 0): TopicConfig {
  return {
    order: false,
    perm,
    readQueueNums: 8,
    topicFilterType: 'SINGLE_TAG',
    topicName,
    topicSysFlag,
    writeQueueNums: 8,
  };
}

function registration(change: Partial<Registration> = {}): Registration {
  return {
    clusterName: 'c',
    brokerName: 'a',
    brokerId: 0,
    brokerAddr: 'h1:10911',
    haServerAddr: 'h1:10912',
    dataVersion: { counter: 1, timestamp: 1 },
    topics: [topic('T')],
    filterServers: [],
    channel: new FakeChannel(),
    ...change,
  };
}

const perms = (name: string) => routes.pickupTopicRoute(name)?.queueDatas.map(({ perm }) => perm);
const addresses = () =>
  Object.fromEntries(routes.clusterInfo().brokerAddrTable.get('a')?.brokerAddrs ?? []);

test('an unchanged data version leaves the queues as they are, a changed one replaces them', () => {
  routes.registerBroker(registration());
  routes.deleteTopic('T', null);
  routes.registerBroker(registration());
  expect(routes.allTopics()).toEqual([]);
  routes.registerBroker(registration({ dataVersion: { counter: 0, timestamp: 0 } }));
  expect(routes.allTopics()).toEqual(['T']);
});

test('topics that a registration does not name stay', () => {
  routes.registerBroker(registration({ topics: [topic('T'), topic('U')] }));
  const dataVersion = { counter: 2, timestamp: 2 };
  routes.registerBroker(registration({ topics: [topic('T', 4)], dataVersion }));
  expect(perms('T')).toEqual([4]);
  expect(perms('U')).toEqual([6]);
});

test('a slave brings no topics and gets its master', () => {
  const slave = { brokerId: 1, brokerAddr: 'h2:10911', topics: [topic('S')] };
  expect(routes.registerBroker(registration(slave))).toEqual({
    masterAddr: null,
    haServerAddr: null,
  });
  routes.registerBroker(registration());
  expect(routes.registerBroker(registration(slave))).toEqual({
    masterAddr: 'h1:10911',
    haServerAddr: 'h1:10912',
  });
  expect(routes.allTopics()).toEqual(['T']);
  expect([...(routes.pickupTopicRoute('T')?.brokerDatas[0]?.brokerAddrs.keys() ?? [])]).toEqual([
    0, 1,
  ]);
});

test('a slave that comes back as master gives up its old id', () => {
  routes.registerBroker(registration({ brokerId: 1 }));
  routes.registerBroker(registration({ brokerId: 0 }));
  expect(addresses()).toEqual({ 0: 'h1:10911' });
});

test('of two live brokers with one name and id the newer one is in the route, and it is logged', () => {
  const older = new FakeChannel();
  routes.registerBroker(registration({ channel: older }));
  routes.registerBroker(registration({ brokerAddr: 'h2:10911' }));
  expect(addresses()).toEqual({ 0: 'h2:10911' });
  expect(log.lines).toContain(
    'warn two live brokers claim the same name and id; the newer one is in the route',
  );
  routes.onChannelClosed(older);
  expect(addresses()).toEqual({ 0: 'h2:10911' });
  expect(routes.allTopics()).toEqual(['T']);
});

test('a late farewell or the end of an old connection does not remove a fresh registration', () => {
  const old = new FakeChannel();
  const fresh = new FakeChannel();
  routes.registerBroker(registration({ channel: old }));
  routes.registerBroker(registration({ channel: fresh }));
  routes.unregisterBroker(registration(), old);
  routes.onChannelClosed(old);
  expect(addresses()).toEqual({ 0: 'h1:10911' });
  routes.unregisterBroker(registration(), fresh);
  expect(routes.pickupTopicRoute('T')).toBeNull();
});

test('a farewell over a new connection counts when the one of the registration is gone', () => {
  const old = new FakeChannel();
  routes.registerBroker(registration({ channel: old }));
  old.isClosed = true;
  routes.unregisterBroker(registration(), new FakeChannel());
  expect(routes.systemTopics().topics).toEqual([]);
});

test('a broker whose master is gone stays with its slaves and its queues', () => {
  const master = new FakeChannel();
  routes.registerBroker(registration({ channel: master }));
  routes.registerBroker(registration({ brokerId: 1, brokerAddr: 'h2:10911' }));
  routes.onChannelClosed(master);
  expect(addresses()).toEqual({ 1: 'h2:10911' });
  expect(perms('T')).toEqual([6]);
});

test('with its last address a broker leaves nothing behind', () => {
  const channel = new FakeChannel();
  routes.registerBroker(registration({ channel, filterServers: ['f:1'] }));
  routes.registerBroker(registration({ brokerName: 'b', brokerAddr: 'h3:10911' }));
  routes.onChannelClosed(channel);
  expect(routes.pickupTopicRoute('T')?.queueDatas.map((data) => data.brokerName)).toEqual(['b']);
  expect(routes.clusterInfo().clusterAddrTable).toEqual(new Map([['c', ['b']]]));
  expect(routes.pickupTopicRoute('T')?.filterServerTable.size).toBe(0);
});

test('silence ends a broker by the monotonic clock, however the wall clock jumps', () => {
  const channel = new FakeChannel();
  routes.registerBroker(registration({ channel }));
  clock.stepWallClock(25 * 365 * 86_400_000);
  routes.scanNotActiveBrokers();
  expect(addresses()).toEqual({ 0: 'h1:10911' });
  clock.stepWallClock(-30 * 365 * 86_400_000);
  clock.advance(119_000);
  routes.scanNotActiveBrokers();
  expect(addresses()).toEqual({ 0: 'h1:10911' });
  clock.advance(1_500);
  routes.scanNotActiveBrokers();
  expect(addresses()).toEqual({});
  expect(channel.isClosed).toBe(true);
});

test('a question after the data version is a sign of life if nothing changed', () => {
  routes.registerBroker(registration());
  clock.advance(100_000);
  const same = { counter: 1, timestamp: 1 };
  expect(routes.queryDataVersion('h1:10911', same)).toEqual({ changed: false, known: same });
  clock.advance(100_000);
  routes.scanNotActiveBrokers();
  expect(addresses()).toEqual({ 0: 'h1:10911' });
  const older = { counter: 0, timestamp: 0 };
  expect(routes.queryDataVersion('h1:10911', older)).toEqual({ changed: true, known: same });
  expect(routes.queryDataVersion('none:1', older)).toEqual({ changed: true, known: null });
});

test('a wiped write permission survives registrations until it is added again', () => {
  routes.registerBroker(registration());
  expect(routes.wipeWritePerm('a')).toBe(1);
  expect(perms('T')).toEqual([4]);
  const dataVersion = { counter: 2, timestamp: 2 };
  routes.registerBroker(registration({ dataVersion, topics: [topic('T'), topic('U')] }));
  expect([perms('T'), perms('U')]).toEqual([[4], [4]]);
  expect(routes.addWritePerm('a')).toBe(2);
  expect([perms('T'), perms('U')]).toEqual([[6], [6]]);
});

test('a wiped write permission survives a lost connection, not a farewell', () => {
  const channel = new FakeChannel();
  routes.registerBroker(registration({ channel }));
  routes.wipeWritePerm('a');
  routes.onChannelClosed(channel);
  routes.registerBroker(registration({ channel }));
  expect(perms('T')).toEqual([4]);
  routes.unregisterBroker(registration(), channel);
  routes.registerBroker(registration({ channel }));
  expect(perms('T')).toEqual([6]);
});

test('adding write permission keeps the inherit bit of the auto-create topic', () => {
  routes.registerBroker(registration({ topics: [topic('TBW102', 7)] }));
  routes.wipeWritePerm('a');
  expect(perms('TBW102')).toEqual([5]);
  routes.addWritePerm('a');
  expect(perms('TBW102')).toEqual([7]);
});

test('a topic is deleted everywhere, or in one cluster only', () => {
  routes.registerBroker(registration());
  routes.registerBroker(registration({ brokerName: 'b', clusterName: 'd', brokerAddr: 'h2:1' }));
  routes.deleteTopic('T', 'd');
  expect(routes.pickupTopicRoute('T')?.queueDatas.map((data) => data.brokerName)).toEqual(['a']);
  routes.deleteTopic('T', 'c');
  expect(routes.allTopics()).toEqual([]);
});

test('a broker that moves to another cluster leaves the old one', () => {
  routes.registerBroker(registration());
  routes.registerBroker(registration({ clusterName: 'd' }));
  expect(routes.clusterInfo().clusterAddrTable).toEqual(new Map([['d', ['a']]]));
});

test('unit topics go by the flag of the first broker', () => {
  const topics = [topic('unit', 6, 1), topic('sub', 6, 2), topic('both', 6, 3)];
  routes.registerBroker(registration({ topics }));
  expect(routes.topicsWithFlag((flag) => (flag & 1) !== 0)).toEqual(['unit', 'both']);
});
