// Room: base. Any thread. Addresses as RocketMQ writes them: 4 or 16 bytes in records and ids, "ip:port" text elsewhere, IPv6
// in Java's long form without brackets (fd00:0:0:0:0:0:0:2:10911). IPv4 inside IPv6 (::ffff:1.2.3.4) counts as IPv4.

import { isIPv4, isIPv6 } from 'node:net';
import { cometError } from './errors.js';

export interface HostPort {
  /** 4 or 16 bytes. */
  readonly address: Buffer;
  readonly port: number;
}

/** Reads "1.2.3.4:10911", "[::1]:10911" and "0:0:0:0:0:0:0:1:10911"; names of hosts are refused (ADDRESS_INVALID). */
export function parseHostPort(text: string): HostPort {
  const { host, port } = splitHostPort(text);
  return { address: addressBytes(host), port };
}

/** Splits at the last colon, as Java does; the host may be a name. */
export function splitHostPort(text: string): { host: string; port: number } {
  const trimmed = text.trim();
  const colon = trimmed.lastIndexOf(':');
  const portText = trimmed.slice(colon + 1);
  let host = trimmed.slice(0, Math.max(colon, 0));
  if (host.startsWith('[') && host.endsWith(']')) host = host.slice(1, -1);
  const port = Number(portText);
  if (host === '' || !/^\d{1,5}$/.test(portText) || port > 65_535) {
    throw cometError('ADDRESS_INVALID', `"${text}" is not host:port`);
  }
  return { host, port };
}

/** The 4 or 16 bytes of an IP text; throws ADDRESS_INVALID on anything else. */
export function addressBytes(ip: string): Buffer {
  if (isIPv4(ip)) return ipv4Bytes(ip);
  const zone = ip.indexOf('%');
  const plain = zone < 0 ? ip : ip.slice(0, zone);
  if (!isIPv6(plain)) throw cometError('ADDRESS_INVALID', `"${ip}" is no IP address`);
  const bytes = ipv6Bytes(plain);
  return isMappedIpv4(bytes) ? bytes.subarray(12) : bytes;
}

/** "ip:port" in Java's form. */
export function formatAddress(bytes: Uint8Array, port: number): string {
  return `${formatIp(bytes)}:${port}`;
}

/** The IP text of 4 or 16 bytes in Java's form: IPv6 in eight groups, never shortened. */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (bytes.length !== 16) {
    throw cometError('ADDRESS_INVALID', `${bytes.length} bytes are no IP address`);
  }
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) {
    groups.push((((bytes[i] as number) << 8) | (bytes[i + 1] as number)).toString(16));
  }
  return groups.join(':');
}

function ipv4Bytes(ip: string): Buffer {
  return Buffer.from(ip.split('.').map(Number));
}

function ipv6Bytes(ip: string): Buffer {
  const bytes = Buffer.alloc(16);
  const [head = '', tail] = ip.split('::');
  writeGroups(bytes, 0, groupsOf(head));
  if (tail !== undefined) {
    const groups = groupsOf(tail);
    writeGroups(bytes, 16 - 2 * groups.length, groups);
  }
  return bytes;
}

/** The 16-bit groups of a part; a dotted end stands for two of them. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  const groups: number[] = [];
  for (const piece of part.split(':')) {
    if (piece.includes('.')) {
      const four = ipv4Bytes(piece);
      groups.push(four.readUInt16BE(0), four.readUInt16BE(2));
    } else {
      groups.push(Number.parseInt(piece, 16));
    }
  }
  return groups;
}

function writeGroups(bytes: Buffer, position: number, groups: readonly number[]): void {
  for (const [i, group] of groups.entries()) bytes.writeUInt16BE(group, position + 2 * i);
}

function isMappedIpv4(bytes: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}
