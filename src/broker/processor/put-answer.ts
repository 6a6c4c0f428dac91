// Room: broker, main thread. What a client is told about an append that main made for it: Java's code and remark of each status.

import { putOutcome } from '../../processor/put-outcome.js';
import { PutMessageStatus } from '../../store/put-message.js';
import type { BrokerContext } from '../broker-context.js';

export interface PutAnswer {
  readonly code: number;
  readonly remark: string | null;
}

export async function putAnswer(
  broker: BrokerContext,
  status: PutMessageStatus,
): Promise<PutAnswer> {
  const isRefused = status === PutMessageStatus.SERVICE_NOT_AVAILABLE;
  const diskText = isRefused ? await disksText(broker) : '';
  return putOutcome(status, broker.config.maxMessageSize, () => diskText);
}

/** The index shares the disk of the queues here. */
async function disksText(broker: BrokerContext): Promise<string> {
  const info = await broker.store.runtimeInfo();
  const log = info.commitLogDiskRatio.toFixed(2).padStart(5);
  const queues = info.consumeQueueDiskRatio.toFixed(2).padStart(5);
  return `CL: ${log} CQ: ${queues} INDEX: ${queues}`;
}

/** Stored, even if it is not yet as safe as it was asked to be. */
export function isStored(status: PutMessageStatus): boolean {
  return (
    status === PutMessageStatus.PUT_OK ||
    status === PutMessageStatus.FLUSH_DISK_TIMEOUT ||
    status === PutMessageStatus.FLUSH_SLAVE_TIMEOUT ||
    status === PutMessageStatus.SLAVE_NOT_AVAILABLE
  );
}
