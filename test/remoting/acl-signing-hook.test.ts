import { describe, expect, it } from 'vitest';
import { isSignedWith } from '../../src/protocol/acl-signature.js';
import { createRequest } from '../../src/protocol/remoting-command.js';
import { AclSigningHook } from '../../src/remoting/acl-signing-hook.js';

describe('AclSigningHook', () => {
  it('signs with the keys, and leaves the fields of the caller alone', () => {
    const fields = { topic: 'T' };
    const request = createRequest(11, fields, Buffer.from('x'));
    new AclSigningHook({ accessKey: 'account', secretKey: 'secret-1' }).before('', request);
    expect(request.extFields).toMatchObject({ topic: 'T', AccessKey: 'account' });
    expect(isSignedWith(request, 'secret-1')).toBe(true);
    expect(fields).toEqual({ topic: 'T' });
  });

  it('signs anew what is sent again, and the security token with it', () => {
    const request = createRequest(11, null);
    const hook = new AclSigningHook({ accessKey: 'a', secretKey: 'secret-1', securityToken: 't' });
    hook.before('', request);
    const first = request.extFields?.['Signature'];
    hook.before('', request);
    expect(request.extFields?.['SecurityToken']).toBe('t');
    expect(request.extFields?.['Signature']).toBe(first);
    expect(isSignedWith(request, 'secret-1')).toBe(true);
  });
});
