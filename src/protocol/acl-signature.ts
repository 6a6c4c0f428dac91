// Room: protocol. Any thread. The signature of a request (protocol.md 10.2): HmacSHA1, in Base64, over the values of its ext fields in
// the order of their names, then its body. Both sides make it from the decoded command, so that the encoding does not matter.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RemotingCommand } from './remoting-command.js';
import { RequestCode } from './request-code.js';

export const ACCESS_KEY_FIELD = 'AccessKey';
export const SIGNATURE_FIELD = 'Signature';
export const SECURITY_TOKEN_FIELD = 'SecurityToken';
const UNIQUE_KEY_QUERY_FIELD = '_UNIQUE_KEY_QUERY';

/** What a client puts into Signature. _UNIQUE_KEY_QUERY is left out, as servers do. */
export function signatureOf(request: RemotingCommand, secretKey: string): string {
  return digest(request, secretKey, false).toString('base64');
}

/**
 * Takes the same time whichever byte is wrong. Key queries of Java 4.9.7 are signed with _UNIQUE_KEY_QUERY, which its own servers
 * refuse; older clients sign without it: both are right.
 */
export function isSignedWith(request: RemotingCommand, secretKey: string): boolean {
  const given = Buffer.from(request.extFields?.[SIGNATURE_FIELD] ?? '', 'latin1');
  if (isEqual(given, digest(request, secretKey, false))) return true;
  if (request.code !== RequestCode.QUERY_MESSAGE) return false;
  return isEqual(given, digest(request, secretKey, true));
}

function isEqual(given: Buffer, digested: Buffer): boolean {
  const right = Buffer.from(digested.toString('base64'), 'latin1');
  return given.length === right.length && timingSafeEqual(given, right);
}

function digest(request: RemotingCommand, secretKey: string, withUniqueKey: boolean): Buffer {
  const fields = request.extFields ?? {};
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    if (name === SIGNATURE_FIELD) continue;
    if (name === UNIQUE_KEY_QUERY_FIELD && !withUniqueKey) continue;
    text += fields[name] ?? '';
  }
  const hmac = createHmac('sha1', secretKey).update(text, 'utf8');
  if (request.body !== null) hmac.update(request.body);
  return hmac.digest();
}
