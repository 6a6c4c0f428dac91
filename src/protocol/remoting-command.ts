// Room: protocol. Any thread. A frame as an object: request or response, whichever header encoding it came with or shall leave
// with. Plain data; whoever holds it may change it before it is encoded. Java: RemotingCommand.

import { LanguageCode } from './language-code.js';
import { CURRENT_VERSION } from './mq-version.js';

/** The encoding of one frame's header; each frame names its own. */
export const SerializeType = { JSON: 0, ROCKETMQ: 1 } as const;
export type SerializeType = (typeof SerializeType)[keyof typeof SerializeType];

export const RESPONSE_FLAG = 1;
export const ONEWAY_FLAG = 2;

export interface RemotingCommand {
  /** Request code, or response code in a response. */
  code: number;
  language: number;
  version: number;
  /** The requester's number of the request; the response repeats it. */
  opaque: number;
  flag: number;
  remark: string | null;
  extFields: Record<string, string> | null;
  /** A view into the frame that was decoded; copy it if it outlives the frame. */
  body: Buffer | null;
  serializeType: SerializeType;
}

/** The opaque is 0: whoever sends the request numbers it. Servers give LanguageCode.JAVA, as Java's do. */
export function createRequest(
  code: number,
  extFields: Record<string, string> | null = null,
  body: Buffer | null = null,
  language: number = LanguageCode.OTHER,
): RemotingCommand {
  return {
    code,
    language,
    version: CURRENT_VERSION,
    opaque: 0,
    flag: 0,
    remark: null,
    extFields,
    body,
    serializeType: SerializeType.JSON,
  };
}

/** An answer in the request's own encoding and with its opaque; without a request in JSON, with opaque 0. */
export function createResponse(
  request: RemotingCommand | null,
  code: number,
  remark: string | null = null,
  language: number = LanguageCode.JAVA,
): RemotingCommand {
  return {
    code,
    language,
    version: CURRENT_VERSION,
    opaque: request?.opaque ?? 0,
    flag: RESPONSE_FLAG,
    remark,
    extFields: null,
    body: null,
    serializeType: request?.serializeType ?? SerializeType.JSON,
  };
}

export function isResponse(command: RemotingCommand): boolean {
  return (command.flag & RESPONSE_FLAG) !== 0;
}

export function isOneway(command: RemotingCommand): boolean {
  return (command.flag & ONEWAY_FLAG) !== 0;
}

export function markOneway(command: RemotingCommand): void {
  command.flag |= ONEWAY_FLAG;
}
