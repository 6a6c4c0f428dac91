// Room: broker, main thread. Changes to the text of an ACL file, which keep its comments and the order of what is in it. Pure. Only texts
// that parseAclFile takes come here.

import { type Document, isMap, isScalar, parseDocument, YAMLMap, YAMLSeq } from 'yaml';
import { cometError } from '../../base/errors.js';
import type { DataVersion } from '../../protocol/bodies/topic-config.js';

/** What an account is to be; undefined leaves what the file says. */
export interface AccountChange {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly whiteRemoteAddress?: string | undefined;
  readonly admin: boolean;
  readonly defaultTopicPerm?: string | undefined;
  readonly defaultGroupPerm?: string | undefined;
  readonly topicPerms?: readonly string[] | undefined;
  readonly groupPerms?: readonly string[] | undefined;
}

export function withAccount(text: string, change: AccountChange, version: DataVersion): string {
  return edited(text, version, (root, document) => {
    const accounts = accountsOf(root);
    let account = accounts.items.find((it) => isAccountOf(it, change.accessKey));
    if (account === undefined) {
      account = new YAMLMap();
      accounts.add(account);
    }
    for (const [name, value] of Object.entries(change)) {
      if (value !== undefined) setMember(account as YAMLMap, name, value, document);
    }
  });
}

export function withoutAccount(text: string, accessKey: string, version: DataVersion): string {
  return edited(text, version, (root) => {
    const accounts = accountsOf(root);
    accounts.items = accounts.items.filter((it) => !isAccountOf(it, accessKey));
  });
}

export function withGlobalWhiteAddrs(
  text: string,
  addresses: readonly string[],
  version: DataVersion,
): string {
  return edited(text, version, (root, document) => {
    setMember(root, 'globalWhiteRemoteAddresses', addresses, document);
  });
}

function edited(
  text: string,
  version: DataVersion,
  edit: (root: YAMLMap, document: Document) => void,
): string {
  const options = { version: '1.1', prettyErrors: false } as const;
  // Parsed nodes and made ones are the same classes; the library's types tell them apart.
  const document = parseDocument(text, options) as unknown as Document;
  if (document.errors.length > 0) throw cometError('CONFIG_INVALID', 'the file is no YAML');
  if (!isMap(document.contents)) document.contents = new YAMLMap();
  const root = document.contents as YAMLMap;
  edit(root, document);
  setMember(root, 'dataVersion', [version], document);
  return document.toString({ lineWidth: 0 });
}

/** A value that is a plain one stays where it is, so that a comment behind it stays, too. */
function setMember(map: YAMLMap, name: string, value: unknown, document: Document): void {
  const there = map.get(name, true);
  if (isScalar(there) && typeof value !== 'object') there.value = value;
  else map.set(name, document.createNode(value));
}

function accountsOf(root: YAMLMap): YAMLSeq {
  const there = root.get('accounts', true);
  if (there instanceof YAMLSeq) return there;
  const accounts = new YAMLSeq();
  root.set('accounts', accounts);
  return accounts;
}

function isAccountOf(item: unknown, accessKey: string): boolean {
  return isMap(item) && String(item.get('accessKey')) === accessKey;
}
