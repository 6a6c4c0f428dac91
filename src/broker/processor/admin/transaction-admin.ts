// Room: broker, main thread. Code 323: an operator wants the producer of a half message to be asked anew, e.g. after the check
// gave it up. The half is stored again with its counter at 0.

import { decodeMessage } from '../../../message/message-decoder.js';
import { decodeMessageId } from '../../../message/message-id.js';
import { requireText } from '../../../protocol/header-fields.js';
import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import { ResponseCode } from '../../../protocol/response-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import { PutMessageStatus } from '../../../store/put-message.js';
import type { BrokerContext } from '../../broker-context.js';
import { resumedHalf } from '../../transaction/half-message.js';
import { failure, success } from '../answers.js';

export function registerTransactionAdmin(
  dispatcher: RequestDispatcher,
  broker: BrokerContext,
): void {
  dispatcher.register([RequestCode.RESUME_CHECK_HALF_MESSAGE], (request) =>
    resumeCheckHalfMessage(broker, request),
  );
}

/** The id is of the half, or of its copy in TRANS_CHECK_MAX_TIME_TOPIC, which a tool shows. */
async function resumeCheckHalfMessage(
  broker: BrokerContext,
  request: RemotingCommand,
): Promise<RemotingCommand> {
  const { physicalOffset } = decodeMessageId(requireText(request, 'msgId'));
  const record = await broker.store.lookMessageByOffset(physicalOffset);
  const half = record === null ? null : decodeMessage(record, 0);
  if (half === null) {
    return failure(
      request,
      ResponseCode.SYSTEM_ERROR,
      'Exception was thrown when putting message back to RMQ_SYS_TRANS_HALF_TOPIC.',
    );
  }
  const { status } = await broker.store.put(resumedHalf(half));
  if (status === PutMessageStatus.PUT_OK) return success(request);
  const remark = 'Put message back to RMQ_SYS_TRANS_HALF_TOPIC failed.';
  return failure(request, ResponseCode.SYSTEM_ERROR, remark);
}
