// Room: message. Any thread. The bits of a message's sysFlag (storage.md 3.2). The IPv6 bits are set by the broker from the
// class of the address, never taken from a client.

export const COMPRESSED_FLAG = 0x1;
export const MULTI_TAGS_FLAG = 0x2;

export const TRANSACTION_NOT_TYPE = 0x0;
export const TRANSACTION_PREPARED_TYPE = 0x4;
export const TRANSACTION_COMMIT_TYPE = 0x8;
export const TRANSACTION_ROLLBACK_TYPE = 0xc;
const TRANSACTION_MASK = 0xc;

export const BORNHOST_V6_FLAG = 0x10;
export const STOREHOST_V6_FLAG = 0x20;

/** Bits 8 to 10 tell how the body is compressed; they mean something only beside COMPRESSED_FLAG. */
export const COMPRESSION_TYPE_MASK = 0x700;
export const COMPRESSION_TYPE_SHIFT = 8;

/** One of the four TRANSACTION_ types. */
export function transactionType(sysFlag: number): number {
  return sysFlag & TRANSACTION_MASK;
}

export function withTransactionType(sysFlag: number, type: number): number {
  return (sysFlag & ~TRANSACTION_MASK) | type;
}

/** Prepared and rolled-back records have no place in a queue: their queue offset is 0 and nothing is dispatched. */
export function isOutsideQueue(sysFlag: number): boolean {
  const type = transactionType(sysFlag);
  return type === TRANSACTION_PREPARED_TYPE || type === TRANSACTION_ROLLBACK_TYPE;
}

export function withHostFlags(sysFlag: number, bornV6: boolean, storeV6: boolean): number {
  return (
    (sysFlag & ~(BORNHOST_V6_FLAG | STOREHOST_V6_FLAG)) |
    (bornV6 ? BORNHOST_V6_FLAG : 0) |
    (storeV6 ? STOREHOST_V6_FLAG : 0)
  );
}
