// Room: remoting. Main thread (and a user's process). Signs each request of a client with an account's keys (protocol.md 10.2). Follows
// Java's AclClientRPCHook. The last hook of a client: what is added after it makes the signature wrong.

import {
  ACCESS_KEY_FIELD,
  SECURITY_TOKEN_FIELD,
  SIGNATURE_FIELD,
  signatureOf,
} from '../protocol/acl-signature.js';
import type { RemotingCommand } from '../protocol/remoting-command.js';
import type { RpcHook } from './rpc-hook.js';

export interface SessionCredentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly securityToken?: string;
}

export class AclSigningHook implements RpcHook {
  readonly #credentials: SessionCredentials;

  constructor(credentials: SessionCredentials) {
    this.#credentials = credentials;
  }

  before(_remoteAddress: string, request: RemotingCommand): void {
    const { accessKey, secretKey, securityToken } = this.#credentials;
    const fields: Record<string, string> = { ...request.extFields, [ACCESS_KEY_FIELD]: accessKey };
    if (securityToken !== undefined) fields[SECURITY_TOKEN_FIELD] = securityToken;
    request.extFields = fields;
    fields[SIGNATURE_FIELD] = signatureOf(request, secretKey);
  }
}
