import { describe, expect, it } from 'vitest';
import { addressBytes, formatIp } from '../../src/base/net-address.js';
import { createMessageId, decodeMessageId } from '../../src/message/message-id.js';
import { goldenJson } from '../golden-data.js';

interface Micro {
  readonly messageId: {
    readonly ip: string;
    readonly port: number;
    readonly off: string;
    readonly id: string;
  }[];
}

const { messageId: vectors } = goldenJson<Micro>('micro.json');

describe('the offset message id', () => {
  it.each(vectors)('is what Java makes of $ip:$port $off', ({ ip, port, off, id }) => {
    expect(createMessageId(addressBytes(ip), port, Number(off))).toBe(id);
  });

  it.each(vectors.filter((vector) => vector.off.length < 16))(
    '$id tells where it came from',
    (vector) => {
      const { address, port, physicalOffset } = decodeMessageId(vector.id.toLowerCase());
      expect(formatIp(address)).toBe(formatIp(addressBytes(vector.ip)));
      expect([port, physicalOffset]).toEqual([vector.port, Number(vector.off)]);
    },
  );

  it.each([
    '',
    '7F',
    'x'.repeat(32),
    `${'0'.repeat(16)}8000000000000000`,
    `${'0'.repeat(16)}7FFFFFFFFFFFFFFF`,
  ])('is refused when it is "%s"', (id) => {
    expect(() => decodeMessageId(id)).toThrow(/message id/);
  });
});
