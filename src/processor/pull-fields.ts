// Room: processor. The fields of a PULL_MESSAGE request that the dispatch worker reads.

import { FieldNames } from './header-scan.js';

export const PullField = {
  consumerGroup: 0,
  topic: 1,
  queueId: 2,
  queueOffset: 3,
  maxMsgNums: 4,
  sysFlag: 5,
  commitOffset: 6,
  suspendTimeoutMillis: 7,
  subscription: 8,
  subVersion: 9,
  expressionType: 10,
} as const;

export const PULL_FIELDS = new FieldNames(Object.keys(PullField).map((name) => [name]));
