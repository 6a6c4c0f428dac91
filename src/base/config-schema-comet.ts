// Room: base. Any thread. Properties of our own, and Java's system properties that a Java server takes from its command line
// (tls.*): both are read from the same files. A default that is not Java's would say so by `javaDefault`; none does.

import { bool, choice, int, optionalText, type PropertyTable, text } from './config-property.js';

/** Where and how a server listens; broker and name server alike. */
export const listenerProperties = {
  /** All addresses, as in Java; only `cometmq start` asks for loopback. */
  bindAddress: text('0.0.0.0', { important: true }),
  maxConnections: int(20_000, { min: 1 }),
  logLevel: choice('LogLevel', ['debug', 'info', 'warn', 'error', 'silent'], 'info', {
    change: 'hot',
  }),
  'tls.server.mode': choice('TlsMode', ['disabled', 'permissive', 'enforcing'], 'permissive'),
  'tls.test.mode.enable': bool(true),
  'tls.server.keyPath': optionalText(),
  'tls.server.keyPassword': optionalText(),
  'tls.server.certPath': optionalText(),
  'tls.server.authClient': bool(false),
  'tls.server.trustCertPath': optionalText(),
  'tls.server.need.client.auth': choice('ClientAuth', ['none', 'optional', 'require'], 'none'),
} as const satisfies PropertyTable;

export const cometBrokerProperties = {
  /** Starts although consumerOffset.json and its backup can not be read: groups then begin anew. */
  acceptEmptyOffsets: bool(false),
  /** Deleting a topic also deletes the offsets that groups have in it; Java keeps them. */
  deleteOffsetsWithTopic: bool(false, { change: 'hot' }),
  /** After this long a clean stop is given up. */
  shutdownTimeoutMs: int(45_000, { min: 100 }),
} as const satisfies PropertyTable;
