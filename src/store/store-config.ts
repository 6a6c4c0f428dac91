// Room: store. Plain data: made on main from the broker's configuration, sent to every thread at its start. Each thread has a copy of
// its own; a value that changes while the process lives is written into that copy by the thread itself. Names, types and defaults
// are those of Java's MessageStoreConfig (storage.md 24), with what the store needs to know of the broker around it.

import type { BrokerConfig } from '../base/config.js';
import type { ConfigOf, MachineFacts } from '../base/config-property.js';
import { messageStoreProperties } from '../base/config-schema-store.js';
import { addressBytes } from '../base/net-address.js';
import { CQ_UNIT_BYTES } from './consumequeue/cq-unit.js';

export type MessageStoreConfig = ConfigOf<typeof messageStoreProperties>;

export interface StoreConfig extends MessageStoreConfig {
  /** 4 or 16 bytes: what records carry as store host, and message ids begin with. */
  storeHostAddress: Uint8Array;
  storeHostPort: number;
  /** Java's system properties rocketmq.broker.diskSpace…Ratio: above it age is ignored, or nothing is taken in any more. */
  diskSpaceCleanForciblyRatio: number;
  diskSpaceWarningLevelRatio: number;
}

const CLEAN_FORCIBLY_RATIO = 0.85;
const WARNING_LEVEL_RATIO = 0.9;

export function storeConfigOf(config: BrokerConfig): StoreConfig {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(messageStoreProperties)) {
    values[name] = config[name as keyof MessageStoreConfig];
  }
  return complete(values as MessageStoreConfig, addressBytes(config.brokerIP1), config.listenPort);
}

/** Java's defaults with the store in the given folder; for tests and tools. */
export function defaultStoreConfig(rootDir: string): StoreConfig {
  const machine: MachineFacts = {
    cpuCount: 1,
    hostName: 'localhost',
    homeDir: rootDir,
    localAddress: '127.0.0.1',
    env: {},
  };
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(messageStoreProperties)) {
    values[name] = property.initial(machine);
  }
  values['storePathRootDir'] = rootDir;
  return complete(values as MessageStoreConfig, addressBytes('127.0.0.1'), 10_911);
}

function complete(values: MessageStoreConfig, address: Uint8Array, port: number): StoreConfig {
  const units = Math.ceil(values.mappedFileSizeConsumeQueue / CQ_UNIT_BYTES);
  return {
    ...values,
    mappedFileSizeConsumeQueue: units * CQ_UNIT_BYTES,
    storeHostAddress: new Uint8Array(address),
    storeHostPort: port,
    diskSpaceCleanForciblyRatio: CLEAN_FORCIBLY_RATIO,
    diskSpaceWarningLevelRatio: WARNING_LEVEL_RATIO,
  };
}
