import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { FakeConnection, heartbeatBody, testBroker } from '../fakes.js';

setLogLevel('silent');

const HEART_BEAT = 34;
const UNREGISTER_CLIENT = 35;
const CHECK_CLIENT_CONFIG = 46;
const NOTIFY = 40;

describe('HEART_BEAT', () => {
  it('makes the group and its retry topic, in the workers and on disk, before it is answered', async () => {
    const { ask, publisher, files } = testBroker();
    const body = heartbeatBody('c1', [{ group: 'g', topics: { T: '*' } }]);
    expect(await ask(HEART_BEAT, null, { body })).toMatchObject({ code: 0, version: 407 });
    expect(publisher.groups.get('g')?.retryQueueNums).toBe(1);
    expect(publisher.topics.get('%RETRY%g')).toMatchObject({ writeQueueNums: 1, perm: 6 });
    expect(files.get('topics.json')).toContain('%RETRY%g');
    expect(publisher.consumers.get('g')).toMatchObject({ messageModel: 'CLUSTERING' });
  });

  it('tells the members of a group, the sender too, when one joins', async () => {
    const { ask } = testBroker();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    const groups = [{ group: 'g', topics: { T: '*' } }];
    await ask(HEART_BEAT, null, { body: heartbeatBody('c1', groups), connection: a });
    await ask(HEART_BEAT, null, { body: heartbeatBody('c2', groups), connection: b });
    expect(a.oneways.map(({ code, extFields }) => [code, extFields])).toEqual([
      [NOTIFY, { consumerGroup: 'g' }],
      [NOTIFY, { consumerGroup: 'g' }],
    ]);
    expect(b.oneways).toHaveLength(1);
  });

  it('registers a group without settings all the same, with notices and without a retry topic', async () => {
    const { ask, controller, publisher } = testBroker({ autoCreateSubscriptionGroup: 'false' });
    const connection = new FakeConnection(1);
    const body = heartbeatBody('c1', [{ group: 'g', topics: { T: '*' } }]);
    await ask(HEART_BEAT, null, { body, connection });
    expect(controller.context.consumers.get('g')?.memberCount).toBe(1);
    expect(publisher.topics.has('%RETRY%g')).toBe(false);
    expect(connection.oneways).toHaveLength(1);
  });

  it('takes a client out of all tables when its connection closes, and tells the others', async () => {
    const { ask, controller } = testBroker();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    const groups = [{ group: 'g', topics: { T: '*' } }];
    await ask(HEART_BEAT, null, { body: heartbeatBody('c1', groups, ['pg']), connection: a });
    await ask(HEART_BEAT, null, { body: heartbeatBody('c2', groups), connection: b });
    b.oneways.length = 0;
    a.close('gone');
    expect(controller.context.consumers.get('g')?.clientIds()).toEqual(['c2']);
    expect(controller.context.producers.members('pg')).toBeNull();
    expect(b.oneways.map(({ code }) => code)).toEqual([NOTIFY]);
  });

  it('does not take in a connection that closed meanwhile', async () => {
    const { ask, controller } = testBroker();
    const connection = new FakeConnection(1);
    connection.isClosed = true;
    const body = heartbeatBody('c1', [{ group: 'g', topics: { T: '*' } }]);
    await ask(HEART_BEAT, null, { body, connection });
    expect(controller.context.consumers.groupCount).toBe(0);
  });

  it.each(['', '../x', 'a/b', 'a@b', 'x'.repeat(256), 'grüppe'])(
    'refuses the group name %j and makes nothing',
    async (group) => {
      const { ask, publisher, controller } = testBroker();
      const body = heartbeatBody('c1', [{ group, topics: { T: '*' } }]);
      const answer = await ask(HEART_BEAT, null, { body });
      expect(answer?.code).toBe(1);
      expect(answer?.remark).toContain('the group name');
      expect(publisher.topics.size + publisher.groups.size).toBe(0);
      expect(controller.context.consumers.groupCount).toBe(0);
    },
  );

  it('answers a body that is no JSON with 1', async () => {
    expect((await testBroker().ask(HEART_BEAT, null, { body: '{' }))?.code).toBe(1);
  });
});

describe('UNREGISTER_CLIENT', () => {
  it('removes the sender from the named groups only, and tells the others', async () => {
    const { ask, controller } = testBroker();
    const [a, b] = [new FakeConnection(1), new FakeConnection(2)];
    const groups = ['g', 'h'].map((group) => ({ group, topics: { T: '*' } }));
    for (const connection of [a, b]) {
      const body = heartbeatBody(`c${connection.id}`, groups, ['pg']);
      await ask(HEART_BEAT, null, { body, connection });
    }
    b.oneways.length = 0;
    const fields = { clientID: 'c1', consumerGroup: 'g', producerGroup: 'pg' };
    expect((await ask(UNREGISTER_CLIENT, fields, { connection: a }))?.code).toBe(0);
    expect(controller.context.consumers.get('g')?.clientIds()).toEqual(['c2']);
    expect(controller.context.consumers.get('h')?.clientIds()).toEqual(['c1', 'c2']);
    expect(controller.context.producers.members('pg')).toHaveLength(1);
    expect(b.oneways.map(({ extFields }) => extFields)).toEqual([{ consumerGroup: 'g' }]);
  });
});

describe('CHECK_CLIENT_CONFIG', () => {
  const body = (expressionType: string) =>
    JSON.stringify({
      clientId: 'c',
      group: 'g',
      subscriptionData: { expressionType, subString: 'a > 1', topic: 'T', subVersion: 1 },
    });

  it('accepts tags, and refuses SQL92 while property filters are off', async () => {
    const { ask } = testBroker();
    expect((await ask(CHECK_CLIENT_CONFIG, null, { body: body('TAG') }))?.code).toBe(0);
    expect((await ask(CHECK_CLIENT_CONFIG))?.code).toBe(0);
    expect(await ask(CHECK_CLIENT_CONFIG, null, { body: body('SQL92') })).toMatchObject({
      code: 1,
      remark: 'The broker does not support consumer to filter message by SQL92',
    });
  });

  it('accepts an expression that can be used while they are on, and says where another is wrong', async () => {
    const { ask } = testBroker({ enablePropertyFilter: 'true' });
    expect((await ask(CHECK_CLIENT_CONFIG, null, { body: body('SQL92') }))?.code).toBe(0);
    const wrong = body('SQL92').replace('a > 1', 'a >');
    expect(await ask(CHECK_CLIENT_CONFIG, null, { body: wrong })).toMatchObject({
      code: 23,
      remark: expect.stringContaining('column 4'),
    });
    expect((await ask(CHECK_CLIENT_CONFIG, null, { body: body('LUA') }))?.code).toBe(23);
  });
});
