// Real files in a folder of their own; looks at them are asked for, so that nothing waits.

import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { PlainPermissionManager } from '../../../src/broker/acl/plain-permission-manager.js';
import { createRequest } from '../../../src/protocol/remoting-command.js';
import { AclSigningHook } from '../../../src/remoting/acl-signing-hook.js';

const CANARY = 'canary-secret';
const TEXT = `accounts:
- accessKey: account-1 # the only one
  secretKey: ${CANARY}
  admin: true
`;

let home: string;
let mainFile: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cometmq-acl-'));
  mkdirSync(join(home, 'conf', 'acl', 'deep'), { recursive: true });
  mainFile = join(home, 'conf', 'plain_acl.yml');
  writeFileSync(mainFile, TEXT);
});

afterEach(() => {
  setLogLevel('silent');
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

function open(): PlainPermissionManager {
  return new PlainPermissionManager(home, new ManualClock());
}

function isKnown(manager: PlainPermissionManager, accessKey: string, secretKey = CANARY): boolean {
  const request = createRequest(30, {});
  new AclSigningHook({ accessKey, secretKey }).before('', request);
  return manager.refusal('10.1.2.3:1', request) === null;
}

function account(accessKey: string): string {
  return `accounts: [{accessKey: ${accessKey}, secretKey: ${CANARY}}]\n`;
}

async function twice(manager: PlainPermissionManager): Promise<void> {
  await manager.reload();
  await manager.reload();
}

describe('the files', () => {
  it('are plain_acl.yml and all below conf/acl, but tools.yml', async () => {
    writeFileSync(join(home, 'conf', 'acl', 'a.yml'), account('account-a'));
    writeFileSync(join(home, 'conf', 'acl', 'deep', 'b.yaml'), account('account-b'));
    writeFileSync(join(home, 'conf', 'acl', 'tools.yml'), account('account-t'));
    writeFileSync(join(home, 'conf', 'acl', 'c.yml.bak'), account('account-c'));
    writeFileSync(join(home, 'conf', 'other.yml'), account('account-o'));
    const manager = open();
    const known = ['1', 'a', 'b', 't', 'c', 'o'].filter((it) => isKnown(manager, `account-${it}`));
    expect(known).toEqual(['1', 'a', 'b']);
    writeFileSync(join(home, 'conf', 'acl', 'new.yml'), account('account-n'));
    await twice(manager);
    expect(isKnown(manager, 'account-n')).toBe(true);
  });

  it('stop the start when one can not be used', () => {
    writeFileSync(join(home, 'conf', 'acl', 'a.yml'), 'accounts: [');
    expect(open).toThrow(/can not be used: .*a\.yml: BAD_/);
  });

  it('open nothing when there are none', () => {
    rmSync(join(home, 'conf'), { recursive: true });
    const manager = open();
    expect(manager.refusal('127.0.0.1:1', createRequest(10, null))).not.toBeNull();
    expect(isKnown(manager, 'account-1')).toBe(false);
  });
});

describe('a file that changes', () => {
  it('is in force when its new text was seen twice', async () => {
    const manager = open();
    writeFileSync(mainFile, account('account-2'));
    await manager.reload();
    expect(isKnown(manager, 'account-2')).toBe(false);
    writeFileSync(mainFile, account('account-3'));
    await manager.reload();
    expect(isKnown(manager, 'account-3')).toBe(false);
    await manager.reload();
    expect(isKnown(manager, 'account-3')).toBe(true);
    expect(isKnown(manager, 'account-1')).toBe(false);
  });

  it.each([
    '',
    '# nothing\n',
    TEXT.slice(0, TEXT.indexOf(CANARY) + 3),
    'accounts: [',
    `globalWhiteRemoteAddresses: [oops]\n${TEXT}`,
    '\0\0\0',
  ])('changes nothing when it can not be used: %j', async (text) => {
    const manager = open();
    writeFileSync(mainFile, text);
    await twice(manager);
    await twice(manager);
    expect(isKnown(manager, 'account-1')).toBe(true);
    expect(manager.refusal('10.1.2.3:1', createRequest(30, null))).not.toBeNull();
    writeFileSync(mainFile, account('account-2'));
    await twice(manager);
    expect(isKnown(manager, 'account-2')).toBe(true);
  });

  it('never opens up, wherever the writing of it stops', async () => {
    const white = "globalWhiteRemoteAddresses: ['192.168.0.123']\n";
    writeFileSync(mainFile, `${TEXT}${white}`);
    const manager = open();
    for (let length = 0; length <= TEXT.length + white.length; length++) {
      writeFileSync(mainFile, `${TEXT}${white}`.slice(0, length));
      await twice(manager);
      for (const from of ['192.168.0.12:1', '192.168.0.1:1', '10.1.2.3:1']) {
        expect(manager.refusal(from, createRequest(10, null))).not.toBeNull();
      }
    }
    expect(isKnown(manager, 'account-1')).toBe(true);
  });

  it('stays in force when it is gone, and is looked at again when it comes back', async () => {
    const manager = open();
    rmSync(mainFile);
    await twice(manager);
    expect(isKnown(manager, 'account-1')).toBe(true);
    writeFileSync(mainFile, account('account-2'));
    await twice(manager);
    expect(isKnown(manager, 'account-1')).toBe(false);
    expect(isKnown(manager, 'account-2')).toBe(true);
  });
});

describe('a change over the wire', () => {
  const change = { accessKey: 'account-2', secretKey: 'secret-2', topicPerms: ['t=PUB'] };

  it('is on disk, for the owner only, and in force when it is answered', async () => {
    chmodSync(mainFile, 0o644);
    const manager = open();
    const before = manager.version();
    expect(await manager.updateAccessConfig(change)).toEqual({ ok: true });
    expect(isKnown(manager, 'account-2', 'secret-2')).toBe(true);
    expect(isKnown(open(), 'account-2', 'secret-2')).toBe(true);
    expect(readFileSync(mainFile, 'utf8')).toContain('# the only one');
    expect(statSync(mainFile).mode & 0o777).toBe(0o600);
    expect(manager.version().counter).toBe(before.counter + 1);
    expect(open().version()).toEqual(manager.version());
    expect(await manager.deleteAccessConfig('account-2')).toEqual({ ok: true });
    expect(isKnown(manager, 'account-2', 'secret-2')).toBe(false);
    expect(isKnown(open(), 'account-1')).toBe(true);
  });

  it('goes to the file that the account is from', async () => {
    const other = join(home, 'conf', 'acl', 'a.yml');
    writeFileSync(other, account('account-2'));
    const manager = open();
    await manager.updateAccessConfig(change);
    expect(readFileSync(other, 'utf8')).toContain('secret-2');
    expect(readFileSync(mainFile, 'utf8')).toBe(TEXT);
    expect([...manager.versions().keys()]).toEqual([other, mainFile]);
  });

  it('keeps what was edited meanwhile by hand, and loses no one of many', async () => {
    const manager = open();
    writeFileSync(mainFile, `${TEXT}# by hand\n`);
    const names = Array.from({ length: 10 }, (_, i) => `account-x${i}`);
    await Promise.all(
      names.map((accessKey) => manager.updateAccessConfig({ ...change, accessKey })),
    );
    expect(readFileSync(mainFile, 'utf8')).toContain('# by hand');
    expect(names.filter((it) => isKnown(open(), it, 'secret-2'))).toEqual(names);
  });

  it.each([
    [{ accessKey: 'account-2' }, /accessKey=account-2 and secretKey=null cannot/],
    [{ accessKey: 'short', secretKey: CANARY }, /accessKey=short and secretKey=\*{6} cannot/],
    [{ ...change, secretKey: '******' }, /secretKey=\*{6} cannot be null/],
    [{ ...change, topicPerms: ['t'] }, /^Parse Resource format error for t/],
    [{ ...change, groupPerms: ['g=ALL'] }, /^Parse resource permission error for g=ALL/],
    [{ ...change, whiteRemoteAddress: '10.1' }, /Netaddress examine Exception/],
  ])('is refused with the reason: %j', async (wrong, reason) => {
    const manager = open();
    const outcome = await manager.updateAccessConfig(wrong);
    expect(outcome).toEqual({ ok: false, remark: expect.stringMatching(reason) });
    expect(readFileSync(mainFile, 'utf8')).toBe(TEXT);
  });

  it('does not touch a file that it can not read', async () => {
    const manager = open();
    writeFileSync(mainFile, 'accounts: [');
    expect(await manager.updateAccessConfig(change)).toMatchObject({ ok: false });
    expect(await manager.deleteAccessConfig('account-1')).toMatchObject({ ok: false });
    expect(readFileSync(mainFile, 'utf8')).toBe('accounts: [');
    expect(isKnown(manager, 'account-1')).toBe(true);
  });

  it('sets white addresses in ACL files, and in nothing else', async () => {
    const manager = open();
    expect(await manager.updateGlobalWhiteAddrs(['10.1.2.*'], null)).toEqual({ ok: true });
    expect(manager.refusal('10.1.2.3:1', createRequest(10, null))).toBeNull();
    const outside = join(home, 'x.yml');
    writeFileSync(outside, 'a: b');
    for (const path of [outside, join(home, 'conf', '..', 'x.yml'), '../x.yml', '/etc/passwd']) {
      expect(await manager.updateGlobalWhiteAddrs(['*'], path)).toMatchObject({ ok: false });
    }
    expect(readFileSync(outside, 'utf8')).toBe('a: b');
    expect(await manager.updateGlobalWhiteAddrs(['oops'], null)).toMatchObject({ ok: false });
    expect(await manager.updateGlobalWhiteAddrs([], mainFile)).toEqual({ ok: true });
    expect(manager.refusal('10.1.2.3:1', createRequest(10, null))).not.toBeNull();
  });
});

describe('a secret', () => {
  it('is neither in what the manager tells nor in what it logs', async () => {
    const printed: string[] = [];
    vi.spyOn(fs, 'writeSync').mockImplementation((_fd: number, text: unknown) => {
      printed.push(String(text));
      return String(text).length;
    });
    setLogLevel('debug');
    const manager = open();
    const told: unknown[] = [manager.config(), [...manager.versions()]];
    const broken = [`${TEXT}- [${CANARY}`, `accounts: [{accessKey: x, secretKey: ${CANARY}}]`];
    for (const text of [...broken, `accounts:\n- ${CANARY}\n`, `${CANARY}: *${CANARY}`, TEXT]) {
      writeFileSync(mainFile, text);
      await twice(manager);
      told.push(await manager.updateAccessConfig({ accessKey: 'x', secretKey: CANARY }));
      told.push(await manager.deleteAccessConfig('account-9'));
    }
    expect(manager.config().plainAccessConfigs[0]?.secretKey).toBe('******');
    expect(JSON.stringify(told)).not.toContain(CANARY);
    expect(printed.join('')).toContain('what was in force stays so');
    expect(printed.join('')).not.toContain(CANARY);
  });
});
