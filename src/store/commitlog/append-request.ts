// Room: store. Commitlog worker. One message on its way into the log. A caller keeps one and fills it again and again, so that an
// append allocates nothing. Bytes are borrowed: they must not change until the append returns.

import { MAX_PROPERTIES_BYTES } from '../../base/limits.js';
import { PutMessageStatus } from '../put-message.js';

const NONE = new Uint8Array(0);
const NO_ADDRESS = new Uint8Array(4);

export class AppendRequest {
  topic = '';
  queueId = 0;
  /** The client's, any int32. */
  flag = 0;
  /** The IPv6 bits are set by the log. */
  sysFlag = 0;
  bornTimestamp = 0;
  /** 4 or 16 bytes. */
  bornHost: Uint8Array = NO_ADDRESS;
  bornPort = 0;
  /** 4 or 16 bytes; empty for the broker's own address and port. */
  storeHost: Uint8Array = NONE;
  storePort = 0;
  reconsumeTimes = 0;
  preparedTransactionOffset = 0;
  body: Uint8Array = NONE;
  bodyStart = 0;
  bodyLength = 0;
  /** The text that is stored, UTF-8; for a batch the text that every message of it gets. */
  properties: Uint8Array = NONE;
  propertiesStart = 0;
  propertiesLength = 0;

  useOwnStoreHost(): void {
    this.storeHost = NONE;
    this.storePort = 0;
  }
}

/** The status of a text that is too long: Java counts characters first, then bytes. */
export function propertiesTooLong(request: AppendRequest): PutMessageStatus {
  const { properties, propertiesStart, propertiesLength } = request;
  const bytes = properties.subarray(propertiesStart, propertiesStart + propertiesLength);
  return Buffer.from(bytes).toString('utf8').length > MAX_PROPERTIES_BYTES
    ? PutMessageStatus.MESSAGE_ILLEGAL
    : PutMessageStatus.PROPERTIES_SIZE_EXCEEDED;
}
