// Room: broker, main thread. What the broker asks of name servers (103, 104, 322), all of them at once. One that fails or is
// slow is logged and left out; it hears again at the next turn. Follows Java's BrokerOuterAPI.

import { getLogger } from '../../base/logger.js';
import { decodeKvTable } from '../../protocol/bodies/kv-table.js';
import type { EncodedRegisterBody } from '../../protocol/bodies/register-broker-body.js';
import {
  type DataVersion,
  decodeDataVersion,
  encodeDataVersion,
} from '../../protocol/bodies/topic-config.js';
import { optionalBoolean, optionalString } from '../../protocol/header-fields.js';
import { LanguageCode } from '../../protocol/language-code.js';
import { createRequest, type RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import { sameVersion } from '../topic/data-version.js';

const log = getLogger('broker.out');

/** Of remoting's client; a seam for tests. */
export interface NamesrvClient {
  invoke(address: string, command: RemotingCommand, timeoutMs: number): Promise<RemotingCommand>;
  invokeOneway(address: string, command: RemotingCommand): Promise<void>;
}

/** Who registers. */
export interface BrokerIdentity {
  readonly clusterName: string;
  readonly brokerName: string;
  readonly brokerAddr: string;
  readonly brokerId: number;
}

export interface RegisterResult {
  readonly namesrvAddr: string;
  readonly masterAddr: string | null;
  readonly haServerAddr: string | null;
  /** Topics of the name server's ORDER_TOPIC_CONFIG; null when its answer has none. */
  readonly orderTopics: ReadonlySet<string> | null;
}

export class BrokerOuterApi {
  readonly #client: NamesrvClient;
  #namesrvAddrs: readonly string[] = [];

  constructor(client: NamesrvClient, namesrvAddr: string | null) {
    this.#client = client;
    this.updateNamesrvAddrs(namesrvAddr ?? '');
  }

  /** `ip:port;ip:port` */
  updateNamesrvAddrs(list: string): void {
    const addresses = list.split(';').map((address) => address.trim());
    this.#namesrvAddrs = [...new Set(addresses.filter((address) => address !== ''))];
  }

  get namesrvAddrs(): readonly string[] {
    return this.#namesrvAddrs;
  }

  /** The answers of those name servers that gave a good one. */
  async registerAll(
    identity: BrokerIdentity,
    haServerAddr: string,
    body: EncodedRegisterBody,
    timeoutMs: number,
  ): Promise<RegisterResult[]> {
    const results = await this.#askAll('register', timeoutMs, () =>
      registerRequest(identity, haServerAddr, body),
    );
    return results.map(([address, response]) => registerResult(address, response));
  }

  /** Tells all without waiting for answers. */
  async registerAllOneway(
    identity: BrokerIdentity,
    haServerAddr: string,
    body: EncodedRegisterBody,
  ): Promise<void> {
    await Promise.all(
      this.#namesrvAddrs.map((address) =>
        this.#client
          .invokeOneway(address, registerRequest(identity, haServerAddr, body))
          .catch((error: unknown) => warn('register', address, error)),
      ),
    );
  }

  /** True when some name server does not know the version, or could not say: Java's needRegister. */
  async needsRegister(
    identity: BrokerIdentity,
    dataVersion: DataVersion,
    timeoutMs: number,
  ): Promise<boolean> {
    const body = encodeDataVersion(dataVersion);
    const answers = await this.#askAll('query data version', timeoutMs, () =>
      request(RequestCode.QUERY_DATA_VERSION, identityFields(identity), body),
    );
    if (answers.length < this.#namesrvAddrs.length) return true;
    return answers.some(([, response]) => {
      if (optionalBoolean(response, 'changed') === true) return true;
      const known = decodeDataVersion(response.body);
      return known !== null && !sameVersion(known, dataVersion);
    });
  }

  async unregisterAll(identity: BrokerIdentity, timeoutMs: number): Promise<void> {
    await this.#askAll('unregister', timeoutMs, () =>
      request(RequestCode.UNREGISTER_BROKER, identityFields(identity), null),
    );
  }

  async #askAll(
    what: string,
    timeoutMs: number,
    makeRequest: () => RemotingCommand,
  ): Promise<(readonly [string, RemotingCommand])[]> {
    const asked = this.#namesrvAddrs.map(async (address) => {
      try {
        const response = await this.#client.invoke(address, makeRequest(), timeoutMs);
        if (response.code === ResponseCode.SUCCESS) return [[address, response] as const];
        warn(what, address, `code ${response.code}: ${response.remark ?? ''}`);
      } catch (error) {
        warn(what, address, error);
      }
      return [];
    });
    return (await Promise.all(asked)).flat();
  }
}

function registerRequest(
  identity: BrokerIdentity,
  haServerAddr: string,
  body: EncodedRegisterBody,
): RemotingCommand {
  const fields = {
    ...identityFields(identity),
    haServerAddr,
    bodyCrc32: String(body.crc32),
    compressed: String(body.compressed),
  };
  return request(RequestCode.REGISTER_BROKER, fields, body.bytes);
}

function identityFields(identity: BrokerIdentity): Record<string, string> {
  return {
    brokerId: String(identity.brokerId),
    clusterName: identity.clusterName,
    brokerAddr: identity.brokerAddr,
    brokerName: identity.brokerName,
  };
}

function request(
  code: number,
  fields: Record<string, string>,
  body: Buffer | null,
): RemotingCommand {
  return createRequest(code, fields, body, LanguageCode.JAVA);
}

function registerResult(namesrvAddr: string, response: RemotingCommand): RegisterResult {
  return {
    namesrvAddr,
    masterAddr: optionalString(response, 'masterAddr'),
    haServerAddr: optionalString(response, 'haServerAddr'),
    orderTopics: orderTopicsOf(response.body),
  };
}

/** The names alone matter: which topics are ordered. */
function orderTopicsOf(body: Buffer | null): ReadonlySet<string> | null {
  return body === null || body.length === 0 ? null : new Set(decodeKvTable(body).keys());
}

function warn(what: string, address: string, error: unknown): void {
  log.warn(`${what} failed`, { namesrv: address, err: error });
}
