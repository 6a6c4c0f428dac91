// Room: broker, main thread. What the workers tell the control plane now and then, besides answers: counts for the statistics, and
// pulls that were sent elsewhere in their queue.

import type { PullCount } from '../processor/pull-stats.js';
import type { BrokerController } from './broker-controller.js';

type StoreEvent =
  | { readonly event: 'puts'; readonly puts: readonly (readonly [string, number, number])[] }
  | { readonly event: 'pulls'; readonly pulls: readonly PullCount[] }
  | {
      readonly event: 'offsetMoved';
      readonly group: string;
      readonly topic: string;
      readonly queueId: number;
      readonly requested: number;
      readonly next: number;
    };

export function onStoreEvent(controller: BrokerController, raw: unknown): void {
  const event = raw as StoreEvent;
  switch (event.event) {
    case 'puts':
      for (const [topic, count, bytes] of event.puts) controller.countPuts(topic, count, bytes);
      break;
    case 'pulls':
      for (const pull of event.pulls) controller.countPulls(pull);
      break;
    case 'offsetMoved':
      controller.offsetMoved(event.group, event.topic, event.queueId, event.requested, event.next);
      break;
    default:
      throw new Error(`a worker told of an unknown event: ${JSON.stringify(raw)}`);
  }
}
