// Room: protocol. Any thread. The body of REGISTER_BROKER (103), plain or compressed (protocol.md 4.5). Compressed is one zlib stream of:
//
//   length 4 + DataVersion JSON │ topicCount 4 │ { length 4 + "topic read write perm filterType" } … │ length 4 + list JSON
//
// (the flags order and topicSysFlag are lost there). Requesters below V3_0_11 send a bare TopicConfigSerializeWrapper.

import { constants, crc32, deflateSync, inflateSync } from 'node:zlib';
import { cometError } from '../../base/errors.js';
import { MAX_INFLATED_BYTES, MAX_TOPICS } from '../../base/limits.js';
import { V3_0_11 } from '../mq-version.js';
import {
  encodeJsonBody,
  intOf,
  invalid,
  listMember,
  objectOf,
  parseJsonBody,
  textOf,
} from './json-body.js';
import {
  readDataVersion,
  readTopicConfigSerializeWrapper,
  TOPIC_FILTER_TYPES,
  type TopicConfig,
  type TopicConfigSerializeWrapper,
} from './topic-config.js';

/** What the header of the request must say of the body. */
export interface EncodedRegisterBody {
  readonly bytes: Buffer;
  readonly crc32: number;
  readonly compressed: boolean;
}

export interface RegisterBrokerBody {
  readonly topicConfigSerializeWrapper: TopicConfigSerializeWrapper;
  readonly filterServerList: readonly string[];
}

export function encodeRegisterBody(
  wrapper: TopicConfigSerializeWrapper,
  filterServerList: readonly string[],
  compressed: boolean,
): EncodedRegisterBody {
  const bytes = compressed
    ? compress(wrapper, filterServerList)
    : encodeJsonBody({ filterServerList, topicConfigSerializeWrapper: wrapper });
  return { bytes, crc32: registerBodyCrc(bytes), compressed };
}

/** The body as the requester's version and its header field `compressed` say. Without a body: no topics, version 0. */
export function decodeRegisterBody(
  body: Buffer | null,
  requesterVersion: number,
  compressed: boolean,
): RegisterBrokerBody {
  if (body !== null && compressed) return decompress(body);
  const object = parseJsonBody(body);
  if (requesterVersion < V3_0_11) {
    return {
      topicConfigSerializeWrapper: readTopicConfigSerializeWrapper(object),
      filterServerList: [],
    };
  }
  const wrapper = objectOf(object['topicConfigSerializeWrapper'] ?? {}, 'the wrapper');
  return {
    topicConfigSerializeWrapper: readTopicConfigSerializeWrapper(wrapper),
    filterServerList: listMember(object, 'filterServerList', textOf),
  };
}

/** The header's bodyCrc32: of the bytes as they are sent, without the highest bit. 0 there means "not checked". */
export function registerBodyCrc(bytes: Uint8Array): number {
  return crc32(bytes) & 0x7fff_ffff;
}

function compress(
  wrapper: TopicConfigSerializeWrapper,
  filterServerList: readonly string[],
): Buffer {
  const topicCount = Buffer.alloc(4);
  topicCount.writeInt32BE(wrapper.topicConfigTable.size, 0);
  const pieces = [...withLength(encodeJsonBody(wrapper.dataVersion)), topicCount];
  for (const config of wrapper.topicConfigTable.values()) {
    pieces.push(...withLength(Buffer.from(topicText(config))));
  }
  pieces.push(...withLength(encodeJsonBody(filterServerList)));
  return deflateSync(Buffer.concat(pieces), { level: constants.Z_BEST_COMPRESSION });
}

function withLength(bytes: Buffer): [Buffer, Buffer] {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length, 0);
  return [length, bytes];
}

function topicText(config: TopicConfig): string {
  const { topicName, readQueueNums, writeQueueNums, perm, topicFilterType } = config;
  return `${topicName} ${readQueueNums} ${writeQueueNums} ${perm} ${topicFilterType}`;
}

function decompress(body: Buffer): RegisterBrokerBody {
  const reader = new LengthReader(inflate(body));
  const dataVersion = readDataVersion(parseJsonBody(reader.next()));
  const topicCount = reader.nextInt();
  if (topicCount < 0 || topicCount > MAX_TOPICS) throw invalid('topicCount', 'out of bounds');
  const topicConfigTable = new Map<string, TopicConfig>();
  for (let i = 0; i < topicCount; i++) {
    const config = parseTopicText(reader.next().toString('utf8'));
    topicConfigTable.set(config.topicName, config);
  }
  const { list } = parseJsonBody(`{"list":${reader.next().toString('utf8')}}`);
  return {
    topicConfigSerializeWrapper: { dataVersion, topicConfigTable },
    filterServerList: listMember({ list }, 'list', textOf),
  };
}

function inflate(body: Buffer): Buffer {
  try {
    return inflateSync(body, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw cometError('PROTOCOL_BODY_INVALID', 'it is no zlib stream', error);
  }
}

function parseTopicText(text: string): TopicConfig {
  const [topicName = '', read, write, perm, filterType] = text.split(' ');
  if (topicName === '') throw invalid('a topic row', `"${text}"`);
  return {
    order: false,
    perm: intOf(perm, 'perm'),
    readQueueNums: intOf(read, 'readQueueNums'),
    topicFilterType: TOPIC_FILTER_TYPES.find((type) => type === filterType) ?? 'SINGLE_TAG',
    topicName,
    topicSysFlag: 0,
    writeQueueNums: intOf(write, 'writeQueueNums'),
  };
}

/** Walks pieces that have their length before them. */
class LengthReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): Buffer {
    const length = this.nextInt();
    const end = this.#position + length;
    if (length < 0 || end > this.#bytes.length) throw invalid('a piece', 'longer than the body');
    const piece = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return piece;
  }

  nextInt(): number {
    if (this.#position + 4 > this.#bytes.length) throw invalid('the body', 'too short');
    this.#position += 4;
    return this.#bytes.readInt32BE(this.#position - 4);
  }
}
