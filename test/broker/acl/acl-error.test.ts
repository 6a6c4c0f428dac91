import { describe, expect, it } from 'vitest';
import { aclError } from '../../../src/broker/acl/acl-error.js';

describe('a refusal', () => {
  it('reads as Java’s exception does, code 1', () => {
    const { responseCode, message } = aclError({ isReserved: false, message: 'No acl config' });
    expect(responseCode).toBe(1);
    expect(message).toMatch(
      /^org\.apache\.rocketmq\.acl\.common\.AclException: No acl config, org\.apache/,
    );
  });

  it('is NO_PERMISSION where the rules themselves are asked for', () => {
    expect(aclError({ isReserved: true, message: 'x' })).toMatchObject({ responseCode: 16 });
  });
});
