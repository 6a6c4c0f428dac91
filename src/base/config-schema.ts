// Room: base. Any thread. Which tables make up the configuration of a broker and of a name server. As in Java, several beans read
// the same file; a name that stands in two of them (writeBufferHighWaterMark) is one property.
// Always holds: the order is Java's, bean after bean, then ours; `-p` prints in it.

import { type ConfigOf, type Property, type PropertyValue, port } from './config-property.js';
import { brokerProperties } from './config-schema-broker.js';
import { cometBrokerProperties, listenerProperties } from './config-schema-comet.js';
import {
  namesrvProperties,
  nettyClientProperties,
  nettyServerProperties,
} from './config-schema-remoting.js';
import { messageStoreProperties } from './config-schema-store.js';

const BROKER_LISTEN_PORT = 10_911;
const NAMESRV_LISTEN_PORT = 9876;

export const brokerSchema = {
  ...brokerProperties,
  ...nettyServerProperties,
  ...nettyClientProperties,
  ...messageStoreProperties,
  ...listenerProperties,
  ...cometBrokerProperties,
  listenPort: port(BROKER_LISTEN_PORT),
} as const;

export const namesrvSchema = {
  ...namesrvProperties,
  ...nettyServerProperties,
  ...listenerProperties,
  listenPort: port(NAMESRV_LISTEN_PORT),
} as const;

/** One flat, mutable object: Java's four beans and ours. */
export type BrokerConfig = ConfigOf<typeof brokerSchema>;
export type NamesrvConfig = ConfigOf<typeof namesrvSchema>;

/** A schema as the loader sees it, whichever it is. */
export type Schema = Readonly<Record<string, Property<PropertyValue>>>;
export type ConfigObject = Record<string, PropertyValue>;

/** The properties whose default is not Java's; `--java-defaults` gives Java's back. */
export function differingDefaults(schema: Schema): readonly string[] {
  return Object.keys(schema).filter((name) => schema[name]?.javaDefault !== undefined);
}

/** The known name that is nearest to a mistyped one, or null when none is near. */
export function nearestName(schema: Schema, name: string): string | null {
  let nearest: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 4)) + 1;
  for (const known of Object.keys(schema)) {
    const distance = editDistance(name.toLowerCase(), known.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = known;
    }
  }
  return nearest;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
