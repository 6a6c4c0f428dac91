// Room: broker, main thread. Codes 306, 316 and 329: cleaning of the store, now (protocol 2.7). Answered when it is done.

import type { RemotingCommand } from '../../../protocol/remoting-command.js';
import { RequestCode } from '../../../protocol/request-code.js';
import type { RequestDispatcher } from '../../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../../broker-context.js';
import { success } from '../answers.js';

export function registerCleanAdmin(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  const clean = (code: number, work: () => Promise<void>) =>
    dispatcher.register([code], async (request: RemotingCommand) => {
      await work();
      return success(request);
    });
  clean(RequestCode.CLEAN_EXPIRED_CONSUMEQUEUE, () => broker.store.cleanExpiredConsumeQueues());
  clean(RequestCode.CLEAN_UNUSED_TOPIC, () =>
    broker.store.cleanUnusedTopics(broker.topics.names()),
  );
  clean(RequestCode.DELETE_EXPIRED_COMMITLOG, () => broker.store.deleteExpiredCommitLog());
}
