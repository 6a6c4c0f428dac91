import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { AclHook, checkedFrames } from '../../../src/broker/acl/acl-hook.js';
import { PlainPermissionManager } from '../../../src/broker/acl/plain-permission-manager.js';
import { signatureOf } from '../../../src/protocol/acl-signature.js';
import { decodeFrame, encodeFrame, peekRequestCode } from '../../../src/protocol/frame-codec.js';
import { createRequest, createResponse } from '../../../src/protocol/remoting-command.js';
import type { Connection } from '../../../src/remoting/connection.js';
import type { FrameHandler } from '../../../src/remoting/frame-handler.js';
import { FakeConnection } from '../fakes.js';

const SECRET = 'secret-1';
let home: string;
let hook: AclHook;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'cometmq-acl-'));
  mkdirSync(join(home, 'conf'));
  const account = `{accessKey: account-1, secretKey: ${SECRET}, topicPerms: [mine=PUB]}`;
  writeFileSync(join(home, 'conf', 'plain_acl.yml'), `accounts: [${account}]`);
  hook = new AclHook(new PlainPermissionManager(home, new ManualClock()));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What reaches the handler behind, and what the peer gets. */
function deliver(frame: Buffer) {
  const passed: { frame: Buffer; code: number }[] = [];
  const behind: FrameHandler = {
    onFrame: (_connection, it, code) => passed.push({ frame: Buffer.from(it), code }),
  };
  const connection = new FakeConnection();
  const handler = checkedFrames(behind, hook);
  handler.onFrame(connection as unknown as Connection, frame, peekRequestCode(frame, 0));
  return { passed, answers: connection.sent };
}

function signed(code: number, fields: Record<string, string>, body: Buffer | null = null) {
  const request = createRequest(code, { AccessKey: 'account-1', ...fields }, body);
  request.opaque = 77;
  request.extFields = { ...request.extFields, Signature: signatureOf(request, SECRET) };
  return request;
}

/** A frame whose header is this text. */
function frameOf(header: string): Buffer {
  const bytes = Buffer.from(header);
  const frame = Buffer.alloc(8 + bytes.length);
  frame.writeInt32BE(4 + bytes.length, 0);
  frame.writeUIntBE(bytes.length, 5, 3);
  bytes.copy(frame, 8);
  return frame;
}

describe('frames for the workers', () => {
  it('go on as they were checked, body and all', () => {
    const request = signed(310, { b: 'mine' }, Buffer.from('hello'));
    const { passed, answers } = deliver(encodeFrame(request));
    expect(passed.map((it) => [it.code, decodeFrame(it.frame)])).toEqual([[310, request]]);
    expect(answers).toEqual([]);
  });

  it.each([10, 310, 320, 11])('of code %i go no further without a signature', (code) => {
    const request = createRequest(code, { topic: 'mine', b: 'mine' });
    request.opaque = 78;
    const { passed, answers } = deliver(encodeFrame(request));
    expect(passed).toEqual([]);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ code: 1, opaque: 78 });
    expect(answers[0]?.remark).toContain('AclException: No accessKey is configured');
  });

  it('are not answered when nobody waits', () => {
    const request = createRequest(310, { b: 'mine' });
    request.flag = 2;
    expect(deliver(encodeFrame(request))).toEqual({ passed: [], answers: [] });
  });

  it('may not send elsewhere by naming the topic twice', () => {
    const request = signed(310, { b: 'mine', topic: 'other' });
    const { passed, answers } = deliver(encodeFrame(request));
    expect(passed).toEqual([]);
    expect(answers[0]?.remark).toContain('No default permission for topic:other');
  });

  it('say the same to every reader when a header says two things', () => {
    const { extFields } = signed(310, { b: 'mine' });
    const twice = `{"code":310,"extFields":{"b":"other","c":"x"},"opaque":1,"extFields":${JSON.stringify(extFields)}}`;
    const { passed } = deliver(frameOf(twice));
    expect(passed).toHaveLength(1);
    const text = passed[0]?.frame.toString('latin1') ?? '';
    expect(text).not.toContain('other');
    expect(text.match(/extFields/g)).toHaveLength(1);
  });
});

describe('a header that does not begin with its code', () => {
  it('is checked by the code that it has', () => {
    const { extFields } = signed(310, { b: 'mine' });
    const good = `{"opaque":5,"extFields":${JSON.stringify(extFields)},"code":310}`;
    expect(deliver(frameOf(good)).passed.map((it) => it.code)).toEqual([310]);
    for (const bad of ['{"opaque":5,"code":310}', '{"code":34,"opaque":5,"code":310}']) {
      const { passed, answers } = deliver(frameOf(bad));
      // The second looks like 34, and goes to the dispatcher, never to a worker.
      expect(passed.map((it) => it.code)).toEqual(bad.startsWith('{"code":34') ? [34] : []);
      expect(answers).toHaveLength(1 - passed.length);
    }
  });
});

describe('other frames', () => {
  it('are left to the dispatcher, which checks them itself', () => {
    const frames = [
      encodeFrame(createRequest(34, {})),
      frameOf('{"code":10,"opaque":1,"code":34}'),
      encodeFrame(createResponse(null, 10)),
    ];
    const codes = frames.map((frame) => deliver(frame).passed.map((it) => it.code));
    expect(codes).toEqual([[34], [34], [-1]]);
  });

  it('are refused by the hook', () => {
    expect(() => hook.before('10.1.1.1:1', createRequest(34, {}))).toThrow('No accessKey');
    expect(() => hook.before('10.1.1.1:1', createRequest(54, null))).toThrow(
      'the permission is missing: No accessKey is configured',
    );
    expect(() => hook.before('10.1.1.1:1', signed(30, {}))).not.toThrow();
  });
});
