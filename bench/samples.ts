// Frames and records that the benches use: a SEND_MESSAGE_V2 as a Java producer sends it, and requests to append.

import {
  createRequest,
  type RemotingCommand,
  SerializeType,
} from '#dist/protocol/remoting-command.js';
import { RequestCode } from '#dist/protocol/request-code.js';
import { AppendRequest } from '#dist/store/commitlog/commit-log.js';

export const TOPIC = 'BenchmarkTest';
export const NOW_MS = 1_700_000_000_000;
/** A key, a tag, the unique key and WAIT: what Java's producer sets for a message with key and tag. */
export const PROPERTIES =
  'KEYS\u0001order-4711\u0002UNIQ_KEY\u00017F0000012D2E18B4AAC20D8C9A8C0000\u0002WAIT\u0001true\u0002TAGS\u0001TagA\u0002';

export function sendCommand(
  body: Buffer,
  serializeType: SerializeType = SerializeType.JSON,
  changes: Readonly<Record<string, string>> = {},
): RemotingCommand {
  const command = createRequest(
    RequestCode.SEND_MESSAGE_V2,
    {
      a: 'benchmark_producer',
      b: TOPIC,
      c: 'TBW102',
      d: '4',
      e: '0',
      f: '0',
      g: String(NOW_MS),
      h: '0',
      i: PROPERTIES,
      j: '0',
      k: 'false',
      m: 'false',
      ...changes,
    },
    body,
  );
  command.opaque = 1_000_000_000;
  command.serializeType = serializeType;
  return command;
}

export function appendRequest(body: Uint8Array, properties: string = PROPERTIES): AppendRequest {
  const request = new AppendRequest();
  request.topic = TOPIC;
  request.bornTimestamp = NOW_MS;
  request.bornHost = Uint8Array.of(127, 0, 0, 1);
  request.bornPort = 40_000;
  request.body = body;
  request.bodyLength = body.length;
  request.properties = Buffer.from(properties, 'utf8');
  request.propertiesLength = request.properties.length;
  return request;
}
