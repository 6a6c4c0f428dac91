// Room: protocol. Any thread. Entries of a ConsumeQueue as a tool sees them (protocol.md 4.7): answer of QUERY_CONSUME_QUEUE (321).
//
//   {"filterData":S?,"maxQueueIndex":L,"minQueueIndex":L,"queueData":[{"bitMap":S?,"eval":B,"extendDataJson":S?,"msg":S?,
//    "physicOffset":L,"physicSize":I,"tagsCode":L}],"subscriptionData":SubscriptionData?}

import {
  type BodyText,
  booleanMember,
  encodeJsonBody,
  intMember,
  type Long,
  listMember,
  longMember,
  objectOf,
  parseJsonBody,
  textMember,
} from './json-body.js';
import { readSubscriptionData, type SubscriptionData } from './subscription-data.js';

export interface ConsumeQueueData {
  readonly bitMap?: string | null;
  readonly eval: boolean;
  readonly extendDataJson?: string | null;
  readonly msg?: string | null;
  readonly physicOffset: Long;
  readonly physicSize: number;
  readonly tagsCode: Long;
}

export interface QueryConsumeQueueBody {
  readonly filterData: string | null;
  readonly maxQueueIndex: Long;
  readonly minQueueIndex: Long;
  readonly queueData: readonly ConsumeQueueData[];
  readonly subscriptionData: SubscriptionData | null;
}

export function encodeQueryConsumeQueueBody(body: QueryConsumeQueueBody): Buffer {
  return encodeJsonBody(body);
}

export function decodeQueryConsumeQueueBody(body: BodyText): QueryConsumeQueueBody {
  const object = parseJsonBody(body);
  const subscription = object['subscriptionData'] ?? null;
  return {
    filterData: textMember(object, 'filterData'),
    maxQueueIndex: longMember(object, 'maxQueueIndex'),
    minQueueIndex: longMember(object, 'minQueueIndex'),
    queueData: listMember(object, 'queueData', readQueueData),
    subscriptionData:
      subscription === null ? null : readSubscriptionData(subscription, 'subscriptionData'),
  };
}

function readQueueData(value: unknown, what: string): ConsumeQueueData {
  const object = objectOf(value, what);
  return {
    bitMap: textMember(object, 'bitMap'),
    eval: booleanMember(object, 'eval'),
    extendDataJson: textMember(object, 'extendDataJson'),
    msg: textMember(object, 'msg'),
    physicOffset: longMember(object, 'physicOffset'),
    physicSize: intMember(object, 'physicSize'),
    tagsCode: longMember(object, 'tagsCode'),
  };
}
