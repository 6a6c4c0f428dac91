import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { createSelfSigned } from '../../src/remoting/self-signed.js';

test.each([
  ['2026', Date.UTC(2026, 0, 1)],
  ['2049, whose end needs the longer form of time', Date.UTC(2049, 11, 30)],
  ['2060', Date.UTC(2060, 0, 1)],
])('is a valid certificate of its own key in %s', (_name, nowMs) => {
  const certificate = new X509Certificate(createSelfSigned('comet', new ManualClock(nowMs)).cert);
  expect(certificate.subject).toBe('CN=comet');
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(Date.parse(certificate.validFrom)).toBe(nowMs - 86_400_000);
  expect(Date.parse(certificate.validTo)).toBe(nowMs + 3650 * 86_400_000);
  expect(certificate.serialNumber).toMatch(/^[4-7][0-9A-F]{15}$/);
});

test('two certificates have different keys', () => {
  const clock = new ManualClock();
  expect(createSelfSigned('a', clock).key).not.toBe(createSelfSigned('a', clock).key);
});
