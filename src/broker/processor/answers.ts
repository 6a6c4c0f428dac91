// Room: broker, main thread. The shapes of answers that Java's processors give: with or without an (empty) header, and with
// the remark that those leave behind which never set one. Pure.

import type { BrokerConfig } from '../../base/config.js';
import { createResponse, type RemotingCommand } from '../../protocol/remoting-command.js';
import { ResponseCode } from '../../protocol/response-code.js';

export const FAQ_SUFFIX = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';

/** What Java's answers say whose processor sets the code only; clients see it (storage 28, 12). */
export const REMARK_NEVER_SET = 'not set any response code';

export function success(request: RemotingCommand, body: Buffer | null = null): RemotingCommand {
  const response = createResponse(request, ResponseCode.SUCCESS);
  response.body = body;
  return response;
}

/** For processors whose answers have a header class: extFields are there even when they are empty. */
export function successWithHeader(
  request: RemotingCommand,
  extFields: Record<string, string> = {},
  body: Buffer | null = null,
): RemotingCommand {
  const response = success(request, body);
  response.extFields = extFields;
  return response;
}

export function successWithStaleRemark(
  request: RemotingCommand,
  body: Buffer | null = null,
): RemotingCommand {
  const response = createResponse(request, ResponseCode.SUCCESS, REMARK_NEVER_SET);
  response.body = body;
  return response;
}

export function failure(request: RemotingCommand, code: number, remark: string): RemotingCommand {
  return createResponse(request, code, remark);
}

export function failureWithHeader(
  request: RemotingCommand,
  code: number,
  remark: string,
): RemotingCommand {
  const response = createResponse(request, code, remark);
  response.extFields = {};
  return response;
}

/** Null on a master: only there topics and groups may be changed. */
export function slaveGuard(
  request: RemotingCommand,
  config: Pick<BrokerConfig, 'brokerRole'>,
): RemotingCommand | null {
  if (config.brokerRole !== 'SLAVE') return null;
  return failure(
    request,
    ResponseCode.SYSTEM_ERROR,
    "Can't modify topic or subscription group from slave broker, " +
      'please execute it from master broker.',
  );
}

export function isBlank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === '';
}
