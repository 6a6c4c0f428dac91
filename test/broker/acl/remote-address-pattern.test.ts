import { describe, expect, it } from 'vitest';
import { addressBytes } from '../../../src/base/net-address.js';
import { parseAddressPattern } from '../../../src/broker/acl/remote-address-pattern.js';

function matches(pattern: string | null, address: string): boolean {
  return parseAddressPattern(pattern)(addressBytes(address));
}

describe('a pattern of addresses', () => {
  it.each([
    ['*', '10.1.2.3', '::1'],
    ['*.*.*.*', '10.1.2.3', '::1'],
    ['*:*:*:*:*:*:*:*', '10.1.2.3', '::1'],
    [' 10.1.2.3 ', '10.1.2.3', '::ffff:10.1.2.3'],
    ['10.1.2.*', '10.1.2.0', '10.1.2.255'],
    ['10.1.*.*', '10.1.0.1', '10.1.255.0'],
    ['10.1.2.1-100', '10.1.2.1', '10.1.2.100'],
    ['10.1.1-10.*', '10.1.1.7', '10.1.10.255'],
    ['10.1.2.3,10.1.2.5', '10.1.2.3', '10.1.2.5'],
    ['10.1.2.{3,5}', '10.1.2.3', '10.1.2.5'],
    ['fd00::2', 'FD00:0:0:0:0:0:0:2', 'fd00::0:2'],
    ['fd00::1-20:*', 'fd00::1:0', 'fd00::20:ffff'],
    ['5:6:7:8:9:a:b:*', '5:6:7:8:9:a:b:0', '5:6:7:8:9:A:B:ffff'],
    ['fd00::{1,a}', 'fd00::1', 'fd00::A'],
    ['fd00::1,10.1.2.3', 'fd00::1', '10.1.2.3'],
  ])('%s means %s and %s', (pattern, one, another) => {
    expect(matches(pattern, one)).toBe(true);
    expect(matches(pattern, another)).toBe(true);
  });

  it.each([
    ['10.1.2.3', '10.1.2.30', 'fd00::a01:203'],
    ['10.1.2.*', '10.1.20.1', '110.1.2.1'],
    ['10.1.2.1-100', '10.1.2.0', '10.1.2.101'],
    ['10.1.1-10.*', '10.1.0.1', '10.1.11.1'],
    ['10.1.1-10.5', '10.1.1.6', '10.1.11.5'],
    ['10.1.2.3,10.1.2.5', '10.1.2.4', '::1'],
    ['10.1.2.{3,5}', '10.1.2.4', '10.1.3.3'],
    ['fd00::2', 'fd00::3', 'fd00::2:2'],
    ['fd00::1-20:*', 'fd00::21:0', 'fd00:1::1:0'],
    ['fd00::*', 'fd00::1:1', '10.0.0.1'],
  ])('%s means neither %s nor %s', (pattern, one, another) => {
    expect(matches(pattern, one)).toBe(false);
    expect(matches(pattern, another)).toBe(false);
  });

  it('matches nothing when it is blank', () => {
    for (const blank of [null, '', '  ']) expect(matches(blank, '10.1.2.3')).toBe(false);
  });

  it.each([
    '10.1.2',
    '10.1.2.',
    '10.1.2.256',
    '10.1.*',
    '10.1.2.5-1',
    '10.1.2.-5',
    '10.1.2.1-300',
    '10.1.2.1-2-3',
    '10.1.2.3,10.1.2.*',
    '10.1.2.3}',
    '10.1.2{3,4}',
    '10.1.2.{a}',
    'fd00:1:*',
    'fd00::1::*',
    '1:2:3:4:5:6:7:8::*',
    'fd00::12345-20',
    'host.example.org',
    '**',
  ])('%s is refused', (pattern) => {
    expect(() => parseAddressPattern(pattern)).toThrow('Netaddress examine Exception');
  });
});
