// Room: store. Owner of the log only; off unless enableMultiDispatch. A message that names further queues in INNER_MULTI_DISPATCH gets
// its offset in each of them, in INNER_MULTI_QUEUE_OFFSET; dispatch makes the entries. Follows storage.md 21, Java's MultiDispatch.
// Always holds: the counters of those queues move only when the record was written.

import { decodeProperties, encodeProperties } from '../../message/message-properties.js';
import { isFolderName, isForbiddenToSend, LMQ_PREFIX } from '../../message/topic-validator.js';
import type { AppendRequest } from './append-request.js';
import type { TopicQueues, TopicQueueTable } from './topic-queue-table.js';

const DISPATCH = 'INNER_MULTI_DISPATCH';
const OFFSETS = 'INNER_MULTI_QUEUE_OFFSET';
const RETRY_PREFIX = '%RETRY%';
const SEPARATOR = ',';

export class MultiDispatch {
  readonly #queues: TopicQueueTable;
  readonly #enableLmq: boolean;
  /** Of the request at hand, parallel. */
  readonly #topics: TopicQueues[] = [];
  readonly #queueIds: number[] = [];

  constructor(queues: TopicQueueTable, enableLmq: boolean) {
    this.#queues = queues;
    this.#enableLmq = enableLmq;
  }

  /** Puts the offsets into the request's text, if it names queues. False when a name can't be one. */
  wrap(request: AppendRequest): boolean {
    this.#topics.length = 0;
    this.#queueIds.length = 0;
    const { properties, propertiesStart, propertiesLength } = request;
    const bytes = properties.subarray(propertiesStart, propertiesStart + propertiesLength);
    const text = Buffer.from(bytes).toString('utf8');
    if (!text.includes(DISPATCH) || request.topic.startsWith(RETRY_PREFIX)) return true;
    const map = decodeProperties(text);
    const names = map.get(DISPATCH) ?? '';
    if (names.trim() === '') return true;
    const offsets: number[] = [];
    for (const name of names.split(SEPARATOR)) {
      if (!isFolderName(name) || isForbiddenToSend(name)) return false;
      const topic = this.#queues.find(name);
      if (topic === null) return false;
      const queueId = this.#enableLmq && name.startsWith(LMQ_PREFIX) ? 0 : request.queueId;
      this.#topics.push(topic);
      this.#queueIds.push(queueId);
      offsets.push(topic.next(queueId));
    }
    map.set(OFFSETS, offsets.join(SEPARATOR));
    request.properties = Buffer.from(encodeProperties(map), 'utf8');
    request.propertiesStart = 0;
    request.propertiesLength = request.properties.length;
    return true;
  }

  /** The record with those offsets is written. */
  advance(): void {
    for (const [i, topic] of this.#topics.entries()) {
      const queueId = this.#queueIds[i] ?? 0;
      topic.set(queueId, topic.next(queueId) + 1);
    }
  }
}
