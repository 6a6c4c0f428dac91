// Room: message. Any thread. A stored message with everything that its record says. Java: MessageExt.
// 64-bit fields are numbers, exact within the safe integers; decoders that must be exact beyond read the bytes themselves.

import type { HostPort } from '../base/net-address.js';

export interface MessageExt {
  readonly storeSize: number;
  readonly bodyCrc: number;
  readonly queueId: number;
  readonly flag: number;
  readonly queueOffset: number;
  readonly physicalOffset: number;
  readonly sysFlag: number;
  readonly bornTimestamp: number;
  readonly bornHost: HostPort;
  readonly storeTimestamp: number;
  readonly storeHost: HostPort;
  readonly reconsumeTimes: number;
  readonly preparedTransactionOffset: number;
  /** As stored: compressed when sysFlag says so. */
  readonly body: Buffer;
  readonly topic: string;
  readonly propertiesText: string;
  readonly properties: Map<string, string>;
  /** The offset message id; what the Java API shows as msgId is UNIQ_KEY where there is one. */
  readonly offsetMsgId: string;
}

/** What an encoder needs to write a record; the length fields follow from the rest. */
export type MessageFields = Omit<
  MessageExt,
  'storeSize' | 'bodyCrc' | 'properties' | 'offsetMsgId'
>;
