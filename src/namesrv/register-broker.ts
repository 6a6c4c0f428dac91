// Room: namesrv. Main thread. REGISTER_BROKER (103): the body's checksum, its three forms, and the answer.
//
//   plain        RegisterBrokerBody as JSON
//   compressed   zlib of: len DataVersion JSON · topic count · per topic len "name read write perm filterType" · len filter list
//   before 3.0.11 a bare TopicConfigSerializeWrapper
//
// Always holds: a body that can not be read changes nothing and is answered with what was wrong.

import { crc32, inflateSync } from 'node:zlib';
import { cometError, isCometError } from '../base/errors.js';
import { MAX_INFLATED_BYTES } from '../base/limits.js';
import { parseFastJson } from '../protocol/fast-json.js';
import {
  optionalBoolean,
  optionalInt,
  requireLong,
  requireString,
} from '../protocol/header-fields.js';
import { V3_0_11 } from '../protocol/mq-version.js';
import type { RemotingCommand } from '../protocol/remoting-command.js';
import type { BrokerChannel, DataVersion } from './broker-live-table.js';
import type { BrokerIdentity, RegisteredTopic, Registration } from './route-info-manager.js';

interface RegisterBody {
  readonly dataVersion: DataVersion;
  readonly topics: readonly RegisteredTopic[];
  readonly filterServers: readonly string[];
}

const EMPTY: RegisterBody = {
  dataVersion: { counter: 0, timestamp: 0 },
  topics: [],
  filterServers: [],
};

export function brokerIdentity(command: RemotingCommand): BrokerIdentity {
  return {
    clusterName: requireString(command, 'clusterName'),
    brokerAddr: requireString(command, 'brokerAddr'),
    brokerName: requireString(command, 'brokerName'),
    brokerId: requireLong(command, 'brokerId'),
  };
}

/** Throws PROTOCOL_FIELD_… or PROTOCOL_BODY_INVALID. */
export function readRegistration(command: RemotingCommand, channel: BrokerChannel): Registration {
  return {
    ...brokerIdentity(command),
    ...readBody(command),
    haServerAddr: requireString(command, 'haServerAddr'),
    channel,
  };
}

/** A checksum of 0 or none is not checked. */
export function isChecksumRight(command: RemotingCommand): boolean {
  const expected = optionalInt(command, 'bodyCrc32') ?? 0;
  return expected === 0 || (crc32(command.body ?? Buffer.alloc(0)) & 0x7fff_ffff) === expected;
}

export function readDataVersion(value: unknown): DataVersion {
  const { counter, timestamp } = object(value, 'dataVersion');
  return {
    counter: whole(counter ?? 0, 'counter'),
    timestamp: whole(timestamp ?? 0, 'timestamp'),
  };
}

function readBody(command: RemotingCommand): RegisterBody {
  const { body } = command;
  if (body === null || body.length === 0) return EMPTY;
  if (optionalBoolean(command, 'compressed') === true) return readCompressed(body);
  const root = object(parseFastJson(body.toString('utf8')), 'body');
  if (command.version < V3_0_11) return { ...readWrapper(root), filterServers: [] };
  return {
    ...readWrapper(object(root['topicConfigSerializeWrapper'] ?? {}, 'wrapper')),
    filterServers: texts(root['filterServerList']),
  };
}

function readWrapper(wrapper: Record<string, unknown>): Omit<RegisterBody, 'filterServers'> {
  const table = object(wrapper['topicConfigTable'] ?? {}, 'topicConfigTable');
  const topics: RegisteredTopic[] = [];
  for (const [topicName, value] of Object.entries(table)) {
    const config = object(value, topicName);
    topics.push({
      topicName,
      readQueueNums: int(config['readQueueNums'] ?? 16, 'readQueueNums'),
      writeQueueNums: int(config['writeQueueNums'] ?? 16, 'writeQueueNums'),
      perm: int(config['perm'] ?? 6, 'perm'),
      topicSysFlag: int(config['topicSysFlag'] ?? 0, 'topicSysFlag'),
    });
  }
  return { dataVersion: readDataVersion(wrapper['dataVersion'] ?? {}), topics };
}

function readCompressed(body: Buffer): RegisterBody {
  const reader = new PieceReader(inflate(body));
  const dataVersion = readDataVersion(parseFastJson(reader.text()));
  const topics: RegisteredTopic[] = [];
  for (let left = reader.int(); left > 0; left--) topics.push(readTopicLine(reader.text()));
  return { dataVersion, topics, filterServers: texts(parseFastJson(reader.text())) };
}

function readTopicLine(line: string): RegisteredTopic {
  const [topicName = '', read, write, perm] = line.split(' ');
  return {
    topicName,
    readQueueNums: int(Number(read), 'readQueueNums'),
    writeQueueNums: int(Number(write), 'writeQueueNums'),
    perm: int(Number(perm), 'perm'),
    topicSysFlag: 0,
  };
}

/** Pieces that each stand behind their length. */
class PieceReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int(): number {
    if (this.#position + 4 > this.#bytes.length) throw invalid('it ends too early');
    const value = this.#bytes.readInt32BE(this.#position);
    this.#position += 4;
    return value;
  }

  text(): string {
    const length = this.int();
    const end = this.#position + length;
    if (length < 0 || end > this.#bytes.length) throw invalid('a length leads past its end');
    const text = this.#bytes.toString('utf8', this.#position, end);
    this.#position = end;
    return text;
  }
}

function inflate(body: Buffer): Buffer {
  try {
    return inflateSync(body, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw isCometError(error) ? error : invalid('it can not be inflated', error);
  }
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${name} is no object`);
  }
  return value as Record<string, unknown>;
}

function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === 'string');
}

function int(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw invalid(`${name} is no number`);
  return value;
}

function whole(value: unknown, name: string): number | bigint {
  return typeof value === 'bigint' ? value : int(value, name);
}

function invalid(detail: string, cause?: unknown): Error {
  return cometError('PROTOCOL_BODY_INVALID', detail, cause);
}
