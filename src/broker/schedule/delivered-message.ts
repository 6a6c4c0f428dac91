// Room: broker, main thread. A record of SCHEDULE_TOPIC_XXXX as the message that it becomes when its delay is over (storage.md
// 18). Pure. Its properties stay as they are, DELAY, REAL_TOPIC and REAL_QID among them; so does its store host, and it waits
// for no flush and no slave: who sent it has had his answer.

import { getLogger } from '../../base/logger.js';
import { PROPERTY_REAL_QUEUE_ID, PROPERTY_REAL_TOPIC } from '../../message/message-const.js';
import { decodeMessage } from '../../message/message-decoder.js';
import { TRANS_HALF_TOPIC } from '../../message/topic-validator.js';
import type { MessageToPut } from '../../store/message-store.js';

const log = getLogger('broker.schedule');

/** Null for what is not delivered: no message, or a half message, whose transaction could not be ended any more. */
export function deliveredMessage(record: Buffer): MessageToPut | null {
  const message = decodeMessage(record, 0);
  const topic = message?.properties.get(PROPERTY_REAL_TOPIC);
  if (message === null || topic === undefined) {
    log.error('a record of the schedule topic is no delayed message and is left out');
    return null;
  }
  if (topic === TRANS_HALF_TOPIC) {
    const msgId = message.offsetMsgId;
    log.error('a delayed half message is left out', { msgId });
    return null;
  }
  const queueId = Number.parseInt(message.properties.get(PROPERTY_REAL_QUEUE_ID) ?? '0', 10);
  return {
    topic,
    queueId: Number.isNaN(queueId) ? 0 : queueId,
    flag: message.flag,
    sysFlag: message.sysFlag,
    bornTimestamp: message.bornTimestamp,
    bornHost: message.bornHost.address,
    bornPort: message.bornHost.port,
    storeHost: message.storeHost,
    reconsumeTimes: message.reconsumeTimes,
    preparedTransactionOffset: 0,
    body: message.body,
    properties: message.propertiesText,
    waitStoreMsgOk: false,
    isDelayServed: true,
  };
}
