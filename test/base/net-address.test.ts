import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressBytes,
  formatAddress,
  formatIp,
  parseHostPort,
  splitHostPort,
} from '../../src/base/net-address.js';

describe('addresses', () => {
  it.each([
    ['1.2.3.4:10911', '01020304', 10911, '1.2.3.4:10911'],
    ['[::1]:80', `${'00'.repeat(15)}01`, 80, '0:0:0:0:0:0:0:1:80'],
    ['fd00:0:0:0:0:0:0:2:1', `fd00${'00'.repeat(13)}02`, 1, 'fd00:0:0:0:0:0:0:2:1'],
    ['[fe80::1%eth0]:0', `fe80${'00'.repeat(13)}01`, 0, 'fe80:0:0:0:0:0:0:1:0'],
    ['[1:2::7:8]:65535', '00010002000000000000000000070008', 65535, '1:2:0:0:0:0:7:8:65535'],
    ['::ffff:10.0.0.1:5', '0a000001', 5, '10.0.0.1:5'],
    ['[64:ff9b::1.2.3.4]:5', '0064ff9b000000000000000001020304', 5, '64:ff9b:0:0:0:0:102:304:5'],
  ])('are read from %s and written as Java writes them', (text, hex, port, java) => {
    const parsed = parseHostPort(text);
    expect(parsed.address.toString('hex')).toBe(hex);
    expect(parsed.port).toBe(port);
    expect(formatAddress(parsed.address, parsed.port)).toBe(java);
  });

  it.each([
    '',
    'x',
    '1.2.3.4',
    '1.2.3.4:',
    ':80',
    '1.2.3.4:70000',
    '1.2.3.4:x',
    '1.2.3:80',
    'host:80',
  ])('are refused when they are "%s"', (text) => {
    expect(() => parseHostPort(text)).toThrow(/no address/);
  });

  it('survive the way to text and back, in both lengths', () => {
    const bytes = fc
      .constantFrom(4, 16)
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
      .filter((it) => it.length === 4 || it.subarray(0, 10).some((byte) => byte !== 0));
    fc.assert(
      fc.property(bytes, (it) => {
        expect([...addressBytes(formatIp(it))]).toEqual([...it]);
      }),
    );
    expect(() => formatIp(new Uint8Array(5))).toThrow(/5 bytes/);
  });

  it('may have a name for a host only where they are just split', () => {
    expect(splitHostPort(' broker-a.example:10911 ')).toEqual({
      host: 'broker-a.example',
      port: 10911,
    });
  });
});
