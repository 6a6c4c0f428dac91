// Room: processor; runs in the dispatch worker. Hot: once for each record that is put to an expression. From a stored record to its
// properties, where they lie, so that no map is built of them.

import type { PropertyLookup } from '../filter/property-lookup.js';
import {
  bodyLengthPosition,
  readInt16,
  readInt32,
  SYS_FLAG_POSITION,
} from '../message/message-layout.js';

/** Points the lookup at the properties of the record; at none when its lengths do not add up. */
export function lookIntoRecord(
  lookup: PropertyLookup,
  buffer: Buffer,
  position: number,
  sizeBytes: number,
): PropertyLookup {
  const end = position + sizeBytes;
  const bodyAt = position + bodyLengthPosition(readInt32(buffer, position + SYS_FLAG_POSITION));
  const topicAt = bodyAt + 4 + readInt32(buffer, bodyAt);
  if (topicAt < bodyAt + 4 || topicAt >= end) return lookup.reset(buffer, end, 0);
  const lengthAt = topicAt + 1 + buffer[topicAt]!;
  const length = lengthAt + 2 <= end ? readInt16(buffer, lengthAt) : -1;
  if (length < 0 || lengthAt + 2 + length > end) return lookup.reset(buffer, end, 0);
  return lookup.reset(buffer, lengthAt + 2, length);
}
