// Room: remoting. Main thread, at the first TLS hello. A self-signed certificate for TLS test mode, as Java's server makes one:
// it hides the traffic from onlookers and proves nothing about who is there. Node can sign but not write X.509, hence this DER.
//
//   Certificate ::= SEQUENCE { tbs, ecdsa-with-SHA256, BIT STRING }
//   tbs         ::= SEQUENCE { [0] v3, serial, algorithm, issuer, validity, subject, key }

import { generateKeyPairSync, sign } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { type Prng, systemPrng } from '../base/prng.js';

const DAY_MS = 86_400_000;
const VALID_DAYS = 3650;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const EXPLICIT_0 = 0xa0;

const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');

export interface KeyAndCertificate {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
}

export function createSelfSigned(
  commonName: string,
  clock: Clock,
  prng: Prng = systemPrng,
): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OID, ECDSA_WITH_SHA256));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OID, COMMON_NAME), der(UTF8_STRING, Buffer.from(commonName)))),
  );
  const nowMs = clock.nowMs();
  const tbs = der(
    SEQUENCE,
    der(EXPLICIT_0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serialNumber(prng)),
    algorithm,
    name,
    der(SEQUENCE, time(nowMs - DAY_MS), time(nowMs + VALID_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', tbs, privateKey);
  const certificate = der(
    SEQUENCE,
    tbs,
    algorithm,
    der(BIT_STRING, Buffer.concat([Buffer.from([0]), signature])),
  );
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', certificate),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), derLength(content.length), content]);
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}

/** Eight positive bytes that do not begin with zero. */
function serialNumber(prng: Prng): Buffer {
  const bytes = Buffer.from(Array.from({ length: 8 }, () => prng.nextInt(256)));
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

/** UTCTime has two digits for the year and ends with 2049. */
function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return digits < '2050'
    ? der(UTC_TIME, Buffer.from(digits.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(digits));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
