import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { decodeRegisterBody } from '../../../src/protocol/bodies/register-broker-body.js';
import { decodeFrame } from '../../../src/protocol/frame-codec.js';
import { createResponse, type RemotingCommand } from '../../../src/protocol/remoting-command.js';
import { frameBytes, goldenFrames } from '../../golden-data.js';
import { testBroker } from '../fakes.js';

setLogLevel('silent');

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
const NAMESRVS = { namesrvAddr: 'a:1;b:2' };

const bodyOf = (command: RemotingCommand) =>
  decodeRegisterBody(command.body, 407, command.extFields?.['compressed'] === 'true');

function goldenRequest(name: string): RemotingCommand {
  const frame = goldenFrames().find((it) => it.run === 'adm' && it.name === name);
  if (frame === undefined) throw new Error(`no golden ${name}`);
  return decodeFrame(frameBytes(frame));
}

describe('BrokerRegistration', () => {
  it('registers at the start as Java does: same header fields, same table', async () => {
    const { controller, namesrvs } = testBroker();
    await controller.start();
    await controller.shutdown();
    const golden = goldenRequest('REGISTER_BROKER.request');
    const [{ command } = { command: golden }] = namesrvs.requests;
    expect(command.code).toBe(103);
    expect(Object.keys(command.extFields ?? {}).sort()).toEqual(
      Object.keys(golden.extFields ?? {}).sort(),
    );
    const { bodyCrc32: _, ...fields } = command.extFields ?? {};
    expect(golden.extFields).toMatchObject(fields);
    const tables = [command, golden].map(
      (it) => bodyOf(it).topicConfigSerializeWrapper.topicConfigTable,
    );
    expect(tables[0]).toEqual(tables[1]);
  });

  it('tells every name server, and those that answer when one does not', async () => {
    const { controller, namesrvs } = testBroker(NAMESRVS);
    namesrvs.answers.set('a:1', () => null);
    await controller.context.registration.registerAll(true);
    expect(namesrvs.requests.map(({ address }) => address)).toEqual(['a:1', 'b:2']);
  });

  it('asks before it registers when it is not forced, and does when any of them says so or fails', async () => {
    const { controller, namesrvs } = testBroker(NAMESRVS);
    const { registration, topics } = controller.context;
    const known =
      (changed: string, counter = topics.dataVersion.counter) =>
      (request: RemotingCommand) => {
        const response = createResponse(request, 0);
        if (request.code === 322) {
          response.extFields = { changed };
          response.body = Buffer.from(JSON.stringify({ ...topics.dataVersion, counter }));
        }
        return response;
      };
    const codes = async () => {
      namesrvs.requests.length = 0;
      await registration.registerAll(false);
      return namesrvs.requests.map(({ command }) => command.code);
    };
    namesrvs.answers.set('a:1', known('false')).set('b:2', known('false'));
    expect(await codes()).toEqual([322, 322]);
    namesrvs.answers.set('b:2', known('true'));
    expect(await codes()).toEqual([322, 322, 103, 103]);
    namesrvs.answers.set('b:2', known('false', 77));
    expect(await codes()).toEqual([322, 322, 103, 103]);
    namesrvs.answers.set('b:2', () => null);
    expect(await codes()).toEqual([322, 322, 103, 103]);
  });

  it('tells of created topics once a turn, oneway, with all topics', async () => {
    const { controller, namesrvs } = testBroker();
    const { topics } = controller.context;
    await Promise.all(['A', 'B', 'C'].map((topic) => topics.createIfAbsent(topic, 1, 6, 0)));
    await turn();
    expect(namesrvs.requests.map(({ oneway }) => oneway)).toEqual([true]);
    const [first] = namesrvs.requests;
    const table = first && bodyOf(first.command).topicConfigSerializeWrapper.topicConfigTable;
    expect([...(table?.keys() ?? [])]).toEqual(expect.arrayContaining(['A', 'B', 'C', 'TBW102']));
  });

  it('tells of topics that were created at once by one table, since a version is taken only once', async () => {
    const { controller, namesrvs, ask } = testBroker();
    const fields = { defaultTopic: 'TBW102', topicFilterType: 'SINGLE_TAG', perm: '6' };
    const create = (topic: string) =>
      ask(17, { ...fields, topic, readQueueNums: '1', writeQueueNums: '1' });
    const told = async (...topics: string[]) => {
      namesrvs.requests.length = 0;
      await Promise.all(topics.map(create));
      return namesrvs.requests.map(({ command }) => [
        ...bodyOf(command).topicConfigSerializeWrapper.topicConfigTable.keys(),
      ]);
    };
    await controller.context.registration.registerAll(true);
    expect(await told('Alone')).toEqual([['Alone']]);
    expect(await told('A', 'B')).toEqual([expect.arrayContaining(['A', 'B', 'Alone'])]);
    namesrvs.answers.set('127.0.0.1:9876', () => null);
    await create('Unheard');
    namesrvs.answers.clear();
    expect(await told('C')).toEqual([expect.arrayContaining(['Unheard', 'C'])]);
  });

  it("says the broker's permission of each topic while it is not read and write", async () => {
    const { controller, namesrvs } = testBroker({ brokerPermission: '4' });
    await controller.context.registration.registerAll(true);
    const [first] = namesrvs.requests;
    const table = first && bodyOf(first.command).topicConfigSerializeWrapper.topicConfigTable;
    expect(new Set([...(table?.values() ?? [])].map(({ perm }) => perm))).toEqual(new Set([4]));
    expect(controller.context.topics.get('TBW102')?.perm).toBe(7);
  });

  it('compresses the body when it is told to, with the CRC of what is sent', async () => {
    const { controller, namesrvs } = testBroker({ compressedRegister: 'true' });
    await controller.context.registration.registerAll(true);
    const command = namesrvs.requests[0]?.command;
    expect(command?.extFields?.['compressed']).toBe('true');
    expect(command && bodyOf(command).topicConfigSerializeWrapper.topicConfigTable.size).toBe(8);
  });

  it('takes the order list of the first answer, and leaves `order` alone when there is none', async () => {
    const { controller, namesrvs, ask } = testBroker();
    const fields = { topic: 'A', defaultTopic: 'TBW102', topicFilterType: 'SINGLE_TAG' };
    namesrvs.answers.set('127.0.0.1:9876', (request) => {
      const response = createResponse(request, 0);
      response.body = Buffer.from('{"table":{"A":"golden-a:2"}}');
      return response;
    });
    await ask(17, { ...fields, readQueueNums: '2', writeQueueNums: '2', perm: '6' });
    expect(controller.context.topics.get('A')?.order).toBe(true);
    namesrvs.answers.clear();
    await controller.context.registration.registerAll(true);
    expect(controller.context.topics.get('A')?.order).toBe(true);
  });

  it('registers nothing more once it has unregistered', async () => {
    const { controller, namesrvs } = testBroker();
    await controller.start();
    await controller.shutdown();
    expect(namesrvs.requests.at(-1)?.command.code).toBe(104);
    const count = namesrvs.requests.length;
    await controller.context.registration.registerAll(true);
    controller.context.registration.registerAllSoon();
    await turn();
    expect(namesrvs.requests).toHaveLength(count);
  });

  it('registers again after 10 s and then every 30 s', async () => {
    const { controller, namesrvs, clock } = testBroker();
    const count = () => namesrvs.requests.filter(({ command }) => command.code === 103).length;
    await controller.tasks.tick();
    expect(count()).toBe(0);
    clock.advance(10_000);
    await controller.tasks.tick();
    expect(count()).toBe(1);
    clock.advance(29_000);
    await controller.tasks.tick();
    expect(count()).toBe(1);
    clock.advance(1_000);
    await controller.tasks.tick();
    expect(count()).toBe(2);
  });

  it('keeps the period within 10 to 60 s', () => {
    const period = (value: string) =>
      testBroker({ registerNameServerPeriod: value }).controller.context.registration.periodMs();
    expect([period('1'), period('45000'), period('900000')]).toEqual([10_000, 45_000, 60_000]);
  });
});
