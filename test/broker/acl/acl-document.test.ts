import { describe, expect, it } from 'vitest';
import {
  withAccount,
  withGlobalWhiteAddrs,
  withoutAccount,
} from '../../../src/broker/acl/acl-document.js';
import { parseAclFile } from '../../../src/broker/acl/acl-file.js';

const VERSION = { counter: 1, timestamp: 1_600_000_000_000 };

const TEXT = `# who may what
globalWhiteRemoteAddresses: [] # nobody
accounts:
  # the administrator
  - accessKey: administrator # his key
    secretKey: admins-secret # changed in spring
    admin: true
  - accessKey: 12345678
    secretKey: 87654321
    topicPerms:
      - a=PUB
`;

const CHANGE = { accessKey: '12345678', secretKey: '00000000', admin: true };

describe('a change of an account', () => {
  it('sets what it names, keeps the rest, and every comment', () => {
    const text = withAccount(TEXT, { ...CHANGE, groupPerms: ['g=SUB'] }, VERSION);
    for (const comment of ['who may what', 'nobody', 'the administrator', 'his key', 'in spring']) {
      expect(text).toContain(`# `);
      expect(text).toContain(comment);
    }
    const file = parseAclFile(text);
    expect(file?.version).toEqual(VERSION);
    expect(file?.accounts.map(({ config }) => config)[1]).toEqual({
      accessKey: '12345678',
      secretKey: '00000000',
      admin: true,
      defaultGroupPerm: null,
      defaultTopicPerm: null,
      groupPerms: ['g=SUB'],
      topicPerms: ['a=PUB'],
      whiteRemoteAddress: null,
    });
  });

  it('keeps the comment behind a value that it changes', () => {
    const change = { accessKey: 'administrator', secretKey: 'new-secret', admin: true };
    expect(withAccount(TEXT, change, VERSION)).toContain(
      'secretKey: new-secret # changed in spring',
    );
  });

  it('adds the account when there is none, and the list, and the map', () => {
    const change = { ...CHANGE, accessKey: 'newcomer', topicPerms: [], defaultTopicPerm: 'SUB' };
    for (const text of [TEXT, '', '# empty\n', 'accounts:\n', 'dataVersion: []']) {
      const before = parseAclFile(text)?.accounts.length ?? 0;
      const file = parseAclFile(withAccount(text, change, VERSION));
      expect(file?.accounts).toHaveLength(before + 1);
      expect(file?.accounts.at(-1)).toMatchObject({ accessKey: 'newcomer', defaultTopicPerm: 8 });
    }
  });

  it('writes texts that YAML takes for something else so that they come back as they were', () => {
    for (const secretKey of [
      '0012345',
      'yes: no!',
      '# hash ',
      '2020-01-01',
      '1_000_000',
      `'"\\ quoted ä`,
    ]) {
      const file = parseAclFile(withAccount(TEXT, { ...CHANGE, secretKey }, VERSION));
      expect(file?.accounts[1]?.secretKey).toBe(secretKey);
    }
  });
});

describe('withoutAccount', () => {
  it('takes one account out, whether its key is written as text or as number', () => {
    const keys = (text: string) => parseAclFile(text)?.accounts.map((it) => it.accessKey);
    expect(keys(withoutAccount(TEXT, '12345678', VERSION))).toEqual(['administrator']);
    expect(keys(withoutAccount(TEXT, 'administrator', VERSION))).toEqual(['12345678']);
  });
});

describe('withGlobalWhiteAddrs', () => {
  it('replaces the list and leaves the accounts', () => {
    const file = parseAclFile(withGlobalWhiteAddrs(TEXT, ['10.1.2.*', '*'], VERSION));
    expect(file?.globalWhiteAddrs).toEqual(['10.1.2.*', '*']);
    expect(file?.accounts).toHaveLength(2);
    expect(file?.version).toEqual(VERSION);
  });
});
