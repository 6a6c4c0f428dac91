import { describe, expect, it } from 'vitest';
import {
  isOutsideQueue,
  transactionType,
  withHostFlags,
  withTransactionType,
} from '../../src/message/message-sys-flag.js';

describe('sysFlag', () => {
  it('takes a transaction type without losing other bits', () => {
    expect(withTransactionType(0x315, 0x8)).toBe(0x319);
    expect(transactionType(0x319)).toBe(0x8);
    expect(withTransactionType(0x30d, 0)).toBe(0x301);
  });

  it('keeps prepared and rolled-back records out of queues', () => {
    expect([0, 4, 8, 12].map(isOutsideQueue)).toEqual([false, true, false, true]);
  });

  it('never keeps the IPv6 bits that a client claims', () => {
    expect(withHostFlags(0x31, false, false)).toBe(0x01);
    expect(withHostFlags(0x01, true, false)).toBe(0x11);
    expect(withHostFlags(0x10, false, true)).toBe(0x20);
  });
});
