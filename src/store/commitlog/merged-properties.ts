// Room: store. Owner of the log only; hot. The text of a message of a batch as it is stored: its own properties, and behind them those of
// the batch. A separator goes between where the first part has none, and at the end where the last byte is NUL (record-writer's
// closingLength tells why).

import type { BatchBodyReader } from '../../message/batch-codec.js';
import { PROPERTY_SEPARATOR_BYTE } from '../../message/message-const.js';
import type { AppendRequest } from './append-request.js';

/** In bytes, separators included. */
export function mergedLength(reader: BatchBodyReader, request: AppendRequest): number {
  const separators =
    (needsSeparator(reader, request) ? 1 : 0) + (endsWithNul(reader, request) ? 1 : 0);
  return reader.propertiesLength + request.propertiesLength + separators;
}

export function needsSeparator(reader: BatchBodyReader, request: AppendRequest): boolean {
  const own = reader.propertiesLength;
  if (own === 0 || request.propertiesLength === 0) return false;
  return request.body[reader.propertiesStart + own - 1] !== PROPERTY_SEPARATOR_BYTE;
}

/** Of the merged text. */
export function endsWithNul(reader: BatchBodyReader, request: AppendRequest): boolean {
  const common = request.propertiesLength;
  if (common > 0) return request.properties[request.propertiesStart + common - 1] === 0;
  const own = reader.propertiesLength;
  return own > 0 && request.body[reader.propertiesStart + own - 1] === 0;
}
