import { describe, expect, it } from 'vitest';
import { seededPrng } from '../../../src/base/prng.js';
import { parseAclFile } from '../../../src/broker/acl/acl-file.js';
import { AclRules } from '../../../src/broker/acl/acl-rules.js';
import { createRequest } from '../../../src/protocol/remoting-command.js';
import { AclSigningHook } from '../../../src/remoting/acl-signing-hook.js';

const STRANGER = '10.9.9.9:4711';
const RULES = rulesOf(`
globalWhiteRemoteAddresses: [10.1.1.*]
accounts:
- {accessKey: administrator, secretKey: secret-0, admin: true}
- {accessKey: limited-admin, secretKey: secret-1, admin: true, topicPerms: [mine=PUB]}
- accessKey: worker-1
  secretKey: secret-2
  whiteRemoteAddress: 10.2.2.2
  defaultTopicPerm: SUB
  defaultGroupPerm: DENY
  topicPerms: [out=PUB, both=PUB|SUB, shut=DENY]
  groupPerms: [g=SUB]
`);

function rulesOf(text: string): AclRules {
  const file = parseAclFile(text);
  if (file === null) throw new Error('no file');
  return new AclRules(new Map([['one.yml', file]]));
}

/** Null, or why not. */
function ask(
  accessKey: string | null,
  code: number,
  fields: Record<string, string> = {},
  from = STRANGER,
  secretKey = { administrator: 'secret-0', 'limited-admin': 'secret-1' }[accessKey ?? ''] ??
    'secret-2',
): string | null {
  const request = createRequest(code, fields);
  if (accessKey !== null) new AclSigningHook({ accessKey, secretKey }).before('', request);
  return RULES.refusal(from, request)?.message ?? null;
}

describe('who asks', () => {
  it('must have an account and its secret', () => {
    expect(ask(null, 30)).toBe('No accessKey is configured');
    expect(ask('nobody-1', 30)).toBe('No acl config for nobody-1');
    expect(ask('worker-1', 30, {}, STRANGER, 'secret-x')).toBe(
      'Check signature failed for accessKey=worker-1',
    );
    expect(ask('worker-1', 30)).toBeNull();
    expect(RULES.refusal(STRANGER, createRequest(10, null))?.message).toMatch(/^No accessKey/);
    expect(ask('x'.repeat(5000), 30)?.length).toBeLessThan(200);
  });

  it('needs neither from a white address of all, nor a signature from the account’s own', () => {
    expect(ask(null, 17, {}, '10.1.1.7:1')).toBeNull();
    expect(ask('worker-1', 17, { topic: 't' }, '10.2.2.2:1', 'wrong!!')).toBeNull();
    expect(ask('worker-1', 10, { topic: 'shut' }, '10.2.2.2:1', 'wrong!!')).toBeNull();
    expect(ask('worker-1', 30, {}, '10.2.2.3:1', 'wrong!!')).toMatch(/^Check signature failed/);
    expect(ask('worker-1', 30, {}, 'fd00:0:0:0:0:0:0:1:10911', 'wrong!!')).toMatch(/^Check/);
  });
});

describe('an account that is no administrator’s', () => {
  it.each([17, 25, 200, 207, 215])('may not use code %i', (code) => {
    expect(ask('worker-1', code, { topic: 'out' })).toBe(
      `Need admin permission for request code=${code}, but accessKey=worker-1 is not`,
    );
    expect(ask('administrator', code, { topic: 'out' })).toBeNull();
  });

  it('may send and read where it was allowed, by name before by default', () => {
    expect(ask('worker-1', 10, { topic: 'out' })).toBeNull();
    expect(ask('worker-1', 310, { b: 'both' })).toBeNull();
    expect(ask('worker-1', 310, { b: 'other' })).toBe('No default permission for topic:other');
    expect(ask('worker-1', 310, { b: 'shut' })).toBe('No default permission for topic:shut');
    expect(ask('worker-1', 11, { topic: 'other', consumerGroup: 'g' })).toBeNull();
    expect(ask('worker-1', 11, { topic: 'out', consumerGroup: 'g' })).toMatch(/topic:out$/);
    expect(ask('worker-1', 11, { topic: 'both', consumerGroup: 'h' })).toBe(
      'No default permission for group:h',
    );
  });

  it('may do all else that has no resources, batches included, as in Java', () => {
    for (const code of [320, 324, 325, 37, 14, 29, 33, 222, 9999]) {
      expect(ask('worker-1', code, { topic: 'shut', b: 'shut' })).toBeNull();
    }
  });

  it('may leave traces, and nothing beside them', () => {
    const trace = 'RMQ_SYS_TRACE_TOPIC';
    expect(ask('worker-1', 310, { b: trace })).toBeNull();
    expect(ask('worker-1', 11, { topic: trace, consumerGroup: 'h' })).toMatch(/group:h$/);
    expect(ask('worker-1', 310, { b: trace, topic: 'shut' })).toMatch(/topic:shut$/);
  });
});

describe('an administrator', () => {
  it('may do everything, unless lists say what', () => {
    expect(ask('administrator', 10, { topic: 'anything' })).toBeNull();
    expect(ask('limited-admin', 10, { topic: 'mine' })).toBeNull();
    expect(ask('limited-admin', 10, { topic: 'anything' })).toMatch(/topic:anything$/);
    expect(ask('limited-admin', 17, { topic: 'anything' })).toBeNull();
  });
});

describe('the rules themselves (codes 50 to 54)', () => {
  it.each([50, 51, 52, 53, 54])('code %i is for administrators who sign, only', (code) => {
    expect(ask('administrator', code)).toBeNull();
    expect(ask('administrator', code, {}, '10.1.1.7:1')).toBeNull();
    for (const from of [STRANGER, '10.1.1.7:1', '10.2.2.2:1']) {
      expect(ask(null, code, {}, from)).toBe('No accessKey is configured');
      expect(ask('worker-1', code, {}, from)).toMatch(/^Need admin permission/);
      expect(ask('administrator', code, {}, from, 'secret-x')).toMatch(/^Check signature failed/);
      const refusal = RULES.refusal(from, createRequest(code, null));
      expect(refusal).toEqual({ isReserved: true, message: 'No accessKey is configured' });
    }
  });
});

describe('an access key in two files', () => {
  it('is the first file’s', () => {
    const file = (secret: string) =>
      parseAclFile(`accounts: [{accessKey: worker-1, secretKey: ${secret}}]`);
    const files = new Map([
      ['a.yml', file('secret-a')],
      ['b.yml', file('secret-b')],
    ]);
    const rules = new AclRules(files as Map<string, NonNullable<ReturnType<typeof file>>>);
    expect(rules.pathOf('worker-1')).toBe('a.yml');
    expect(rules.repeated).toEqual(['worker-1']);
    expect(rules.accounts().map((it) => it.secretKey)).toEqual(['secret-a']);
  });
});

describe('the table of codes (S1)', () => {
  const ADMIN = [17, 25, 200, 207, 215];
  const RESERVED = [50, 51, 52, 53, 54];
  const prng = seededPrng(1);
  const random = Array.from({ length: 300 }, () => prng.nextInt(65_536) - 32_768);
  const codes = [...Array.from({ length: 401 }, (_, code) => code), ...random];
  const allowed = (from: string, accessKey: string | null, secretKey?: string) =>
    codes.filter((code) => {
      const body = code === 34 ? { clientID: 'c', consumerDataSet: [], producerDataSet: [] } : {};
      const request = createRequest(code, {}, Buffer.from(JSON.stringify(body)));
      if (accessKey !== null && secretKey !== undefined) {
        new AclSigningHook({ accessKey, secretKey }).before('', request);
      }
      return RULES.refusal(from, request) === null;
    });

  it('is the same for every code that there is, and for those that there are not', () => {
    const notReserved = codes.filter((code) => !RESERVED.includes(code));
    expect(allowed(STRANGER, null)).toEqual([]);
    expect(allowed(STRANGER, 'administrator', 'guessed')).toEqual([]);
    expect(allowed(STRANGER, 'worker-1', 'guessed')).toEqual([]);
    expect(allowed('10.1.1.7:1', null)).toEqual(notReserved);
    expect(allowed('10.2.2.2:1', 'worker-1', 'guessed')).toEqual(notReserved);
    expect(allowed(STRANGER, 'administrator', 'secret-0')).toEqual(codes);
    expect(allowed(STRANGER, 'worker-1', 'secret-2')).toEqual(
      notReserved.filter((code) => !ADMIN.includes(code)),
    );
  });
});
