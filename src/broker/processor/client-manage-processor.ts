// Room: broker, main thread. Codes 34, 35 and 46: clients say that they live, that they leave, and whether their filter can be
// used (protocol 2.4, 6.9). Heartbeats make groups and retry topics; a connection's end takes its client out of all tables.

import { retryTopicOf } from '../../message/topic-validator.js';
import {
  type ConsumerData,
  decodeCheckClientConfig,
  decodeHeartbeatData,
} from '../../protocol/bodies/heartbeat-data.js';
import { optionalString, requireText } from '../../protocol/header-fields.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { RequestCode } from '../../protocol/request-code.js';
import { ResponseCode } from '../../protocol/response-code.js';
import type { RequestDispatcher } from '../../remoting/request-dispatcher.js';
import type { BrokerContext } from '../broker-context.js';
import { ClientChannelInfo, type ClientConnection } from '../client/client-channel-info.js';
import { illegalGroupRemark, isLegalGroup } from '../subscription/group-name.js';
import { PermName } from '../topic/perm-name.js';
import { TopicSysFlag } from '../topic/topic-sys-flag.js';
import { failure, isBlank, success, successWithHeader } from './answers.js';

export function registerClientManage(dispatcher: RequestDispatcher, broker: BrokerContext): void {
  const processor = new ClientManageProcessor(broker);
  dispatcher.register([RequestCode.HEART_BEAT], (request, connection) =>
    processor.heartBeat(request, connection),
  );
  dispatcher.register([RequestCode.UNREGISTER_CLIENT], (request, connection) =>
    processor.unregisterClient(request, connection),
  );
  dispatcher.register([RequestCode.CHECK_CLIENT_CONFIG], (request) =>
    processor.checkClientConfig(request),
  );
}

class ClientManageProcessor {
  readonly #broker: BrokerContext;
  /** Connections whose end is watched already. */
  readonly #watched = new WeakSet<ClientConnection>();

  constructor(broker: BrokerContext) {
    this.#broker = broker;
  }

  async heartBeat(
    request: RemotingCommand,
    connection: ClientConnection,
  ): Promise<RemotingCommand> {
    const { clientID, consumerDataSet, producerDataSet } = decodeHeartbeatData(request.body);
    const illegal = [...consumerDataSet, ...producerDataSet].find(
      (it) => !isLegalGroup(it.groupName),
    );
    if (illegal !== undefined) {
      const remark = illegalGroupRemark(illegal.groupName);
      return failure(request, ResponseCode.SYSTEM_ERROR, remark);
    }
    const retries = consumerDataSet.map((data) => this.#prepareGroup(data));
    await Promise.all(retries);
    if (connection.isClosed) return success(request);
    this.#watch(connection);
    const channel = () =>
      new ClientChannelInfo(
        connection,
        clientID,
        request.language,
        request.version,
        this.#broker.clock,
      );
    for (const data of consumerDataSet) this.#registerConsumer(data, channel());
    for (const { groupName } of producerDataSet) {
      this.#broker.producers.register(groupName, channel());
    }
    return success(request);
  }

  unregisterClient(request: RemotingCommand, connection: ClientConnection): RemotingCommand {
    requireText(request, 'clientID');
    const producerGroup = optionalString(request, 'producerGroup');
    if (producerGroup !== null) this.#broker.producers.unregister(producerGroup, connection);
    const consumerGroup = optionalString(request, 'consumerGroup');
    if (consumerGroup !== null) {
      const notify = this.#broker.groups.get(consumerGroup)?.notifyConsumerIdsChangedEnable ?? true;
      this.#broker.consumers.unregister(consumerGroup, connection, notify);
    }
    return successWithHeader(request);
  }

  /** Asked by consumers with property filters before they start. */
  checkClientConfig(request: RemotingCommand): RemotingCommand {
    if (request.body === null || request.body.length === 0) return success(request);
    const { subscriptionData } = decodeCheckClientConfig(request.body);
    const type = subscriptionData.expressionType;
    if (isBlank(type) || type === 'TAG') return success(request);
    if (!this.#broker.config.enablePropertyFilter) {
      const remark = `The broker does not support consumer to filter message by ${type}`;
      return failure(request, ResponseCode.SYSTEM_ERROR, remark);
    }
    const fault = this.#broker.filters.check(type, subscriptionData.subString ?? '');
    if (fault === null) return success(request);
    return failure(request, ResponseCode.SUBSCRIPTION_PARSE_FAILED, fault);
  }

  /** The group's settings and its retry topic; without settings (auto-creation off) there is no retry topic. */
  async #prepareGroup(data: ConsumerData): Promise<void> {
    const group = this.#broker.groups.findOrCreate(data.groupName);
    if (group === null) return;
    const sysFlag = data.unitMode ? TopicSysFlag.UNIT_SUB : 0;
    const perm = PermName.READ | PermName.WRITE;
    const topic = retryTopicOf(data.groupName);
    await this.#broker.topics.createIfAbsent(topic, group.retryQueueNums, perm, sysFlag);
  }

  #registerConsumer(data: ConsumerData, channel: ClientChannelInfo): void {
    const notify = this.#broker.groups.get(data.groupName)?.notifyConsumerIdsChangedEnable ?? true;
    const { consumeType, messageModel, consumeFromWhere } = data;
    const profile = { consumeType, messageModel, consumeFromWhere };
    this.#broker.consumers.register(
      data.groupName,
      channel,
      profile,
      data.subscriptionDataSet,
      notify,
    );
  }

  #watch(connection: ClientConnection): void {
    if (this.#watched.has(connection)) return;
    this.#watched.add(connection);
    connection.onClose(() => {
      this.#broker.consumers.connectionClosed(connection);
      this.#broker.producers.connectionClosed(connection);
    });
  }
}
