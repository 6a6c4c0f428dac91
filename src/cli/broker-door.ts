// Room: cli. The one place where the command line reaches the broker; it is loaded on demand.

import type { BrokerConfig } from '../base/config.js';

export interface RunningBroker {
  shutdown(): Promise<void>;
}

export interface BrokerStartOptions {
  /** Where configuration changes over the wire are kept; null: nowhere. */
  readonly configFile: string | null;
}

export type StartBroker = (
  config: BrokerConfig,
  options?: BrokerStartOptions,
) => Promise<RunningBroker>;

/** Java's line, which scripts wait for. */
export function brokerReadyLine(config: BrokerConfig): string {
  const { brokerName, brokerIP1, listenPort, namesrvAddr } = config;
  const known = namesrvAddr === null ? '' : ` and name server is ${namesrvAddr}`;
  return `The broker[${brokerName}, ${brokerIP1}:${listenPort}] boot success. serializeType=JSON${known}\n`;
}
