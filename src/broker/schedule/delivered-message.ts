// Room: broker, main thread. A record of SCHEDULE_TOPIC_XXXX as the message that it becomes when its delay is over (storage.md
// 18). Pure. Its properties stay as they are, DELAY, REAL_TOPIC and REAL_QID among them; so does its store host, and it waits
// for no flush and no slave: who sent it has had his answer. Runs once for each message of a burst, so it copies nothing: the
// message refers to the record.

import { getLogger } from '../../base/logger.js';
import { PROPERTY_REAL_QUEUE_ID, PROPERTY_REAL_TOPIC } from '../../message/message-const.js';
import { recordLayout } from '../../message/message-decoder.js';
import {
  BORN_HOST_POSITION,
  BORN_TIMESTAMP_POSITION,
  FLAG_POSITION,
  readInt32,
  readInt64,
  reconsumeTimesPosition,
  storeHostPosition,
  storeTimestampPosition,
} from '../../message/message-layout.js';
import { PropertyScan } from '../../message/property-scan.js';
import { TRANS_HALF_TOPIC } from '../../message/topic-validator.js';
import type { MessageToPut } from '../../store/message-store.js';

const log = getLogger('broker.schedule');
const PORT_BYTES = 4;
const scan = new PropertyScan([PROPERTY_REAL_TOPIC, PROPERTY_REAL_QUEUE_ID]);
const REAL_TOPIC = 0;
const REAL_QUEUE_ID = 1;

/** Null for what is not delivered: no message, or a half message, whose transaction could not be ended any more. */
export function deliveredMessage(record: Buffer): MessageToPut | null {
  const layout = recordLayout(record, 0);
  if (layout === null) return leftOut('it is no record');
  const { sysFlag, bodyStart, topicStart, propertiesStart, end } = layout;
  scan.scan(record, propertiesStart, end - propertiesStart);
  const topic = scan.valueText(REAL_TOPIC);
  if (topic === null) return leftOut('it has no REAL_TOPIC');
  if (topic === TRANS_HALF_TOPIC) return leftOut('it is a half message');
  const bornPortAt = storeTimestampPosition(sysFlag) - PORT_BYTES;
  const storeHostAt = storeHostPosition(sysFlag);
  const storePortAt = reconsumeTimesPosition(sysFlag) - PORT_BYTES;
  return {
    topic,
    queueId: scan.valueInt(REAL_QUEUE_ID, 0),
    flag: readInt32(record, FLAG_POSITION),
    sysFlag,
    bornTimestamp: readInt64(record, BORN_TIMESTAMP_POSITION),
    bornHost: record.subarray(BORN_HOST_POSITION, bornPortAt),
    bornPort: readInt32(record, bornPortAt),
    storeHost: {
      address: record.subarray(storeHostAt, storePortAt),
      port: readInt32(record, storePortAt),
    },
    reconsumeTimes: readInt32(record, reconsumeTimesPosition(sysFlag)),
    preparedTransactionOffset: 0,
    body: record.subarray(bodyStart, topicStart - 1),
    properties: record.toString('utf8', propertiesStart, end),
    waitStoreMsgOk: false,
    isDelayServed: true,
  };
}

function leftOut(why: string): null {
  log.error(`a record of the schedule topic is not delivered: ${why}`);
  return null;
}
