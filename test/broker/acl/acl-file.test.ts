import { describe, expect, it } from 'vitest';
import { makeAccount, parseAclFile } from '../../../src/broker/acl/acl-file.js';

const CANARY = 'canary-secret';

const GOOD = `
globalWhiteRemoteAddresses:
- 10.10.103.*
accounts:
- accessKey: RocketMQ
  secretKey: 12345678
  whiteRemoteAddress:
  admin: no
  defaultTopicPerm: DENY
  defaultGroupPerm: SUB
  topicPerms:
  - topicA=DENY
  - topicB=PUB|SUB
  groupPerms: [groupB=SUB]
- accessKey: rocketmq2
  secretKey: '98765432'
  admin: true
dataVersion:
- counter: 3
  timestamp: 1600000000000
`;

describe('an ACL file', () => {
  it('is read as Java reads it: numbers as keys, words as booleans, empty as none', () => {
    const file = parseAclFile(GOOD);
    expect(file?.globalWhiteAddrs).toEqual(['10.10.103.*']);
    expect(file?.version).toEqual({ counter: 3, timestamp: 1_600_000_000_000 });
    const [first, second] = file?.accounts ?? [];
    expect(first).toMatchObject({
      accessKey: 'RocketMQ',
      secretKey: '12345678',
      isAdmin: false,
      defaultTopicPerm: 1,
      defaultGroupPerm: 8,
    });
    expect(Object.fromEntries(first?.resourcePerms ?? [])).toEqual({
      '%RETRY%groupB': 8,
      topicA: 1,
      topicB: 12,
    });
    expect(second).toMatchObject({ isAdmin: true, defaultTopicPerm: 1, defaultGroupPerm: 1 });
  });

  it('keeps every digit of a long number that is a key', () => {
    const text = 'accounts: [{accessKey: 123456789012345678901, secretKey: 987654321098765432109}]';
    expect(parseAclFile(text)?.accounts[0]).toMatchObject({
      accessKey: '123456789012345678901',
      secretKey: '987654321098765432109',
    });
  });

  it('is nothing when it has no data', () => {
    for (const text of ['', ' \n', '# only a comment\n', '---\n', '{}']) {
      expect(parseAclFile(text)).toBeNull();
    }
  });

  it.each([
    'accounts: [',
    'just text',
    '- a list',
    'accounts: text',
    'accounts: [text]',
    `accounts: [{accessKey: short, secretKey: ${CANARY}}]`,
    `accounts: [{accessKey: longenough}]`,
    `accounts: [{accessKey: longenough, secretKey: [${CANARY}]}]`,
    `accounts: [{accessKey: longenough, secretKey: ${CANARY}, admin: ${CANARY}}]`,
    `accounts: [{accessKey: longenough, secretKey: ${CANARY}, topicPerms: [noperm]}]`,
    `accounts: [{accessKey: longenough, secretKey: ${CANARY}, topicPerms: t=PUB}]`,
    `accounts: [{accessKey: longenough, secretKey: ${CANARY}, whiteRemoteAddress: 10.1}]`,
    `accounts:\n- accessKey: longenough\n  secretKey: ${CANARY}\n secretKey: ${CANARY}`,
    `accounts:\n- accessKey: longenough\n  secretKey: ${CANARY}\n  secretKey: ${CANARY}`,
    `accounts:\n- accessKey: longenough\n  secretKey: "${CANARY}`,
    'globalWhiteRemoteAddresses: [nowhere]',
    'globalWhiteRemoteAddresses: 10.1.2.3',
    'dataVersion: [{counter: many}]',
    'a: *nowhere',
  ])('is refused whole, and without its secrets in the error: %s', (text) => {
    let message = '';
    try {
      parseAclFile(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/^the configuration can not be used: /);
    expect(message).not.toContain(CANARY);
  });
});

describe('makeAccount', () => {
  it('wants keys of more than six characters', () => {
    const config = {
      accessKey: 'sixkey',
      secretKey: CANARY,
      admin: false,
      defaultGroupPerm: null,
      defaultTopicPerm: null,
      groupPerms: null,
      topicPerms: null,
      whiteRemoteAddress: null,
    };
    expect(() => makeAccount(config)).toThrow(
      'The accessKey=sixkey and secretKey=****** cannot be null and length should longer than 6',
    );
    expect(() => makeAccount({ ...config, accessKey: 'sevenkk', secretKey: 'sixkey' })).toThrow();
    expect(makeAccount({ ...config, accessKey: 'sevenkk' }).defaultTopicPerm).toBe(1);
  });
});
