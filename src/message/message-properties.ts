// Room: message. Any thread. The properties text of a message: name \u0001 value pairs joined by \u0002 (protocol.md 5.2).
// Reading accepts a trailing separator, drops pairs without a name or without a value, and keeps the last of a repeated name.
// Writing gives Java's order (HashMap) and no trailing separator.

import { javaHashMapOrder } from './java-hash-map-order.js';
import { NAME_VALUE_SEPARATOR, PROPERTY_SEPARATOR } from './message-const.js';

export function decodeProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>();
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf(PROPERTY_SEPARATOR, start);
    if (end < 0) end = text.length;
    const separator = text.indexOf(NAME_VALUE_SEPARATOR, start);
    if (separator > start && separator < end - 1) {
      properties.set(text.slice(start, separator), text.slice(separator + 1, end));
    }
    start = end + 1;
  }
  return properties;
}

/** In the order of a Java HashMap into which the pairs were put in the order of the map. */
export function encodeProperties(properties: ReadonlyMap<string, string>): string {
  return encodeInOrder(properties, javaHashMapOrder([...properties.keys()]));
}

/** In the order of the map, for texts whose order is already the wanted one. */
export function encodePropertiesInOrder(properties: ReadonlyMap<string, string>): string {
  return encodeInOrder(properties, [...properties.keys()]);
}

function encodeInOrder(properties: ReadonlyMap<string, string>, names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    if (text !== '') text += PROPERTY_SEPARATOR;
    text += name + NAME_VALUE_SEPARATOR + properties.get(name);
  }
  return text;
}
