// Room: broker, main thread. A reply that was made when its record was appended, said again with what became of it since: the sync or
// the slave was too slow (10, 11, 12: the message is stored, and the offsets stay), or the store failed (14).

import { putOutcome } from '../processor/put-outcome.js';
import { decodeFrame, encodeFrame } from '../protocol/frame-codec.js';
import { PutMessageStatus } from '../store/put-message.js';

const FAILED_DISK_TEXT = 'CL: -1.00 CQ: -1.00 INDEX: -1.00';

export function restateReply(frame: Buffer, status: PutMessageStatus): Buffer {
  const reply = decodeFrame(frame);
  const outcome = putOutcome(status, 0, () => FAILED_DISK_TEXT);
  reply.code = outcome.code;
  reply.remark = outcome.remark;
  if (status === PutMessageStatus.SERVICE_NOT_AVAILABLE && reply.extFields !== null) {
    // Nothing of this record is promised any more.
    for (const name of ['msgId', 'queueId', 'queueOffset']) delete reply.extFields[name];
  }
  return encodeFrame(reply);
}
