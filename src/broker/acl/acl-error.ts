// Room: broker, main thread. A refusal as the error that is its answer (protocol.md 10.3). Java's clients read the class and the message;
// what follows the last comma is a stack frame there. Pure.

import { type CometError, cometError } from '../../base/errors.js';
import type { AclRefusal } from './acl-rules.js';

const FRAME = 'org.apache.rocketmq.acl.plain.PlainPermissionManager.validate';

export function aclError(refusal: AclRefusal): CometError {
  if (refusal.isReserved) return cometError('NO_PERMISSION', refusal.message);
  return cometError('ACL_REFUSED', `${refusal.message}, ${FRAME}`);
}
