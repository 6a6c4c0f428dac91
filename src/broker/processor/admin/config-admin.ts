// Room: broker, main thread. Codes 25 and 26: the configuration over the wire. What may change and how it is kept is
// base/config-update's; here it meets the registered table, whose version tools read with it.

import { encodeDataVersion } from '../../../protocol/bodies/topic-config.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import { failure, success, successWithHeader } from '../answers.js';

export function registerConfigAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  dispatcher.register([RequestCode.UPDATE_BROKER_CONFIG], (request) =>
    updateBrokerConfig(broker, request),
  );
  dispatcher.register([RequestCode.GET_BROKER_CONFIG], (request) =>
    getBrokerConfig(broker, request),
  );
}

/** Taken whole or not at all; the answer says what waits for a restart (bug report 27). */
async function updateBrokerConfig(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  if (request.body === null) return success(request);
  const outcome = await broker.configuration.update(request.body.toString('utf8'));
  if (!outcome.ok) {
    const code =
      outcome.reason === 'forbidden' ? ResponseCode.NO_PERMISSION : ResponseCode.SYSTEM_ERROR;
    return failure(request, code, outcome.remark);
  }
  const response = success(request);
  if (outcome.needRestart.length > 0) {
    response.remark = `kept, in force after a restart: ${outcome.needRestart.join(', ')}`;
  }
  return response;
}

function getBrokerConfig(broker: BrokerContext, request: RemotingCommand): RemotingCommand {
  const version = encodeDataVersion(broker.topics.dataVersion).toString('utf8');
  return successWithHeader(request, { version }, Buffer.from(broker.configuration.text()));
}
