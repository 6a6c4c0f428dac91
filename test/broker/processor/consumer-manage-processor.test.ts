import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { FakeConnection, heartbeatBody, testBroker } from '../fakes.js';

setLogLevel('silent');

const QUERY = 14;
const UPDATE = 15;
const LIST = 38;
const QUEUE = { consumerGroup: 'g', topic: 'T', queueId: '0' };

describe('QUERY_CONSUMER_OFFSET', () => {
  it('gives what was committed last', async () => {
    const { ask } = testBroker();
    expect((await ask(UPDATE, { ...QUEUE, commitOffset: '9' }))?.code).toBe(0);
    expect(await ask(QUERY, QUEUE)).toMatchObject({ code: 0, extFields: { offset: '9' } });
  });

  it('starts a new group at 0 on a queue whose beginning is there and in memory', async () => {
    const { ask } = testBroker();
    expect(await ask(QUERY, QUEUE)).toMatchObject({ code: 0, extFields: { offset: '0' } });
  });

  it('knows no offset on a queue whose beginning is gone or cold', async () => {
    const { ask, store } = testBroker();
    const notFound = {
      code: 22,
      remark: 'Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first',
      extFields: {},
    };
    store.inMemory = false;
    expect(await ask(QUERY, QUEUE)).toMatchObject(notFound);
    store.inMemory = true;
    store.minOffsets.set('T/0', 5);
    expect(await ask(QUERY, QUEUE)).toMatchObject(notFound);
  });
});

describe('UPDATE_CONSUMER_OFFSET', () => {
  // bugreports.md #35
  it('takes negative offsets as they are and refuses what is no exact number', async () => {
    const { ask, controller } = testBroker();
    await ask(UPDATE, { ...QUEUE, commitOffset: '-2' });
    expect(controller.context.offsets.query('g', 'T', 0)).toBe(-2);
    for (const commitOffset of [
      '9007199254740993',
      '18446744073709551615',
      '9223372036854775807',
    ]) {
      const answer = await ask(UPDATE, { ...QUEUE, commitOffset });
      expect(answer?.code).toBe(1);
      expect(answer?.remark).toContain('"commitOffset"');
    }
    expect(controller.context.offsets.query('g', 'T', 0)).toBe(-2);
  });

  it('keeps no offsets under a group name that none can have', async () => {
    const { ask } = testBroker();
    const answer = await ask(UPDATE, { ...QUEUE, consumerGroup: 'a@b', commitOffset: '1' });
    expect(answer?.code).toBe(1);
  });

  it('is saved within 10 s and then every 5 s, only when something changed', async () => {
    const { ask, controller, clock, files } = testBroker();
    controller.load();
    await ask(UPDATE, { ...QUEUE, commitOffset: '1' });
    clock.advance(10_000);
    await controller.tasks.tick();
    expect(files.get('consumerOffset.json')).toContain('"T@g":{0:1');
    files.clear();
    clock.advance(5_000);
    await controller.tasks.tick();
    expect(files.has('consumerOffset.json')).toBe(false);
    await ask(UPDATE, { ...QUEUE, commitOffset: '2' });
    clock.advance(5_000);
    await controller.tasks.tick();
    expect(files.get('consumerOffset.json')).toContain('"T@g":{0:2');
  });
});

describe('GET_CONSUMER_LIST_BY_GROUP', () => {
  it('lists the ids of the members, and says so when there are none', async () => {
    const { ask } = testBroker();
    expect(await ask(LIST, { consumerGroup: 'g' })).toMatchObject({
      code: 1,
      remark: 'no consumer for this group, g',
    });
    for (const id of [1, 2]) {
      const body = heartbeatBody(`c${id}`, [{ group: 'g', topics: { T: '*' } }]);
      await ask(34, null, { body, connection: new FakeConnection(id) });
    }
    const answer = await ask(LIST, { consumerGroup: 'g' });
    expect(JSON.parse(String(answer?.body))).toEqual({ consumerIdList: ['c1', 'c2'] });
  });
});
