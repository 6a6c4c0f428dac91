// Room: broker, main thread. Which families of request codes the control plane serves; one file each. Sends and pulls (10, 310,
// 320, 11) are not here: their frames go to the workers.

import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../broker-context.js';
import { registerAclAdmin } from './admin/acl-admin.js';
import { registerCleanAdmin } from './admin/clean-admin.js';
import { registerConfigAdmin } from './admin/config-admin.js';
import { registerConnectionAdmin } from './admin/connection-admin.js';
import { registerGroupAdmin } from './admin/group-admin.js';
import { registerOffsetAdmin } from './admin/offset-admin.js';
import { registerStatsAdmin } from './admin/stats-admin.js';
import { registerTopicAdmin } from './admin/topic-admin.js';
import { registerTransactionAdmin } from './admin/transaction-admin.js';
import { registerClientManage } from './client-manage-processor.js';
import { registerConsumerManage } from './consumer-manage-processor.js';
import { registerEndTransaction } from './end-transaction-processor.js';
import { registerLockBatch } from './lock-batch-processor.js';
import { registerQuery } from './query-processor.js';
import { registerReplyMessage } from './reply-message-processor.js';
import { registerSendBack } from './send-back-processor.js';

export function registerProcessors(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  registerClientManage(dispatcher, broker);
  registerConsumerManage(dispatcher, broker);
  registerLockBatch(dispatcher, broker);
  registerQuery(dispatcher, broker);
  registerSendBack(dispatcher, broker);
  registerReplyMessage(dispatcher, broker);
  registerEndTransaction(dispatcher, broker);
  registerTopicAdmin(dispatcher, broker);
  registerGroupAdmin(dispatcher, broker);
  registerOffsetAdmin(dispatcher, broker);
  registerConfigAdmin(dispatcher, broker);
  registerStatsAdmin(dispatcher, broker);
  registerConnectionAdmin(dispatcher, broker);
  registerCleanAdmin(dispatcher, broker);
  registerTransactionAdmin(dispatcher, broker);
  registerAclAdmin(dispatcher, broker);
}
