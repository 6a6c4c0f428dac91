// Room: broker, main thread. Codes 50 to 54: accounts and white addresses over the wire (protocol.md 10.4). The hook lets administrators
// only come here. A change is on disk and in force before it is answered.
// Always holds: no answer has a secret in it.

import { encodeAclConfig } from '../../../protocol/bodies/acl-config.js';
import { encodeDataVersion } from '../../../protocol/bodies/topic-config.js';
import { stringifyFastJson } from '../../../protocol/fast-json.js';
import { optionalBoolean, optionalString, requireString } from '../../../protocol/header-fields.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type {
  AclChangeOutcome,
  PlainPermissionManager,
} from '../../acl/plain-permission-manager.js';
import type { BrokerContext } from '../../broker-context.js';
import { failure, success, successWithHeader } from '../answers.js';

const FAILED = new Map<number, number>([
  [RequestCode.UPDATE_AND_CREATE_ACL_CONFIG, ResponseCode.UPDATE_AND_CREATE_ACL_CONFIG_FAILED],
  [RequestCode.DELETE_ACL_CONFIG, ResponseCode.DELETE_ACL_CONFIG_FAILED],
  [
    RequestCode.UPDATE_GLOBAL_WHITE_ADDRS_CONFIG,
    ResponseCode.UPDATE_GLOBAL_WHITE_ADDRS_CONFIG_FAILED,
  ],
]);

type AclProcessor = (
  request: RemotingCommand,
  permissions: PlainPermissionManager,
) => RemotingCommand | Promise<RemotingCommand>;

export function registerAclAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  const register = (code: number, processor: AclProcessor) => {
    dispatcher.register([code], (request) => {
      if (broker.acl !== null) return processor(request, broker.acl);
      return failed(request, 'the broker has no access control (aclEnable=false)');
    });
  };
  register(RequestCode.UPDATE_AND_CREATE_ACL_CONFIG, updateAccessConfig);
  register(RequestCode.DELETE_ACL_CONFIG, deleteAccessConfig);
  register(RequestCode.UPDATE_GLOBAL_WHITE_ADDRS_CONFIG, updateGlobalWhiteAddrs);
  register(RequestCode.GET_BROKER_CLUSTER_ACL_INFO, (request, permissions) =>
    successWithHeader(request, {
      version: encodeDataVersion(permissions.version()).toString('utf8'),
      allAclFileVersion: stringifyFastJson(permissions.versions()),
      brokerName: broker.config.brokerName,
      brokerAddr: broker.brokerAddr,
      clusterName: broker.config.brokerClusterName,
    }),
  );
  register(RequestCode.GET_BROKER_CLUSTER_ACL_CONFIG, (request, permissions) =>
    success(request, encodeAclConfig(permissions.config())),
  );
}

async function updateAccessConfig(
  request: RemotingCommand,
  permissions: PlainPermissionManager,
): Promise<RemotingCommand> {
  const text = (name: string) => optionalString(request, name) ?? undefined;
  const list = (name: string) => split(optionalString(request, name));
  const change = {
    accessKey: requireString(request, 'accessKey'),
    ...defined('secretKey', text('secretKey')),
    whiteRemoteAddress: text('whiteRemoteAddress'),
    admin: optionalBoolean(request, 'admin') ?? false,
    defaultTopicPerm: text('defaultTopicPerm') || undefined,
    defaultGroupPerm: text('defaultGroupPerm') || undefined,
    topicPerms: list('topicPerms'),
    groupPerms: list('groupPerms'),
  };
  return answer(request, await permissions.updateAccessConfig(change));
}

async function deleteAccessConfig(
  request: RemotingCommand,
  permissions: PlainPermissionManager,
): Promise<RemotingCommand> {
  const accessKey = requireString(request, 'accessKey');
  return answer(request, await permissions.deleteAccessConfig(accessKey));
}

async function updateGlobalWhiteAddrs(
  request: RemotingCommand,
  permissions: PlainPermissionManager,
): Promise<RemotingCommand> {
  const addresses = split(requireString(request, 'globalWhiteAddrs')) ?? [];
  const path = optionalString(request, 'aclFileFullPath');
  return answer(request, await permissions.updateGlobalWhiteAddrs(addresses, path));
}

function answer(request: RemotingCommand, outcome: AclChangeOutcome): RemotingCommand {
  return outcome.ok ? success(request) : failed(request, outcome.remark);
}

function failed(request: RemotingCommand, remark: string): RemotingCommand {
  return failure(request, FAILED.get(request.code) ?? ResponseCode.SYSTEM_ERROR, remark);
}

function split(text: string | null): string[] | undefined {
  if (text === null) return undefined;
  return text.split(',').filter((item) => item.trim() !== '');
}

function defined<N extends string>(name: N, value: string | undefined): { [K in N]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [K in N]?: string });
}
