// A whole broker as its peers see it: names that lead out of the store (bug report 25, S3), and access control on both ports (S1).

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isCometError } from '../../src/base/errors.js';
import type { RunningBroker } from '../../src/broker/main.js';
import { encodeBatchBody } from '../../src/message/batch-codec.js';
import { encodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest, type RemotingCommand } from '../../src/protocol/remoting-command.js';
import { AclSigningHook } from '../../src/remoting/acl-signing-hook.js';
import { RawConnection } from '../support/raw-connection.js';
import { runBroker, type TestFolder, testFolder } from '../support/running-broker.js';
import { heartbeatBody } from './fakes.js';

const folders: TestFolder[] = [];
const brokers: RunningBroker[] = [];
const peers: Peer[] = [];

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.connection.close();
  for (const broker of brokers.splice(0)) await broker.shutdown();
  for (const folder of folders.splice(0)) folder.remove();
});

class Peer {
  readonly connection: RawConnection;
  #opaque = 0;

  constructor(connection: RawConnection) {
    this.connection = connection;
  }

  static async open(port: number, localAddress?: string): Promise<Peer> {
    const peer = new Peer(await RawConnection.open(port, localAddress));
    peers.push(peer);
    return peer;
  }

  async ask(
    code: number,
    fields: Record<string, string> | null,
    body: Buffer | string | null = null,
    keys: { accessKey: string; secretKey: string } | null = null,
  ): Promise<RemotingCommand> {
    const request = createRequest(code, fields, body === null ? null : Buffer.from(body));
    if (keys !== null) new AclSigningHook(keys).before('', request);
    request.opaque = ++this.#opaque;
    const answer = this.connection.answerTo(request.opaque);
    await this.connection.write(encodeFrame(request));
    return answer;
  }
}

async function open(
  flags: Record<string, string>,
  folder = testFolder(),
): Promise<{ broker: RunningBroker; folder: TestFolder }> {
  if (!folders.includes(folder)) folders.push(folder);
  const broker = await runBroker(folder, 'inline', flags);
  brokers.push(broker);
  return { broker, folder };
}

async function close(broker: RunningBroker): Promise<void> {
  for (const peer of peers.splice(0)) peer.connection.close();
  brokers.splice(brokers.indexOf(broker), 1);
  await broker.shutdown();
}

function send(topic: string, properties = ''): Record<string, string> {
  const fields = { a: 'producers', b: topic, c: 'TBW102', d: '4', e: '0', f: '0', h: '0', j: '0' };
  return { ...fields, g: '1700000000000', i: properties };
}

function longSend(topic: string): Record<string, string> {
  const { i: properties = '', g: bornTimestamp = '' } = send(topic);
  return {
    producerGroup: 'producers',
    topic,
    defaultTopic: 'TBW102',
    defaultTopicQueueNums: '4',
    queueId: '0',
    sysFlag: '0',
    bornTimestamp,
    flag: '0',
    properties,
    reconsumeTimes: '0',
  };
}

function pull(group: string, topic: string): Record<string, string> {
  return {
    consumerGroup: group,
    topic,
    queueId: '0',
    queueOffset: '0',
    maxMsgNums: '8',
    sysFlag: '4',
    commitOffset: '0',
    suspendTimeoutMillis: '0',
    subscription: '*',
    subVersion: '0',
    expressionType: 'TAG',
  };
}

describe('a name that leads out of the store, or could not be a folder', () => {
  const names = [
    '..',
    '../../../../probe',
    '/tmp/probe',
    'a/b',
    'a\\..\\b',
    'nul\0byte',
    'x'.repeat(128),
    'x'.repeat(10_000),
    'größe',
    '',
    ' ',
    'SCHEDULE_TOPIC_XXXX',
    'RMQ_SYS_TRANS_HALF_TOPIC',
  ];
  const batch = encodeBatchBody([{ flag: 0, body: Buffer.from('x'), properties: new Map() }]);
  const config = (topic: string) => ({
    topic,
    defaultTopic: 'TBW102',
    readQueueNums: '1',
    writeQueueNums: '1',
    perm: '6',
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: '0',
    order: 'false',
  });

  it('is refused on every entry, makes nothing anywhere, and the next start is fine', async () => {
    const flags = { enableMultiDispatch: 'true', enableLmq: 'true' };
    const { broker, folder } = await open(flags);
    const peer = await Peer.open(broker.listenPort);
    expect(await peer.ask(310, send('good'), 'body')).toMatchObject({ code: 0 });
    const outside = filesOutside(folder);
    for (const name of names) {
      const isSystem = name.includes('_');
      // Groups may have 255 characters.
      const isGroup = isSystem || name.length === 128;
      const group = JSON.stringify({ groupName: name });
      const asked: Record<string, Promise<RemotingCommand>> = {
        send: peer.ask(310, send(name), 'body'),
        'long send': peer.ask(10, longSend(name), 'body'),
        batch: peer.ask(320, { ...send(name), m: 'true' }, batch),
        create: peer.ask(17, config(name)),
        'delete topic': peer.ask(215, { topic: name }),
        ...(isSystem
          ? {}
          : {
              pull: peer.ask(11, pull('group', name)),
              'retry topic': peer.ask(310, send(`%RETRY%${name}`), 'body'),
            }),
        ...(isGroup
          ? {}
          : {
              'pull by group': peer.ask(11, pull(name, 'good')),
              heartbeat: peer.ask(34, {}, heartbeatBody('c', [{ group: name, topics: {} }])),
              'heartbeat of producers': peer.ask(34, {}, heartbeatBody('c', [], [name])),
              'create group': peer.ask(200, {}, group),
            }),
      };
      for (const [entry, answer] of Object.entries(asked)) {
        const { code } = await answer;
        expect(code === 0 ? `${entry} of ${JSON.stringify(name.slice(0, 20))} was taken` : '').toBe(
          '',
        );
      }
      // Java answers these for any name; no folder may come of it.
      for (const code of [29, 30, 31, 32]) {
        await peer.ask(code, { topic: name, queueId: '0', timestamp: '1' });
      }
      const commit = { consumerGroup: name, topic: name, queueId: '0', commitOffset: '1' };
      await peer.ask(15, commit);
    }
    for (const name of [
      '..',
      '.',
      '%LMQ%a/1',
      '%LMQ%b,..',
      '../../probe',
      'a\0b',
      'x'.repeat(128),
    ]) {
      const answer = await peer.ask(310, send('good', `INNER_MULTI_DISPATCH\u0001${name}`), 'x');
      expect(answer).toMatchObject({ code: 13 });
    }
    expect(await peer.ask(310, send('good'), 'body')).toMatchObject({ code: 0 });
    const listing = () => filesBelow(folder.storeDir).join('\n');
    expect(listing()).not.toMatch(/probe|größe|xxxxx|\.\.|\\|\0/);
    await close(broker);
    expect(filesOutside(folder)).toEqual(outside);
    expect(listing()).not.toMatch(/probe|größe|xxxxx|\.\.|\\|\0/);
    const again = await open(flags, folder);
    const second = await Peer.open(again.broker.listenPort);
    const offset = await second.ask(30, { topic: 'good', queueId: '0' });
    expect(offset.extFields).toEqual({ offset: '2' });
  });
});

const ACL = `globalWhiteRemoteAddresses: [127.0.0.2]
accounts:
- {accessKey: administrator, secretKey: canary-secret, admin: true}
- {accessKey: account-1, secretKey: secret-1, topicPerms: [mine=PUB], defaultGroupPerm: SUB}
`;
const ADMIN = { accessKey: 'administrator', secretKey: 'canary-secret' };
const ACCOUNT = { accessKey: 'account-1', secretKey: 'secret-1' };
const ACL_FLAGS = { aclEnable: 'true' };

describe('a send whose header does not begin with its code', () => {
  it('is taken as any other, and checked as any other', async () => {
    for (const [flags, code] of [[{}, 0] as const, [ACL_FLAGS, 1] as const]) {
      const { broker } = await open(flags, testFolder(ACL));
      const peer = await Peer.open(broker.listenPort);
      const extFields = JSON.stringify(send('mine'));
      const header = Buffer.from(`{"opaque":7,"extFields":${extFields},"flag":0,"code":310}`);
      const frame = Buffer.concat([Buffer.alloc(8), header, Buffer.from('body')]);
      frame.writeInt32BE(frame.length - 4, 0);
      frame.writeInt32BE(header.length, 4);
      const answer = peer.connection.answerTo(7);
      await peer.connection.write(frame);
      expect(await answer).toMatchObject({ code });
    }
  });
});

describe('access control', () => {
  it('stands before sends and pulls, on both ports', async () => {
    const { broker } = await open(ACL_FLAGS, testFolder(ACL));
    for (const port of [broker.listenPort, broker.fastPort]) {
      const peer = await Peer.open(port);
      expect(await peer.ask(310, send('mine'), 'x', ACCOUNT)).toMatchObject({ code: 0 });
      const elsewhere = await peer.ask(310, send('other'), 'x', ACCOUNT);
      expect(elsewhere.remark).toContain('AclException: No default permission for topic:other');
      const aside = await peer.ask(310, { ...send('mine'), topic: 'other' }, 'x', ACCOUNT);
      expect(aside.remark).toContain('No default permission for topic:other');
      const pulled = await peer.ask(11, pull('g', 'mine'), null, ACCOUNT);
      expect(pulled.remark).toContain('No default permission for topic:mine');
      const unsigned = await peer.ask(310, send('mine'), 'x');
      expect(unsigned.remark).toContain('No accessKey is configured');
      const forged = await peer.ask(310, send('mine'), 'x', { ...ACCOUNT, secretKey: 'secret-2' });
      expect(forged.remark).toContain('Check signature failed for accessKey=account-1');
    }
    const white = await Peer.open(broker.listenPort, '127.0.0.2');
    expect(await white.ask(310, send('mine'), 'x')).toMatchObject({ code: 0 });
    expect(await white.ask(54, null)).toMatchObject({ code: 16 });
    const read = await white.ask(11, pull('g', 'mine'));
    expect(read).toMatchObject({ code: 0 });
    expect(broker.controller.context.topics.get('other')).toBeUndefined();
  });

  it('changes nothing for whoever is refused, whatever the code (S1, S4)', async () => {
    const { broker, folder } = await open(ACL_FLAGS, testFolder(ACL));
    const peer = await Peer.open(broker.listenPort);
    await peer.ask(310, send('mine'), 'x', ADMIN);
    const before = stateOf(broker, folder);
    const fields = {
      ...longSend('probe'),
      ...send('probe'),
      ...pull('probe', 'probe'),
      group: 'probe',
      accessKey: 'administrator',
      secretKey: 'canary-secret',
      globalWhiteAddrs: '*',
      perm: '6',
      readQueueNums: '1',
      writeQueueNums: '1',
      topicFilterType: 'SINGLE_TAG',
    };
    const forged = { ...ADMIN, secretKey: 'guessed-secret' };
    const answers: RemotingCommand[] = [];
    for (let code = 0; code <= 400; code++) {
      answers.push(await peer.ask(code, null));
      answers.push(await peer.ask(code, fields, 'aclEnable=false'));
      answers.push(await peer.ask(code, fields, 'aclEnable=false', forged));
    }
    for (const { code, remark } of answers) {
      expect(remark).toMatch(/No accessKey is configured|Check signature failed/);
      expect([1, 16]).toContain(code);
    }
    expect(answers.filter((it) => it.code === 16)).toHaveLength(15);
    expect(JSON.stringify(answers)).not.toContain('canary-secret');
    expect(stateOf(broker, folder)).toEqual(before);
  }, 60_000);

  it('has no secret in what an administrator reads', async () => {
    const { broker } = await open(ACL_FLAGS, testFolder(ACL));
    const peer = await Peer.open(broker.listenPort);
    for (const code of [26, 28, 52, 54, 21, 201]) {
      const { body, ...rest } = await peer.ask(code, {}, null, ADMIN);
      expect(rest.code).toBe(0);
      expect(JSON.stringify(rest) + (body?.toString('latin1') ?? '')).not.toContain('canary-');
    }
  });

  it('wants to know where its files are', async () => {
    const folder = testFolder(ACL);
    folders.push(folder);
    const flags = { ...ACL_FLAGS, rocketmqHome: '' };
    const error: unknown = await runBroker(folder, 'inline', flags).catch((it: unknown) => it);
    expect(isCometError(error, 'CONFIG_INVALID')).toBe(true);
  });

  it('is not there unless it is switched on', async () => {
    const { broker } = await open({}, testFolder(ACL));
    const peer = await Peer.open(broker.listenPort);
    expect(await peer.ask(310, send('other'), 'x')).toMatchObject({ code: 0 });
    expect(await peer.ask(50, { ...ACCOUNT })).toMatchObject({ code: 209 });
  });
});

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

function filesOutside(folder: TestFolder): string[] {
  const store = relative(folder.root, folder.storeDir);
  return filesBelow(folder.root).filter((path) => !path.startsWith(store));
}

/** Tables, what the log holds, and every file that is not the log's. */
function stateOf(broker: RunningBroker, folder: TestFolder): object {
  const { context } = broker.controller;
  const files = [join(folder.rocketmqHome, 'conf', 'plain_acl.yml')].map((path) =>
    createHash('sha1').update(readFileSync(path)).digest('hex'),
  );
  return {
    files,
    outside: filesOutside(folder),
    config: { ...context.config },
    topics: JSON.stringify([...context.topics.wrapper().topicConfigTable]),
    groups: JSON.stringify([...context.groups.wrapper().subscriptionGroupTable]),
    maxPhysicalOffset: context.store.maxPhysicalOffset(),
  };
}
