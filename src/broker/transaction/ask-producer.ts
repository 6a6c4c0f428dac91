// Room: broker, main thread. CHECK_TRANSACTION_STATE (39) to a producer of the half's group: what became of this transaction? The
// answer is an END_TRANSACTION (37), if there is any. Oneway; nothing waits for it.

import {
  PROPERTY_PRODUCER_GROUP,
  PROPERTY_UNIQUE_CLIENT_MESSAGE_ID_KEYIDX,
} from '../../message/message-const.js';
import type { MessageExt } from '../../message/message-ext.js';
import { createMessageId } from '../../message/message-id.js';
import type { PutMessageResult } from '../../store/message-store.js';
import type { BrokerContext } from '../broker-context.js';
import { checkedRecord, realQueueOf } from './half-message.js';

/** OFFLINE: nobody of the group is there. UNUSABLE: the half does not say whose it is, or where it belongs. */
export type AskOutcome = 'ASKED' | 'OFFLINE' | 'UNUSABLE';

/**
 * @param half as it was found
 * @param stored where it was stored anew: the answer has to name that place
 */
export function askProducer(
  broker: Pick<BrokerContext, 'producers' | 'brokerToClient'>,
  half: MessageExt,
  stored: PutMessageResult,
): AskOutcome {
  const group = half.properties.get(PROPERTY_PRODUCER_GROUP);
  const real = realQueueOf(half);
  if (group === undefined || real === null) return 'UNUSABLE';
  const producer = broker.producers.nextAvailable(group);
  if (producer === null) return 'OFFLINE';
  const uniqueKey = half.properties.get(PROPERTY_UNIQUE_CLIENT_MESSAGE_ID_KEYIDX);
  const { address, port } = half.storeHost;
  // In the order of Java's header class: two of the names share a bucket of its HashMap.
  const fields = {
    tranStateTableOffset: String(stored.queueOffset),
    commitLogOffset: String(stored.physicalOffset),
    ...(uniqueKey === undefined ? {} : { msgId: uniqueKey, transactionId: uniqueKey }),
    offsetMsgId: createMessageId(address, port, stored.physicalOffset),
  };
  const record = checkedRecord(half, real, stored);
  broker.brokerToClient.checkTransactionState(producer.connection, fields, record);
  return 'ASKED';
}
