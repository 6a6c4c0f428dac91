import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { setLogLevel } from '../../src/base/logger.js';
import { createRequest, SerializeType } from '../../src/protocol/remoting-command.js';
import { dispatch, FakeConnection, heartbeatBody, testBroker } from './fakes.js';
import { ScheduleStore } from './schedule/schedule-store.js';

setLogLevel('silent');

describe('BrokerController', () => {
  it('gives the workers all rows and the permission before the first frame', () => {
    const { controller, publisher } = testBroker();
    controller.load();
    expect(publisher.topics.size).toBe(0);
    controller.publishAll();
    expect(publisher.topics.get('TBW102')?.perm).toBe(7);
    expect(publisher.groups.get('TOOLS_CONSUMER')?.consumeEnable).toBe(true);
    expect(publisher.permission).toBe(6);
  });

  it('saves nothing that was not loaded', async () => {
    const { controller, files } = testBroker();
    await controller.shutdown();
    expect(files.size).toBe(0);
  });

  it('unregisters before it saves, and saves the offsets at the end', async () => {
    const { controller, files, namesrvs } = testBroker();
    controller.load();
    await controller.start();
    controller.commitOffset('', 'g', 'T', 0, 4);
    await controller.drain();
    expect(namesrvs.requests.at(-1)?.command.code).toBe(104);
    controller.commitOffset('', 'g', 'T', 0, 5);
    await controller.shutdown();
    expect(files.get('consumerOffset.json')).toContain('{0:5\n');
    expect(namesrvs.requests.filter(({ command }) => command.code === 104)).toHaveLength(1);
  });

  it('stores OFFSET_MOVED_EVENT on a master, and neither it nor commits of pulls on a slave', async () => {
    const master = testBroker();
    master.controller.offsetMoved('g', 'T', 1, 100, 10);
    master.controller.commitOffset('', 'g', 'T', 0, 4);
    expect(master.store.puts('OFFSET_MOVED_EVENT')).toHaveLength(1);
    expect(master.controller.context.offsets.query('g', 'T', 0)).toBe(4);
    const slave = testBroker({ brokerRole: 'SLAVE', brokerId: '1' });
    slave.controller.offsetMoved('g', 'T', 1, 100, 10);
    slave.controller.commitOffset('', 'g', 'T', 0, 4);
    expect(slave.store.all).toHaveLength(0);
    expect(slave.controller.context.offsets.query('g', 'T', 0)).toBe(-1);
  });

  it('says in 28 and 315 what the workers counted', async () => {
    const { controller, ask, clock } = testBroker();
    await controller.tasks.tick();
    for (let second = 0; second < 20; second++) {
      controller.countPuts('T', 50, 5000);
      controller.countPulls({
        group: 'g',
        topic: 'T',
        queueId: 0,
        count: 40,
        bytes: 4000,
        found: 2,
        missed: 1,
      });
      clock.advance(1000);
      await controller.tasks.tick();
    }
    const { table } = JSON.parse(String((await ask(28))?.body)) as {
      table: Record<string, string>;
    };
    expect(table['putTps']).toBe('50.0  ');
    expect(table['getTransferedTps']).toBe('40.0  ');
    expect(table['getFoundTps']).toBe('2.0  ');
    expect(table['getMissTps']).toBe('1.0  ');
    expect(table['msgPutTotalTodayNow']).toBe('1000');
    expect(table['putMessageAverageSize']).toBe('100.0');
    expect(table['brokerVersionDesc']).toBe('V4_9_7');
    expect(table['remainHowManyDataToFlush']).toBe('422 B');
    expect(table['runtime']).toBe('[ 0 days, 0 hours, 0 minutes, 20 seconds ]');
    const stats = await ask(315, { statsName: 'GROUP_GET_NUMS', statsKey: 'T@g' });
    expect(JSON.parse(String(stats?.body)).statsMinute).toMatchObject({ tps: 40, avgpt: 20 });
  });

  it('delivers delayed messages from start to drain, and tells and saves how far it is', async () => {
    const clock = new ManualClock();
    const store = new ScheduleStore(clock);
    store.schedule(2, 5000, 'due', { storeTimestamp: clock.nowMs() - 6000 });
    store.schedule(2, 5000, 'later');
    const { controller, ask, files } = testBroker({}, { store, clock });
    controller.load();
    await controller.start();
    await vi.waitFor(() => expect(store.delivered()).toEqual(['due']));
    controller.schedule.turn();
    expect(String((await ask(45))?.body)).toBe('{"offsetTable":{2:1}}');
    const { table } = JSON.parse(String((await ask(28))?.body)) as {
      table: Record<string, string>;
    };
    expect(table['scheduleMessageOffset_2']).toMatch(/^1,/);
    await controller.drain();
    clock.advance(10_000);
    controller.schedule.turn();
    await controller.shutdown();
    expect(store.delivered()).toEqual(['due']);
    expect(files.get('delayOffset.json')).toBe('{\n\t"offsetTable":{2:1\n\t}\n}');
  });

  it('delivers nothing on a slave, and saves no delay offsets there', async () => {
    const clock = new ManualClock();
    const store = new ScheduleStore(clock);
    store.schedule(1, 1000, 'due', { storeTimestamp: clock.nowMs() - 6000 });
    const flags = { brokerRole: 'SLAVE', brokerId: '1' };
    const { controller, files } = testBroker(flags, { store, clock });
    controller.load();
    await controller.start();
    controller.schedule.turn();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await controller.shutdown();
    expect(store.delivered()).toEqual([]);
    expect(files.has('delayOffset.json')).toBe(false);
  });

  it('locks queues for one member of a group at a time', async () => {
    const { ask } = testBroker();
    const body = (clientId: string) =>
      JSON.stringify({
        clientId,
        consumerGroup: 'g',
        mqSet: [{ brokerName: 'golden-a', queueId: 0, topic: 'T' }],
      });
    const locked = async (clientId: string) =>
      JSON.parse(String((await ask(41, null, { body: body(clientId) }))?.body)).lockOKMQSet.length;
    expect(await locked('c1')).toBe(1);
    expect(await locked('c2')).toBe(0);
    expect((await ask(42, null, { body: body('c1') }))?.code).toBe(0);
    expect(await locked('c2')).toBe(1);
  });

  it('answers in the encoding of the request, but look-ups of messages always in JSON', async () => {
    const { controller } = testBroker();
    const connection = new FakeConnection(1);
    const asked = async (code: number, fields: Record<string, string>) => {
      const request = createRequest(code, fields);
      request.serializeType = SerializeType.ROCKETMQ;
      return (await dispatch(controller, request, connection))?.serializeType;
    };
    expect(await asked(30, { topic: 'T', queueId: '0' })).toBe(SerializeType.ROCKETMQ);
    expect(await asked(33, { offset: '0' })).toBe(SerializeType.JSON);
  });

  it('says that it does not know a code', async () => {
    expect(await testBroker().ask(9999)).toMatchObject({
      code: 3,
      remark: ' request type 9999 not supported',
    });
  });

  it('has its tables back at the start 150 s after the clients left without a word', async () => {
    const { controller, ask, clock } = testBroker();
    for (let id = 1; id <= 20; id++) {
      const body = heartbeatBody(`c${id}`, [{ group: `g${id % 3}`, topics: { T: '*' } }], ['pg']);
      await ask(34, null, { body, connection: new FakeConnection(id) });
      const lock = {
        clientId: `c${id}`,
        consumerGroup: `g${id}`,
        mqSet: [{ brokerName: 'b', queueId: 0, topic: 'T' }],
      };
      await ask(41, null, { body: JSON.stringify(lock) });
    }
    for (let passed = 0; passed < 150; passed += 10) {
      clock.advance(10_000);
      await controller.tasks.tick();
    }
    const { consumers, producers, locks } = controller.context;
    expect([consumers.groupCount, producers.groupCount, locks.groupCount]).toEqual([0, 0, 0]);
  });
});
