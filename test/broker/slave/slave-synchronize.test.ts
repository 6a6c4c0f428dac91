import { describe, expect, it } from 'vitest';
import { SlaveSynchronize } from '../../../src/broker/slave/slave-synchronize.js';
import { createResponse, type RemotingCommand } from '../../../src/protocol/remoting-command.js';
import { RequestCode } from '../../../src/protocol/request-code.js';
import { FakeNamesrvs, type TestBroker, testBroker } from '../fakes.js';

const FAST = '10.0.0.1:10909';
const MAIN = '10.0.0.1:10911';

interface Pair {
  readonly master: TestBroker;
  readonly slave: TestBroker;
  readonly net: FakeNamesrvs;
  readonly synchronize: SlaveSynchronize;
  readonly files: Map<string, string>;
  readonly deleted: string[];
  /** What the master answers instead, by code. */
  readonly instead: Map<number, RemotingCommand | null | string>;
}

/** A slave whose master is the control plane of another test broker. */
function pair(): Pair {
  const master = testBroker();
  const slave = testBroker({ brokerRole: 'SLAVE', brokerId: '1', listenPort: '28741' });
  const instead: Pair['instead'] = new Map();
  const deleted: string[] = [];
  const files = new Map<string, string>();
  const net = new FakeNamesrvs();
  const invoke = async (address: string, command: RemotingCommand): Promise<RemotingCommand> => {
    net.requests.push({ address, command, oneway: false });
    const other = instead.get(command.code);
    if (other === null) throw new Error(`${address} does not answer`);
    if (typeof other === 'string') {
      return { ...createResponse(command, 0), body: Buffer.from(other) };
    }
    return other ?? (await master.ask(command.code))!;
  };
  slave.store.deleteTopics = async (topics) => {
    deleted.push(...topics);
  };
  const synchronize = new SlaveSynchronize(
    slave.controller.context,
    { invoke },
    async (path, text) => {
      files.set(path.slice(path.lastIndexOf('/') + 1), text);
    },
  );
  return { master, slave, net, synchronize, files, deleted, instead };
}

async function createTopic(broker: TestBroker, topic: string): Promise<void> {
  await broker.controller.context.topics.createIfAbsent(topic, 4, 6, 0);
}

describe('a slave', () => {
  it('asks for topics on the fast port and for the rest on the other, with no header and no body', async () => {
    const { synchronize, net } = pair();
    synchronize.setMasterAddr(MAIN);
    await synchronize.syncAll();
    expect(net.requests.map(({ address, command }) => [address, command.code])).toEqual([
      [FAST, 21],
      [MAIN, 43],
      [MAIN, 45],
      [MAIN, 201],
    ]);
    expect(net.requests.every(({ command }) => command.extFields === null)).toBe(true);
    expect(net.requests.every(({ command }) => command.body === null)).toBe(true);
  });

  it('asks nobody while there is no master, or it is the master itself', async () => {
    const { synchronize, net, slave } = pair();
    await synchronize.syncAll();
    synchronize.setMasterAddr(slave.controller.context.brokerAddr);
    await synchronize.syncAll();
    expect(net.requests).toEqual([]);
  });

  it('has the tables of its master after one turn', async () => {
    const { synchronize, master, slave, files } = pair();
    const there = master.controller.context;
    await createTopic(master, 'Orders');
    there.groups.findOrCreate('Readers');
    there.offsets.commit('c', 'Readers', 'Orders', 3, 42);
    synchronize.setMasterAddr(MAIN);
    await synchronize.syncAll();
    const here = slave.controller.context;
    expect(here.topics.get('Orders')).toEqual(there.topics.get('Orders'));
    expect(here.topics.dataVersion).toEqual(there.topics.dataVersion);
    expect(here.groups.get('Readers')).toEqual(there.groups.get('Readers'));
    expect(here.offsets.query('Readers', 'Orders', 3)).toBe(42);
    expect(files.get('delayOffset.json')).toBe('{"offsetTable":{}}');
  });

  it('deletes a topic that its master deleted, its queues included, and nothing else', async () => {
    const { synchronize, master, slave, deleted } = pair();
    await createTopic(master, 'Orders');
    await createTopic(master, 'Kept');
    synchronize.setMasterAddr(MAIN);
    await synchronize.syncAll();
    await master.controller.context.topics.delete('Orders');
    await synchronize.syncAll();
    expect(deleted).toEqual(['Orders']);
    expect(slave.controller.context.topics.get('Orders')).toBeUndefined();
    expect(slave.controller.context.topics.get('Kept')).toBeDefined();
  });

  it.each([
    ['does not answer', null],
    ['answers half a table', '{"dataVersion":{"counter":9,"timestamp":9},"topicConfigTable":{"A":'],
    ['answers an empty table', '{"dataVersion":{"counter":9,"timestamp":9},"topicConfigTable":{}}'],
  ])('keeps its topics when the master %s, and copies the rest', async (_, answer) => {
    const { synchronize, master, slave, instead, deleted } = pair();
    await createTopic(master, 'Orders');
    synchronize.setMasterAddr(MAIN);
    await synchronize.syncAll();
    instead.set(RequestCode.GET_ALL_TOPIC_CONFIG, answer);
    master.controller.context.offsets.commit('c', 'Readers', 'Orders', 0, 7);
    await synchronize.syncAll();
    expect(slave.controller.context.topics.get('Orders')).toBeDefined();
    expect(slave.controller.context.offsets.query('Readers', 'Orders', 0)).toBe(7);
    expect(deleted).toEqual([]);
  });

  it('takes no offset of a table that breaks off', async () => {
    const { synchronize, slave, instead } = pair();
    synchronize.setMasterAddr(MAIN);
    instead.set(RequestCode.GET_ALL_CONSUMER_OFFSET, '{"offsetTable":{"T@G":{0:5},"U@G":{0:"x"}}}');
    await synchronize.syncAll();
    expect(slave.controller.context.offsets.query('G', 'T', 0)).toBe(-1);
  });

  it('leaves out a topic whose name is no name', async () => {
    const { synchronize, master, slave, instead } = pair();
    await createTopic(master, 'Orders');
    const body = (await master.ask(RequestCode.GET_ALL_TOPIC_CONFIG))!.body!.toString();
    const evil = body.replaceAll('Orders', '../../evil');
    expect(evil).not.toBe(body);
    instead.set(RequestCode.GET_ALL_TOPIC_CONFIG, evil);
    synchronize.setMasterAddr(MAIN);
    await synchronize.syncAll();
    expect(slave.controller.context.topics.names().filter((it) => it.includes('/'))).toEqual([]);
    expect(slave.controller.context.topics.size).toBeGreaterThan(3);
  });
});
