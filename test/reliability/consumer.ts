// A consumer group of one: follows every queue, commits with its pulls as Java's consumers do, and goes on from the committed offset after
// each restart. L6: nothing is skipped, and no more comes again than what no save of the offsets can have held. L7: committed <= max.

import { ResponseCode } from '../../src/protocol/response-code.js';
import { WireClient } from '../support/wire-client.js';
import { queueName } from './ledger.js';
import { QUEUES, sleep, TOPICS } from './producer.js';

const GROUP = 'rel-consumers';
const IDLE_MS = 20;
const SLACK_MS = 1500;

interface QueueProgress {
  readonly topic: string;
  readonly queueId: number;
  /** All before was consumed at least once. */
  seenUpTo: number;
  position: number;
  /** Offsets that the broker has been told, with the time of its answer. */
  commits: { readonly offset: number; readonly atMs: number }[];
  /** What a restart can not take back: it was read from the file, or the file was written since. */
  savedAtLeast: number;
}

export class Consumer {
  readonly violations: string[] = [];
  consumed = 0;
  duplicates = 0;
  readonly #saveIntervalMs: number;
  readonly #queues: QueueProgress[] = TOPICS.flatMap((topic) =>
    Array.from({ length: QUEUES }, (_, queueId) => ({
      topic,
      queueId,
      seenUpTo: 0,
      position: 0,
      commits: [],
      savedAtLeast: 0,
    })),
  );
  #stopped = false;

  constructor(saveIntervalMs: number) {
    this.#saveIntervalMs = saveIntervalMs;
  }

  /** Before the load of a new life: takes up the committed offsets and judges them. */
  async resume(client: WireClient): Promise<void> {
    for (const queue of this.#queues) {
      const { topic, queueId } = queue;
      const [committed, max] = await Promise.all([
        client.committedOffset(GROUP, topic, queueId),
        client.maxOffset(topic, queueId),
      ]);
      const position = Math.max(0, committed);
      const name = queueName(topic, queueId);
      if (position > max) this.#say(`L7: ${name} is committed up to ${position} of ${max}`);
      if (position > queue.seenUpTo) {
        this.#say(`L6: ${name} goes on at ${position}, only ${queue.seenUpTo} were consumed`);
      }
      if (position < queue.savedAtLeast) {
        this.#say(`L6: ${name} goes on at ${position}, ${queue.savedAtLeast} had been saved`);
      }
      this.duplicates += Math.max(0, queue.seenUpTo - position);
      queue.position = position;
      queue.savedAtLeast = position;
      queue.commits = [];
    }
  }

  /** Consumes until it is stopped or the broker is gone. */
  async run(port: number): Promise<void> {
    this.#stopped = false;
    const client = new WireClient(port);
    await Promise.all(
      this.#queues.map(async (queue) => {
        try {
          while (!this.#stopped) {
            if ((await this.#pull(client, queue)) === 0) await sleep(IDLE_MS);
          }
        } catch {
          // The broker was killed: what the last pull committed may be known to it or not.
        }
      }),
    );
    client.close();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** The broker lived from startedMs to killedMs: which commits have been written to its file? */
  brokerDied(startedMs: number, killedMs: number): void {
    const lastSaveMs = killedMs - this.#saveIntervalMs - SLACK_MS;
    if (lastSaveMs - startedMs < this.#saveIntervalMs) return;
    for (const queue of this.#queues) {
      for (const { offset, atMs } of queue.commits) {
        if (atMs <= lastSaveMs) queue.savedAtLeast = Math.max(queue.savedAtLeast, offset);
      }
    }
  }

  /** Consumes everything there is; then all that was acknowledged has been seen. */
  async drain(client: WireClient): Promise<void> {
    for (const queue of this.#queues) {
      while ((await this.#pull(client, queue)) > 0);
      const max = await client.maxOffset(queue.topic, queue.queueId);
      if (queue.seenUpTo !== max) {
        const name = queueName(queue.topic, queue.queueId);
        this.#say(`L6: ${name} was consumed up to ${queue.seenUpTo} of ${max}`);
      }
    }
  }

  /** How many messages came. */
  async #pull(client: WireClient, queue: QueueProgress): Promise<number> {
    const { topic, queueId, position } = queue;
    const pulled = await client.pull(GROUP, topic, queueId, position, position);
    queue.commits.push({ offset: position, atMs: performance.now() });
    if (pulled.code !== ResponseCode.SUCCESS) {
      if (pulled.code !== ResponseCode.PULL_NOT_FOUND) {
        this.#say(`L6: ${queueName(topic, queueId)} at ${position} is answered ${pulled.code}`);
      }
      return 0;
    }
    for (const [i, message] of pulled.messages.entries()) {
      if (message.queueOffset !== position + i) {
        const name = queueName(topic, queueId);
        this.#say(`L6: ${name} gives ${message.queueOffset} where ${position + i} is due`);
      }
    }
    queue.position = pulled.nextBeginOffset;
    queue.seenUpTo = Math.max(queue.seenUpTo, queue.position);
    this.consumed += pulled.messages.length;
    return pulled.messages.length;
  }

  #say(violation: string): void {
    if (this.violations.length < 40) this.violations.push(violation);
  }
}
