import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../src/base/clock.js';
import { PlainPermissionManager } from '../../../../src/broker/acl/plain-permission-manager.js';
import { decodeAclConfig } from '../../../../src/protocol/bodies/acl-config.js';
import { decodeDataVersion } from '../../../../src/protocol/bodies/topic-config.js';
import { parseFastJson } from '../../../../src/protocol/fast-json.js';
import { createRequest, type RemotingCommand } from '../../../../src/protocol/remoting-command.js';
import { RequestCode } from '../../../../src/protocol/request-code.js';
import { AclSigningHook } from '../../../../src/remoting/acl-signing-hook.js';
import { type TestBroker, testBroker } from '../../fakes.js';

const CANARY = 'canary-secret';
const ADMIN = { accessKey: 'administrator', secretKey: CANARY };

let home: string;
let file: string;
let broker: TestBroker;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cometmq-acl-'));
  mkdirSync(join(home, 'conf'));
  file = join(home, 'conf', 'plain_acl.yml');
  writeFileSync(
    file,
    `accounts:\n- {accessKey: administrator, secretKey: ${CANARY}, admin: true}\n` +
      `- {accessKey: account-1, secretKey: secret-1, topicPerms: [t=SUB], defaultGroupPerm: SUB}\n`,
  );
  const acl = new PlainPermissionManager(home, new ManualClock());
  broker = testBroker({}, { acl });
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const answers: RemotingCommand[] = [];

async function ask(
  code: number,
  fields: Record<string, string> = {},
  keys: { accessKey: string; secretKey: string } | null = ADMIN,
): Promise<RemotingCommand> {
  const request = createRequest(code, fields);
  if (keys !== null) new AclSigningHook(keys).before('', request);
  const answer = await broker.ask(code, request.extFields);
  if (answer === null) throw new Error('no answer');
  answers.push(answer);
  return answer;
}

describe('code 50', () => {
  it('makes an account, then changes what it names and leaves the rest', async () => {
    const made = { accessKey: 'account-2', secretKey: 'secret-2', topicPerms: 't=PUB,u=PUB|SUB' };
    expect(await ask(50, { ...made, groupPerms: 'g=SUB', defaultTopicPerm: 'SUB' })).toMatchObject({
      code: 0,
      remark: null,
    });
    const changed = {
      accessKey: 'account-2',
      secretKey: 'secret-3',
      topicPerms: '',
      admin: 'true',
    };
    expect(await ask(50, changed)).toMatchObject({ code: 0 });
    const { plainAccessConfigs } = decodeAclConfig((await ask(54)).body);
    expect(plainAccessConfigs.find((it) => it.accessKey === 'account-2')).toEqual({
      accessKey: 'account-2',
      admin: true,
      defaultGroupPerm: null,
      defaultTopicPerm: 'SUB',
      groupPerms: ['g=SUB'],
      secretKey: '******',
      topicPerms: [],
      whiteRemoteAddress: null,
    });
    expect(readFileSync(file, 'utf8')).toContain('secret-3');
    expect(await ask(30, { topic: 't', queueId: '0' }, { ...ADMIN, ...changed })).toMatchObject({
      code: 0,
    });
  });

  it('answers 209 with the reason, which does not repeat the secret', async () => {
    const short = await ask(50, { accessKey: 'short', secretKey: CANARY });
    expect(short).toMatchObject({ code: 209 });
    expect(short.remark).toBe(
      'The accessKey=short and secretKey=****** cannot be null and length should longer than 6',
    );
    const keys = { accessKey: 'account-2', secretKey: 'secret-2' };
    expect(await ask(50, { ...keys, topicPerms: 't' })).toMatchObject({ code: 209 });
    expect(await ask(50, { secretKey: CANARY })).toMatchObject({ code: 1 });
  });
});

describe('code 51', () => {
  it('takes the account out, or answers 210', async () => {
    expect(await ask(51, { accessKey: 'account-1' })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).not.toContain('account-1');
    expect(await ask(51, { accessKey: 'account-1' })).toMatchObject({
      code: 210,
      remark: 'The accesskey[account-1] corresponding to accessConfig has been deleted failed.',
    });
  });
});

describe('code 53', () => {
  it('replaces the white addresses, or answers 211', async () => {
    const addrs = '10.1.2.3,10.1.3.*';
    expect(await ask(53, { globalWhiteAddrs: addrs })).toMatchObject({ code: 0 });
    expect(decodeAclConfig((await ask(54)).body).globalWhiteAddrs).toEqual(addrs.split(','));
    expect(await ask(53, { globalWhiteAddrs: '', aclFileFullPath: file })).toMatchObject({
      code: 0,
    });
    expect(decodeAclConfig((await ask(54)).body).globalWhiteAddrs).toEqual([]);
    const outside = { globalWhiteAddrs: '*', aclFileFullPath: '/etc/passwd' };
    expect(await ask(53, outside)).toMatchObject({ code: 211 });
    expect(await ask(53, { globalWhiteAddrs: 'oops' })).toMatchObject({ code: 211 });
  });
});

describe('code 52', () => {
  it('tells the versions of all files, which each write moves on', async () => {
    const version = async () =>
      decodeDataVersion(Buffer.from((await ask(52)).extFields?.['version'] ?? ''));
    const before = await version();
    await ask(53, { globalWhiteAddrs: '10.1.2.3' });
    expect((await version())?.counter).toBe((before?.counter ?? 0) + 1);
    const fields = (await ask(52)).extFields ?? {};
    expect(fields).toMatchObject({ brokerName: 'golden-a', brokerAddr: '127.0.0.1:28731' });
    expect(fields['clusterName']).toBe('GoldenCluster');
    const all = parseFastJson(fields['allAclFileVersion'] ?? '');
    expect(all).toEqual({ [file]: { counter: 1, timestamp: expect.anything() } });
  });
});

describe('codes 50 to 54', () => {
  it.each([50, 51, 52, 53, 54])(
    'code %i is NO_PERMISSION for all but administrators',
    async (code) => {
      const before = readFileSync(file, 'utf8');
      const fields = { accessKey: 'administrator', secretKey: CANARY, globalWhiteAddrs: '*' };
      const strangers = [
        null,
        { accessKey: 'account-1', secretKey: 'secret-1' },
        { accessKey: 'administrator', secretKey: 'guessed' },
        { accessKey: 'nobody-1', secretKey: CANARY },
      ];
      for (const keys of strangers) {
        const answer = await ask(code, fields, keys);
        expect(answer).toMatchObject({ code: 16, body: null });
      }
      expect(await broker.ask(code, null)).toMatchObject({ code: 16, body: null });
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  it('have no secret in any answer', () => {
    expect(answers.length).toBeGreaterThan(30);
    for (const { remark, extFields, body } of answers) {
      expect(JSON.stringify([remark, extFields, body?.toString()])).not.toContain(CANARY);
    }
  });

  it('say that there is no access control when there is none', async () => {
    const open = testBroker();
    const codes: (number | undefined)[] = [];
    for (const code of [50, 51, 52, 53, 54]) codes.push((await open.ask(code, {}))?.code);
    expect(codes).toEqual([209, 210, 1, 211, 1]);
  });
});

describe('other codes', () => {
  it('are shown to the rules first', async () => {
    const keys = { accessKey: 'account-1', secretKey: 'secret-1' };
    const { UPDATE_AND_CREATE_TOPIC, GET_MIN_OFFSET } = RequestCode;
    const denied = await ask(UPDATE_AND_CREATE_TOPIC, { topic: 't' }, keys);
    expect(denied).toMatchObject({ code: 1 });
    expect(denied.remark).toContain('Need admin permission for request code=17');
    expect(await ask(GET_MIN_OFFSET, { topic: 't', queueId: '0' }, keys)).toMatchObject({
      code: 0,
    });
    expect(await ask(GET_MIN_OFFSET, { topic: 't', queueId: '0' }, null)).toMatchObject({
      code: 1,
    });
  });
});
