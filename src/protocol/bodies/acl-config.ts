// Room: protocol. Any thread. The accounts of a broker (protocol.md 2.7): answer of GET_BROKER_CLUSTER_ACL_CONFIG (54).
//
//   {"globalWhiteAddrs":[S],"plainAccessConfigs":[{"accessKey":S,"admin":B,"defaultGroupPerm":S,"defaultTopicPerm":S,
//    "groupPerms":[S],"secretKey":S,"topicPerms":[S],"whiteRemoteAddress":S}]}

import {
  type BodyText,
  booleanMember,
  encodeJsonBody,
  listMember,
  objectOf,
  parseJsonBody,
  textMember,
  textOf,
} from './json-body.js';

export interface PlainAccessConfig {
  readonly accessKey: string | null;
  readonly admin: boolean;
  readonly defaultGroupPerm: string | null;
  readonly defaultTopicPerm: string | null;
  readonly groupPerms: readonly string[] | null;
  readonly secretKey: string | null;
  readonly topicPerms: readonly string[] | null;
  readonly whiteRemoteAddress: string | null;
}

export interface AclConfig {
  readonly globalWhiteAddrs: readonly string[] | null;
  readonly plainAccessConfigs: readonly PlainAccessConfig[];
}

export function encodeAclConfig(config: AclConfig): Buffer {
  return encodeJsonBody(config);
}

export function decodeAclConfig(body: BodyText): AclConfig {
  const object = parseJsonBody(body);
  return {
    globalWhiteAddrs: listMember(object, 'globalWhiteAddrs', textOf),
    plainAccessConfigs: listMember(object, 'plainAccessConfigs', readAccount),
  };
}

function readAccount(value: unknown, what: string): PlainAccessConfig {
  const object = objectOf(value, what);
  return {
    accessKey: textMember(object, 'accessKey'),
    admin: booleanMember(object, 'admin'),
    defaultGroupPerm: textMember(object, 'defaultGroupPerm'),
    defaultTopicPerm: textMember(object, 'defaultTopicPerm'),
    groupPerms: listMember(object, 'groupPerms', textOf),
    secretKey: textMember(object, 'secretKey'),
    topicPerms: listMember(object, 'topicPerms', textOf),
    whiteRemoteAddress: textMember(object, 'whiteRemoteAddress'),
  };
}
