// Test support: what a test says to a broker over the wire, ours or Java's. One connection; every method is one request, and an answer
// with an error code throws WireError unless the method says otherwise.

import type { BatchMessage } from '../../src/message/batch-codec.js';
import { encodeBatchBody } from '../../src/message/batch-codec.js';
import { decodeMessages } from '../../src/message/message-decoder.js';
import type { MessageExt } from '../../src/message/message-ext.js';
import { encodeProperties } from '../../src/message/message-properties.js';
import { decodeQueryConsumeQueueBody } from '../../src/protocol/bodies/query-consume-queue.js';
import {
  decodeSubscriptionGroupWrapper,
  encodeSubscriptionGroupConfig,
  type SubscriptionGroupConfig,
} from '../../src/protocol/bodies/subscription-group-config.js';
import {
  decodeTopicConfigSerializeWrapper,
  type TopicConfig,
} from '../../src/protocol/bodies/topic-config.js';
import { createRequest, type RemotingCommand } from '../../src/protocol/remoting-command.js';
import { RequestCode } from '../../src/protocol/request-code.js';
import { ResponseCode } from '../../src/protocol/response-code.js';
import { RemotingClient } from '../../src/remoting/remoting-client.js';

const COMMIT_FLAG = 1;
const SUBSCRIPTION_FLAG = 4;
const YEAR_MS = 365 * 86_400_000;

export class WireError extends Error {
  readonly code: number;

  constructor(request: number, code: number, remark: string | null) {
    super(`request ${request} was answered ${code}: ${remark ?? 'no remark'}`);
    this.code = code;
  }
}

export interface SendResult {
  readonly code: number;
  readonly remark: string | null;
  /** One a message. */
  readonly msgIds: readonly string[];
  readonly queueId: number;
  readonly queueOffset: number;
}

export interface SendOptions {
  readonly topic: string;
  readonly queueId: number;
  readonly body: Buffer;
  readonly properties: ReadonlyMap<string, string>;
  readonly sysFlag?: number;
  readonly group?: string;
}

export interface PullResult {
  readonly code: number;
  readonly messages: readonly MessageExt[];
  readonly nextBeginOffset: number;
  readonly minOffset: number;
  readonly maxOffset: number;
}

export interface QueueUnit {
  readonly physicalOffset: number;
  readonly sizeBytes: number;
}

export class WireClient {
  readonly #client = new RemotingClient({ connectTimeoutMs: 2000 });
  readonly #address: string;
  readonly #timeoutMs: number;

  constructor(port: number, timeoutMs = 10_000) {
    this.#address = `127.0.0.1:${port}`;
    this.#timeoutMs = timeoutMs;
  }

  close(): void {
    this.#client.close();
  }

  /** Does not throw for an answer with an error code. */
  send(options: SendOptions): Promise<SendResult> {
    return this.#send(RequestCode.SEND_MESSAGE_V2, options, {}, options.body);
  }

  /** Does not throw for an answer with an error code. */
  sendBatch(
    topic: string,
    queueId: number,
    messages: readonly BatchMessage[],
  ): Promise<SendResult> {
    const body = encodeBatchBody(messages);
    const options = { topic, queueId, body, properties: new Map<string, string>() };
    return this.#send(RequestCode.SEND_BATCH_MESSAGE, options, { m: 'true' }, body);
  }

  /** Without long polling, all tags. Does not throw for an answer with an error code. */
  async pull(
    group: string,
    topic: string,
    queueId: number,
    queueOffset: number,
    commitOffset: number | null = null,
  ): Promise<PullResult> {
    const fields = {
      consumerGroup: group,
      topic,
      queueId,
      queueOffset,
      maxMsgNums: 32,
      sysFlag: SUBSCRIPTION_FLAG | (commitOffset === null ? 0 : COMMIT_FLAG),
      commitOffset: commitOffset ?? 0,
      suspendTimeoutMillis: 0,
      subscription: '*',
      subVersion: 0,
      expressionType: 'TAG',
    };
    const answer = await this.invoke(RequestCode.PULL_MESSAGE, fields);
    const numberOf = (name: string) => Number(answer.extFields?.[name] ?? -1);
    return {
      code: answer.code,
      messages: answer.body === null ? [] : decodeMessages(answer.body),
      nextBeginOffset: numberOf('nextBeginOffset'),
      minOffset: numberOf('minOffset'),
      maxOffset: numberOf('maxOffset'),
    };
  }

  /** The record at a physical offset, null when there is none. */
  async viewMessage(physicalOffset: number): Promise<MessageExt | null> {
    const answer = await this.invoke(RequestCode.VIEW_MESSAGE_BY_ID, { offset: physicalOffset });
    return answer.body === null ? null : (decodeMessages(answer.body)[0] ?? null);
  }

  async queryByKey(topic: string, key: string): Promise<MessageExt[]> {
    const endTimestamp = Date.now() + YEAR_MS;
    const fields = { topic, key, maxNum: 64, beginTimestamp: 0, endTimestamp };
    const answer = await this.invoke(RequestCode.QUERY_MESSAGE, fields);
    return answer.body === null ? [] : decodeMessages(answer.body);
  }

  async queueUnits(topic: string, queueId: number, index: number): Promise<QueueUnit[]> {
    const fields = { topic, queueId, index, count: 64 };
    const answer = await this.invoke(RequestCode.QUERY_CONSUME_QUEUE, fields);
    if (answer.body === null) return [];
    return decodeQueryConsumeQueueBody(answer.body).queueData.map((unit) => ({
      physicalOffset: Number(unit.physicOffset),
      sizeBytes: unit.physicSize,
    }));
  }

  minOffset(topic: string, queueId: number): Promise<number> {
    return this.#offset(RequestCode.GET_MIN_OFFSET, { topic, queueId });
  }

  maxOffset(topic: string, queueId: number): Promise<number> {
    return this.#offset(RequestCode.GET_MAX_OFFSET, { topic, queueId });
  }

  /** -1 when the group has none. */
  async committedOffset(group: string, topic: string, queueId: number): Promise<number> {
    const fields = { consumerGroup: group, topic, queueId };
    const answer = await this.invoke(RequestCode.QUERY_CONSUMER_OFFSET, fields);
    if (answer.code === ResponseCode.QUERY_NOT_FOUND) return -1;
    return Number(this.#succeeded(RequestCode.QUERY_CONSUMER_OFFSET, answer).offset);
  }

  async updateTopic(config: TopicConfig): Promise<void> {
    const { topicName, order, ...fields } = config;
    const header = { topic: topicName, defaultTopic: 'TBW102', order, ...fields };
    const answer = await this.invoke(RequestCode.UPDATE_AND_CREATE_TOPIC, header);
    this.#succeeded(RequestCode.UPDATE_AND_CREATE_TOPIC, answer);
  }

  async topics(): Promise<ReadonlyMap<string, TopicConfig>> {
    const answer = await this.invoke(RequestCode.GET_ALL_TOPIC_CONFIG, {});
    return decodeTopicConfigSerializeWrapper(bodyOf(answer)).topicConfigTable;
  }

  async updateGroup(config: SubscriptionGroupConfig): Promise<void> {
    const code = RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP;
    this.#succeeded(code, await this.invoke(code, {}, encodeSubscriptionGroupConfig(config)));
  }

  async groups(): Promise<ReadonlyMap<string, SubscriptionGroupConfig>> {
    const answer = await this.invoke(RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, {});
    return decodeSubscriptionGroupWrapper(bodyOf(answer)).subscriptionGroupTable;
  }

  invoke(
    code: number,
    fields: Record<string, string | number | boolean>,
    body: Buffer | null = null,
  ): Promise<RemotingCommand> {
    const extFields = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, String(value)]),
    );
    return this.#client.invoke(
      this.#address,
      createRequest(code, extFields, body),
      this.#timeoutMs,
    );
  }

  async #send(
    code: number,
    options: SendOptions,
    more: Record<string, string>,
    body: Buffer,
  ): Promise<SendResult> {
    const fields = {
      a: options.group ?? 'test-producers',
      b: options.topic,
      c: 'TBW102',
      d: 4,
      e: options.queueId,
      f: options.sysFlag ?? 0,
      g: Date.now(),
      h: 0,
      i: encodeProperties(options.properties),
      j: 0,
      ...more,
    };
    const answer = await this.invoke(code, fields, body);
    const ext = answer.extFields ?? {};
    return {
      code: answer.code,
      remark: answer.remark,
      msgIds: (ext['msgId'] ?? '').split(','),
      queueId: Number(ext['queueId'] ?? -1),
      queueOffset: Number(ext['queueOffset'] ?? -1),
    };
  }

  async #offset(code: number, fields: { topic: string; queueId: number }): Promise<number> {
    return Number(this.#succeeded(code, await this.invoke(code, fields))['offset']);
  }

  #succeeded(request: number, answer: RemotingCommand): Record<string, string> {
    if (answer.code !== ResponseCode.SUCCESS) {
      throw new WireError(request, answer.code, answer.remark);
    }
    return answer.extFields ?? {};
  }
}

function bodyOf(answer: RemotingCommand): Buffer {
  if (answer.body === null) throw new WireError(-1, answer.code, answer.remark);
  return answer.body;
}
