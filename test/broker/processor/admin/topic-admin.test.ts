import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../../src/base/logger.js';
import { testBroker } from '../../fakes.js';

setLogLevel('silent');

const CREATE = 17;
const DELETE = 215;

const create = (topic: string, more: Record<string, string> = {}) => ({
  topic,
  defaultTopic: 'TBW102',
  readQueueNums: '8',
  writeQueueNums: '4',
  perm: '6',
  topicFilterType: 'SINGLE_TAG',
  topicSysFlag: '0',
  order: 'true',
  ...more,
});

describe('UPDATE_AND_CREATE_TOPIC', () => {
  it('is with the workers, on disk and with the name servers, that topic only, before it is answered', async () => {
    const { ask, controller, publisher, files, namesrvs } = testBroker();
    await controller.context.registration.registerAll(true);
    const answer = await ask(CREATE, create('T'));
    expect(answer).toMatchObject({ code: 0, remark: 'not set any response code' });
    expect(publisher.topics.get('T')).toMatchObject({
      readQueueNums: 8,
      writeQueueNums: 4,
      order: false,
    });
    expect(files.get('topics.json')).toContain('"T":{');
    const [, registered] = namesrvs.requests;
    expect(registered?.oneway).toBe(false);
    const body = JSON.parse(String(registered?.command.body)) as {
      topicConfigSerializeWrapper: { topicConfigTable: object; dataVersion: { counter: number } };
    };
    expect(Object.keys(body.topicConfigSerializeWrapper.topicConfigTable)).toEqual(['T']);
    expect(body.topicConfigSerializeWrapper.dataVersion.counter).toBe(1);
  });

  it.each([
    ['', 'The specified topic is blank.'],
    ['a.b', 'The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$'],
    ['../x', 'The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$'],
    ['x'.repeat(128), 'The specified topic is longer than topic max length.'],
    ['TBW102', 'The topic[TBW102] is conflict with system topic.'],
    ['GoldenCluster', 'The topic[GoldenCluster] is conflict with system topic.'],
    ['rmq_sys_mine', 'The topic[rmq_sys_mine] is conflict with system topic.'],
  ])('refuses the name %j', async (topic, remark) => {
    const { ask, publisher } = testBroker();
    const answer = await ask(CREATE, create(topic));
    expect(answer?.code).toBe(1);
    if (topic !== '') expect(answer?.remark).toBe(remark);
    expect(publisher.topics.size).toBe(0);
    expect((await ask(DELETE, { topic }))?.code).toBe(1);
  });

  it('refuses an unknown filter type and queue counts that no topic can have', async () => {
    const { ask } = testBroker();
    expect((await ask(CREATE, create('T', { topicFilterType: 'NO' })))?.code).toBe(1);
    expect((await ask(CREATE, create('T', { writeQueueNums: '-1' })))?.code).toBe(1);
    expect((await ask(CREATE, create('T', { readQueueNums: '100000' })))?.code).toBe(1);
  });

  it('is refused on a slave, as are deletion and groups', async () => {
    const { ask } = testBroker({ brokerRole: 'SLAVE', brokerId: '1' });
    const remark =
      "Can't modify topic or subscription group from slave broker, please execute it from master broker.";
    expect(await ask(CREATE, create('T'))).toMatchObject({ code: 1, remark });
    expect(await ask(DELETE, { topic: 'T' })).toMatchObject({ code: 1, remark });
    expect(await ask(200, null, { body: '{"groupName":"g"}' })).toMatchObject({ code: 1, remark });
    expect(await ask(207, { groupName: 'g' })).toMatchObject({ code: 1, remark });
  });
});

// bugreports.md #16
describe('DELETE_TOPIC_IN_BROKER', () => {
  const commit = { consumerGroup: 'g', topic: 'T', queueId: '0', commitOffset: '100' };

  it("keeps the groups' offsets, as 4.9.7 does", async () => {
    const { ask, controller, store, publisher } = testBroker();
    await ask(CREATE, create('T'));
    await ask(15, commit);
    expect((await ask(DELETE, { topic: 'T' }))?.code).toBe(0);
    expect(publisher.topics.get('T')).toBeNull();
    expect(store.deletedTopics).toEqual(['T']);
    expect(controller.context.offsets.query('g', 'T', 0)).toBe(100);
  });

  it('removes them when the request or the broker says so', async () => {
    for (const [flags, fields] of [
      [{}, { topic: 'T', removeOffset: 'true' }],
      [{ deleteOffsetsWithTopic: 'true' }, { topic: 'T' }],
    ] as [Record<string, string>, Record<string, string>][]) {
      const { ask, controller, files } = testBroker(flags);
      await ask(CREATE, create('T'));
      await ask(15, commit);
      await ask(DELETE, fields);
      expect(controller.context.offsets.query('g', 'T', 0)).toBe(-1);
      expect(files.get('consumerOffset.json')).not.toContain('T@g');
    }
  });

  it('is fine when there is no such topic', async () => {
    expect((await testBroker().ask(DELETE, { topic: 'Never' }))?.code).toBe(0);
  });
});
