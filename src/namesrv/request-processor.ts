// Room: namesrv. Main thread. Request code to table operation: all codes of protocol.md 2.10. Java's DefaultRequestProcessor.
// Differs from Java: an unknown code is answered with 3 instead of silence, a missing field with its name.

import type { NamesrvConfig } from '../base/config.js';
import type { Configuration } from '../base/config-update.js';
import { parseProperties } from '../base/properties-file.js';
import { encodeClusterInfo } from '../protocol/bodies/cluster-info.js';
import { encodeKvTable } from '../protocol/bodies/kv-table.js';
import { decodeDataVersion, encodeDataVersion } from '../protocol/bodies/topic-config.js';
import { encodeTopicList } from '../protocol/bodies/topic-list.js';
import { encodeTopicRouteData } from '../protocol/bodies/topic-route-data.js';
import { optionalBoolean, optionalString, requireString } from '../protocol/header-fields.js';
import { V4_9_4 } from '../protocol/mq-version.js';
import { createResponse, type RemotingCommand } from '../protocol/remoting-command.js';
import { RequestCode } from '../protocol/request-code.js';
import { ResponseCode } from '../protocol/response-code.js';
import type { Connection } from '../remoting/connection.js';
import type { RequestDispatcher, RequestProcessor } from '../remoting/request-dispatcher.js';
import { type KVConfigManager, NAMESPACE_ORDER_TOPIC_CONFIG } from './kv-config-manager.js';
import { brokerIdentity, isChecksumRight, readRegistration } from './register-broker.js';
import type { RouteInfoManager } from './route-info-manager.js';

const FAQ = '\nSee http://rocketmq.apache.org/docs/faq/ for further details.';

const UNIT_TOPIC = 1;
const UNIT_SUBSCRIPTION = 2;

/** Where the name server's own files are: never changed over the wire (CVE-2023-37582). */
const PATHS: ReadonlySet<string> = new Set(['kvConfigPath', 'configStorePath', 'rocketmqHome']);

export interface NamesrvParts {
  readonly config: NamesrvConfig;
  readonly configuration: Configuration;
  readonly routes: RouteInfoManager;
  readonly kvConfig: KVConfigManager;
}

export class NamesrvRequestProcessor {
  readonly #config: NamesrvConfig;
  readonly #configuration: Configuration;
  readonly #routes: RouteInfoManager;
  readonly #kv: KVConfigManager;

  constructor({ config, configuration, routes, kvConfig }: NamesrvParts) {
    this.#config = config;
    this.#configuration = configuration;
    this.#routes = routes;
    this.#kv = kvConfig;
  }

  registerAt(dispatcher: RequestDispatcher): void {
    const processors: readonly (readonly [number, RequestProcessor])[] = [
      [RequestCode.PUT_KV_CONFIG, (command) => this.#putKv(command)],
      [RequestCode.GET_KV_CONFIG, (command) => this.#getKv(command)],
      [RequestCode.DELETE_KV_CONFIG, (command) => this.#deleteKv(command)],
      [RequestCode.GET_KVLIST_BY_NAMESPACE, (command) => this.#kvList(command)],
      [RequestCode.REGISTER_BROKER, (command, connection) => this.#register(command, connection)],
      [
        RequestCode.UNREGISTER_BROKER,
        (command, connection) => this.#unregister(command, connection),
      ],
      [RequestCode.QUERY_DATA_VERSION, (command) => this.#queryDataVersion(command)],
      [RequestCode.GET_ROUTEINFO_BY_TOPIC, (command) => this.#route(command)],
      [RequestCode.GET_BROKER_CLUSTER_INFO, (command) => this.#clusterInfo(command)],
      [RequestCode.WIPE_WRITE_PERM_OF_BROKER, (command) => this.#wipeWritePerm(command)],
      [RequestCode.ADD_WRITE_PERM_OF_BROKER, (command) => this.#addWritePerm(command)],
      [RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, (command) => this.#allTopics(command)],
      [RequestCode.DELETE_TOPIC_IN_NAMESRV, (command) => this.#deleteTopic(command)],
      [RequestCode.GET_TOPICS_BY_CLUSTER, (command) => this.#topicsByCluster(command)],
      [RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS, (command) => this.#systemTopics(command)],
      [RequestCode.GET_UNIT_TOPIC_LIST, (command) => this.#unitTopics(command)],
      [RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST, (command) => this.#unitTopics(command)],
      [RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST, (command) => this.#unitTopics(command)],
      [RequestCode.UPDATE_NAMESRV_CONFIG, (command) => this.#updateConfig(command)],
      [
        RequestCode.GET_NAMESRV_CONFIG,
        (command) => ok(command, Buffer.from(this.#configuration.text())),
      ],
    ];
    for (const [code, processor] of processors) dispatcher.register([code], processor);
  }

  async #putKv(command: RemotingCommand): Promise<RemotingCommand> {
    const namespace = optionalString(command, 'namespace');
    const key = optionalString(command, 'key');
    const value = optionalString(command, 'value');
    if (namespace === null || key === null || value === null) {
      return createResponse(command, ResponseCode.SYSTEM_ERROR, 'namespace or key is null');
    }
    await this.#kv.put(namespace, key, value);
    return ok(command);
  }

  #getKv(command: RemotingCommand): RemotingCommand {
    const namespace = requireString(command, 'namespace');
    const key = requireString(command, 'key');
    const value = this.#kv.get(namespace, key);
    if (value === null) {
      const remark = `No config item, Namespace: ${namespace} Key: ${key}`;
      const response = createResponse(command, ResponseCode.QUERY_NOT_FOUND, remark);
      response.extFields = {};
      return response;
    }
    return withFields(command, { value });
  }

  async #deleteKv(command: RemotingCommand): Promise<RemotingCommand> {
    await this.#kv.delete(requireString(command, 'namespace'), requireString(command, 'key'));
    return ok(command);
  }

  #kvList(command: RemotingCommand): RemotingCommand {
    const namespace = requireString(command, 'namespace');
    const table = this.#kv.namespace(namespace);
    if (table === null) {
      const remark = `No config item, Namespace: ${namespace}`;
      return createResponse(command, ResponseCode.QUERY_NOT_FOUND, remark);
    }
    return ok(command, encodeKvTable(table));
  }

  #register(command: RemotingCommand, connection: Connection): RemotingCommand {
    if (!isChecksumRight(command)) {
      return createResponse(command, ResponseCode.SYSTEM_ERROR, 'crc32 not match');
    }
    const registration = readRegistration(command, connection);
    const { masterAddr, haServerAddr } = this.#routes.registerBroker(registration);
    const response = withFields(command, {
      ...(haServerAddr === null ? {} : { haServerAddr }),
      ...(masterAddr === null ? {} : { masterAddr }),
    });
    const table = this.#kv.namespace(NAMESPACE_ORDER_TOPIC_CONFIG);
    if (table !== null) response.body = encodeKvTable(table);
    return response;
  }

  #unregister(command: RemotingCommand, connection: Connection): RemotingCommand {
    this.#routes.unregisterBroker(brokerIdentity(command), connection);
    return ok(command);
  }

  #queryDataVersion(command: RemotingCommand): RemotingCommand {
    const { brokerAddr } = brokerIdentity(command);
    const version = decodeDataVersion(command.body) ?? { counter: 0, timestamp: 0 };
    const { changed, known } = this.#routes.queryDataVersion(brokerAddr, version);
    const response = withFields(command, { changed: String(changed) });
    if (known !== null) response.body = encodeDataVersion(known);
    return response;
  }

  #route(command: RemotingCommand): RemotingCommand {
    const topic = requireString(command, 'topic');
    const route = this.#routes.pickupTopicRoute(topic);
    if (route === null) {
      const remark = `No topic route info in name server for the topic: ${topic}${FAQ}`;
      return createResponse(command, ResponseCode.TOPIC_NOT_EXIST, remark);
    }
    const orderTopicConf = this.#config.orderMessageEnable
      ? this.#kv.get(NAMESPACE_ORDER_TOPIC_CONFIG, topic)
      : null;
    const isStandard =
      command.version >= V4_9_4 || optionalBoolean(command, 'acceptStandardJsonOnly') === true;
    const form = isStandard ? 'standard' : 'native';
    return ok(command, encodeTopicRouteData({ ...route, orderTopicConf }, form));
  }

  #clusterInfo(command: RemotingCommand): RemotingCommand {
    return ok(command, encodeClusterInfo(this.#routes.clusterInfo()));
  }

  #wipeWritePerm(command: RemotingCommand): RemotingCommand {
    const count = this.#routes.wipeWritePerm(requireString(command, 'brokerName'));
    return withFields(command, { wipeTopicCount: String(count) });
  }

  #addWritePerm(command: RemotingCommand): RemotingCommand {
    const count = this.#routes.addWritePerm(requireString(command, 'brokerName'));
    return withFields(command, { addTopicCount: String(count) });
  }

  #allTopics(command: RemotingCommand): RemotingCommand {
    return topicList(command, this.#routes.allTopics());
  }

  #deleteTopic(command: RemotingCommand): RemotingCommand {
    const clusterName = optionalString(command, 'clusterName');
    this.#routes.deleteTopic(
      requireString(command, 'topic'),
      clusterName === '' ? null : clusterName,
    );
    return ok(command);
  }

  #topicsByCluster(command: RemotingCommand): RemotingCommand {
    return topicList(command, this.#routes.topicsOfCluster(requireString(command, 'cluster')));
  }

  #systemTopics(command: RemotingCommand): RemotingCommand {
    const { topics, brokerAddr } = this.#routes.systemTopics();
    return topicList(command, topics, brokerAddr);
  }

  #unitTopics(command: RemotingCommand): RemotingCommand {
    const matches = (flag: number): boolean => {
      const isUnit = (flag & UNIT_TOPIC) !== 0;
      const hasUnitSubscription = (flag & UNIT_SUBSCRIPTION) !== 0;
      if (command.code === RequestCode.GET_UNIT_TOPIC_LIST) return isUnit;
      if (command.code === RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST) return hasUnitSubscription;
      return hasUnitSubscription && !isUnit;
    };
    return topicList(command, this.#routes.topicsWithFlag(matches));
  }

  async #updateConfig(command: RemotingCommand): Promise<RemotingCommand> {
    const text = command.body?.toString('utf8') ?? '';
    if (parseProperties(text).some(({ name }) => PATHS.has(name))) {
      const remark = 'Can not update config path';
      return createResponse(command, ResponseCode.NO_PERMISSION, remark);
    }
    const outcome = await this.#configuration.update(text);
    if (outcome.ok) return ok(command);
    const { NO_PERMISSION, SYSTEM_ERROR } = ResponseCode;
    const code = outcome.reason === 'forbidden' ? NO_PERMISSION : SYSTEM_ERROR;
    return createResponse(command, code, outcome.remark);
  }
}

function topicList(
  command: RemotingCommand,
  topics: readonly string[],
  brokerAddr: string | null = null,
): RemotingCommand {
  return ok(command, encodeTopicList({ brokerAddr, topicList: topics }));
}

function withFields(command: RemotingCommand, fields: Record<string, string>): RemotingCommand {
  const response = createResponse(command, ResponseCode.SUCCESS);
  response.extFields = fields;
  return response;
}

function ok(command: RemotingCommand, body: Buffer | null = null): RemotingCommand {
  const response = createResponse(command, ResponseCode.SUCCESS);
  response.body = body;
  return response;
}
