// Room: remoting. Main thread. How a server treats the first byte of a connection (protocol.md 1.8) and with which certificate,
// and how a client dials. Java's tls.* names and defaults: permissive, with a self-signed certificate when none is configured.
// Always holds: TLS 1.2 or newer, no renegotiation; files are read once, at start, so that a wrong path is told there.

import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import {
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  TLSSocket,
} from 'node:tls';
import { type Clock, systemClock } from '../base/clock.js';
import { cometError } from '../base/errors.js';
import { getLogger } from '../base/logger.js';
import { createSelfSigned } from './self-signed.js';

export type TlsMode = 'disabled' | 'permissive' | 'enforcing';

/** The tls.server.* part of a broker's or name server's configuration. */
export interface TlsServerConfig {
  readonly 'tls.server.mode': TlsMode;
  readonly 'tls.test.mode.enable': boolean;
  readonly 'tls.server.keyPath': string | null;
  readonly 'tls.server.keyPassword': string | null;
  readonly 'tls.server.certPath': string | null;
  readonly 'tls.server.authClient': boolean;
  readonly 'tls.server.trustCertPath': string | null;
  readonly 'tls.server.need.client.auth': 'none' | 'optional' | 'require';
}

const SAFE_OPTIONS: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

export class TlsPolicy {
  readonly mode: TlsMode;
  readonly #clock: Clock;
  readonly #clientAuth: 'none' | 'optional' | 'require';
  /** Whether a client's certificate must be signed by an authority of trustCertPath. */
  readonly #verifiesClients: boolean;
  readonly #files: SecureContextOptions | null;
  #context: SecureContext | null = null;

  /** Throws CONFIG_INVALID when a configured file can not be used. */
  constructor(config: TlsServerConfig, clock: Clock = systemClock) {
    const isReady = config['tls.server.keyPath'] !== null || config['tls.test.mode.enable'];
    this.#clock = clock;
    this.mode = isReady ? config['tls.server.mode'] : 'disabled';
    if (!isReady && config['tls.server.mode'] === 'enforcing') {
      throw cometError('CONFIG_INVALID', 'tls.server.mode=enforcing needs tls.server.keyPath');
    }
    this.#clientAuth = config['tls.server.need.client.auth'];
    this.#verifiesClients = config['tls.server.authClient'];
    this.#files = this.mode === 'disabled' ? null : readServerFiles(config);
    if (this.#files !== null) this.#context = contextOf(this.#files);
  }

  /** The TLS end of a socket whose first bytes are in its buffer again. */
  wrap(socket: Socket): TLSSocket {
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: this.#secureContext(),
      requestCert: this.#clientAuth !== 'none',
      // Node enforces this for its own tls.Server only; here it is #checkClient that does.
      rejectUnauthorized: false,
    });
    if (this.#clientAuth !== 'none') secure.on('secure', () => this.#checkClient(secure));
    return secure;
  }

  /** Before the first decrypted byte is handed on. */
  #checkClient(secure: TLSSocket): void {
    const hasCertificate = secure.getPeerX509Certificate() !== undefined;
    if (!hasCertificate) {
      if (this.#clientAuth === 'require') secure.destroy(new Error('no client certificate'));
      return;
    }
    if (!this.#verifiesClients) return;
    const verdict = (secure as unknown as { ssl?: { verifyError?(): Error | null } }).ssl;
    const error = verdict?.verifyError?.() ?? null;
    if (verdict?.verifyError === undefined || error !== null) {
      secure.destroy(error ?? new Error('the client certificate can not be verified'));
    }
  }

  #secureContext(): SecureContext {
    if (this.#context === null) {
      getLogger('remoting').warn(
        'TLS with a self-signed certificate made just now: it proves nothing about this server; ' +
          'set tls.server.keyPath and tls.server.certPath',
      );
      this.#context = contextOf(createSelfSigned('cometmq', this.#clock));
    }
    return this.#context;
  }
}

export interface TlsClientOptions {
  /** Trust anything, as Java's test mode does; otherwise the authorities in trustCertPath, or the system's. */
  readonly testMode: boolean;
  readonly trustCertPath?: string | undefined;
  readonly keyPath?: string | undefined;
  readonly keyPassword?: string | undefined;
  readonly certPath?: string | undefined;
}

export function clientTlsOptions(options: TlsClientOptions): ConnectionOptions {
  const { testMode, trustCertPath, keyPath, keyPassword, certPath } = options;
  return {
    ...SAFE_OPTIONS,
    rejectUnauthorized: !testMode,
    // A broker is dialled by the address in its route, which no certificate names.
    checkServerIdentity: () => undefined,
    ...(trustCertPath === undefined ? {} : { ca: read(trustCertPath) }),
    ...(keyPath === undefined ? {} : { key: read(keyPath) }),
    ...(keyPassword === undefined ? {} : { passphrase: keyPassword }),
    ...(certPath === undefined ? {} : { cert: read(certPath) }),
  };
}

function readServerFiles(config: TlsServerConfig): SecureContextOptions | null {
  const keyPath = config['tls.server.keyPath'];
  const certPath = config['tls.server.certPath'];
  if (keyPath === null && certPath === null) return null;
  if (keyPath === null || certPath === null) {
    throw cometError('CONFIG_INVALID', 'tls.server.keyPath and tls.server.certPath go together');
  }
  const trustCertPath = config['tls.server.trustCertPath'];
  const passphrase = config['tls.server.keyPassword'];
  return {
    key: read(keyPath),
    cert: read(certPath),
    ...(passphrase === null ? {} : { passphrase }),
    ...(trustCertPath === null ? {} : { ca: read(trustCertPath) }),
  };
}

function contextOf(options: SecureContextOptions): SecureContext {
  try {
    return createSecureContext({ ...SAFE_OPTIONS, ...options });
  } catch (error) {
    throw cometError('CONFIG_INVALID', 'the TLS key or certificate can not be used', error);
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw cometError('CONFIG_INVALID', `${path} can not be read`, error);
  }
}
