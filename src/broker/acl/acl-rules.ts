// Room: broker, main thread. All ACL files together, and what they say to a request (protocol.md 10.3). Immutable: a change of a file
// makes new rules. Follows Java's PlainPermissionManager.validate.
// Always holds: without a rule that allows it a request is refused; rules of a running broker are never "none, so all".

import { addressBytes, splitHostPort } from '../../base/net-address.js';
import {
  isRetryTopic,
  RETRY_GROUP_TOPIC_PREFIX,
  TRACE_TOPIC,
} from '../../message/topic-validator.js';
import { ACCESS_KEY_FIELD, isSignedWith } from '../../protocol/acl-signature.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { neededResources } from './access-resource.js';
import type { AclFile, PlainAccount } from './acl-file.js';
import { isPermitted, Permission } from './permission.js';
import type { AddressPattern } from './remote-address-pattern.js';

export interface AclRefusal {
  /** True when the code is one that only administrators may use, who must sign from white addresses, too. */
  readonly isReserved: boolean;
  readonly message: string;
}

/** As Java's: an account that is no administrator's gets an error. */
const ADMIN_CODES: ReadonlySet<number> = new Set([
  RequestCode.UPDATE_AND_CREATE_TOPIC,
  RequestCode.UPDATE_BROKER_CONFIG,
  RequestCode.DELETE_TOPIC_IN_BROKER,
  RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
  RequestCode.DELETE_SUBSCRIPTIONGROUP,
]);

/** The rules themselves. In Java any signature will do, and any white address (CVE-2024-23321, bug report 26). */
const RESERVED_CODES: ReadonlySet<number> = new Set([
  RequestCode.UPDATE_AND_CREATE_ACL_CONFIG,
  RequestCode.DELETE_ACL_CONFIG,
  RequestCode.GET_BROKER_CLUSTER_ACL_INFO,
  RequestCode.UPDATE_GLOBAL_WHITE_ADDRS_CONFIG,
  RequestCode.GET_BROKER_CLUSTER_ACL_CONFIG,
]);

export class AclRules {
  readonly #globalWhite: readonly AddressPattern[];
  readonly #accounts = new Map<string, { readonly account: PlainAccount; readonly path: string }>();
  /** Access keys that stand in a second place, which does not count. */
  readonly repeated: readonly string[];

  constructor(files: ReadonlyMap<string, AclFile>) {
    this.#globalWhite = [...files.values()].flatMap((file) => file.globalWhite);
    const repeated: string[] = [];
    for (const [path, file] of files) {
      for (const account of file.accounts) {
        if (this.#accounts.has(account.accessKey)) repeated.push(account.accessKey);
        else this.#accounts.set(account.accessKey, { account, path });
      }
    }
    this.repeated = repeated;
  }

  /** The file that an account is from. */
  pathOf(accessKey: string): string | undefined {
    return this.#accounts.get(accessKey)?.path;
  }

  accounts(): PlainAccount[] {
    return [...this.#accounts.values()].map(({ account }) => account);
  }

  /** Null for a request that is allowed. The remote address is ip:port. */
  refusal(remoteAddress: string, request: RemotingCommand): AclRefusal | null {
    const isReserved = RESERVED_CODES.has(request.code);
    const message = this.#refusal(remoteAddress, request, isReserved);
    return message === null ? null : { isReserved, message };
  }

  #refusal(remoteAddress: string, request: RemotingCommand, isReserved: boolean): string | null {
    const address = addressBytes(splitHostPort(remoteAddress).host);
    if (!isReserved && this.#globalWhite.some((isWhite) => isWhite(address))) return null;
    const accessKey = request.extFields?.[ACCESS_KEY_FIELD];
    if (accessKey === undefined) return 'No accessKey is configured';
    const account = this.#accounts.get(accessKey)?.account;
    if (account === undefined) return `No acl config for ${shown(accessKey)}`;
    if (!isReserved && account.isWhite(address)) return null;
    if (!isSignedWith(request, account.secretKey)) {
      return `Check signature failed for accessKey=${accessKey}`;
    }
    if (!account.isAdmin && (isReserved || ADMIN_CODES.has(request.code))) {
      return `Need admin permission for request code=${request.code}, but accessKey=${accessKey} is not`;
    }
    return resourceRefusal(account, neededResources(request));
  }
}

function resourceRefusal(
  account: PlainAccount,
  needed: ReadonlyMap<string, number>,
): string | null {
  // Whoever may send at all may leave traces, and nothing beside them.
  if (needed.size === 1 && needed.get(TRACE_TOPIC) === Permission.PUB) return null;
  if (account.isAdmin && account.resourcePerms.size === 0) return null;
  for (const [resource, permission] of needed) {
    const isGroup = isRetryTopic(resource);
    const byDefault = isGroup ? account.defaultGroupPerm : account.defaultTopicPerm;
    const owned = account.resourcePerms.get(resource) ?? byDefault;
    if (isPermitted(permission, owned)) continue;
    const group = resource.slice(RETRY_GROUP_TOPIC_PREFIX.length);
    return `No default permission for ${isGroup ? `group:${group}` : `topic:${shown(resource)}`}`;
  }
  return null;
}

/** What a stranger sent comes back in part only. */
function shown(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}...` : name;
}
