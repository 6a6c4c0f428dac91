// Room: broker, main thread. Java's TransactionalMessageCheckService: on a master, every transactionCheckInterval, one round over
// the half queues. The timer is BrokerController's; rounds never overlap.
// Always holds: a queue whose round fails does not keep the others from theirs; after shutdown() nothing is read or stored.

import { getLogger } from '../../base/logger.js';
import { TRANS_HALF_TOPIC } from '../../message/topic-validator.js';
import { PermName } from '../topic/perm-name.js';
import { type CheckBroker, checkHalfQueue } from './half-queue-check.js';

const log = getLogger('broker.transaction');

export class TransactionalMessageCheckService {
  readonly #broker: CheckBroker;
  #isStopped = false;
  #round: Promise<void> | null = null;

  constructor(broker: CheckBroker) {
    this.#broker = broker;
  }

  /** One round; does nothing on a slave, while the store takes no messages, and while the last round is not over. */
  async check(): Promise<void> {
    const { config, store } = this.#broker;
    if (this.#isStopped || this.#round !== null) return;
    if (config.brokerRole === 'SLAVE' || !store.isWritable()) return;
    this.#round = this.#checkAll();
    try {
      await this.#round;
    } finally {
      this.#round = null;
    }
  }

  /** Ends the round at its next step and waits for that. */
  async shutdown(): Promise<void> {
    this.#isStopped = true;
    await this.#round?.catch(() => {});
  }

  async #checkAll(): Promise<void> {
    const perm = PermName.READ | PermName.WRITE;
    const row = await this.#broker.topics.createIfAbsent(TRANS_HALF_TOPIC, 1, perm, 0);
    if (row === null) return;
    for (let queueId = 0; queueId < row.readQueueNums && !this.#isStopped; queueId++) {
      try {
        await checkHalfQueue(this.#broker, queueId, () => this.#isStopped);
      } catch (error) {
        log.error('the check of a half queue failed', { queueId, err: error });
      }
    }
  }
}
