import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedWith, signatureOf } from '../../src/protocol/acl-signature.js';
import { decodeFrame, encodeFrame } from '../../src/protocol/frame-codec.js';
import { createRequest, SerializeType } from '../../src/protocol/remoting-command.js';
import { RequestCode } from '../../src/protocol/request-code.js';

const SECRET = '12345678';

function hmac(text: string): string {
  return createHmac('sha1', SECRET).update(text).digest('base64');
}

describe('the signature of a request', () => {
  it('is the one that Java makes (protocol.md 10.2)', () => {
    const fields = { AccessKey: 'RocketMQ', topic: 'T' };
    const request = createRequest(RequestCode.SEND_MESSAGE, fields, Buffer.from('body'));
    expect(signatureOf(request, SECRET)).toBe('xjHQAkZ6AeUd/4UKEel5AwANfm0=');
  });

  it('goes over the values in the order of their names, then the body, without the signature itself', () => {
    const fields = { b: '2', Signature: 'x', a: 'ä', B: '0', _UNIQUE_KEY_QUERY: 'true' };
    const request = createRequest(RequestCode.PULL_MESSAGE, fields, Buffer.from('!'));
    expect(signatureOf(request, SECRET)).toBe(hmac('0ä2!'));
  });

  it('is the same whichever way the frame was encoded, empty values included', () => {
    const request = createRequest(RequestCode.PULL_MESSAGE, { AccessKey: 'k', empty: '', z: '1' });
    const signed = signatureOf(request, SECRET);
    request.extFields = { ...request.extFields, Signature: signed };
    for (const serializeType of [SerializeType.JSON, SerializeType.ROCKETMQ]) {
      const arrived = decodeFrame(encodeFrame({ ...request, serializeType }));
      expect(isSignedWith(arrived, SECRET)).toBe(true);
    }
  });
});

describe('isSignedWith', () => {
  const ask = (code: number, fields: Record<string, string>) =>
    isSignedWith(createRequest(code, fields), SECRET);

  it('takes key queries that are signed with and without _UNIQUE_KEY_QUERY', () => {
    const fields = { topic: 'T', _UNIQUE_KEY_QUERY: 'true' };
    const { QUERY_MESSAGE, PULL_MESSAGE } = RequestCode;
    expect(ask(QUERY_MESSAGE, { ...fields, Signature: hmac('T') })).toBe(true);
    expect(ask(QUERY_MESSAGE, { ...fields, Signature: hmac('trueT') })).toBe(true);
    expect(ask(PULL_MESSAGE, { ...fields, Signature: hmac('T') })).toBe(true);
    expect(ask(PULL_MESSAGE, { ...fields, Signature: hmac('trueT') })).toBe(false);
  });

  it('refuses a missing, cut, prolonged or other signature', () => {
    const right = hmac('T');
    for (const Signature of ['', right.slice(0, -1), `${right}=`, hmac('U'), 'ÿ'.repeat(28)]) {
      expect(ask(RequestCode.PULL_MESSAGE, { topic: 'T', Signature })).toBe(false);
    }
    expect(ask(RequestCode.PULL_MESSAGE, { topic: 'T' })).toBe(false);
  });
});
