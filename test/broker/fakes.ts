// A broker's control plane without sockets, threads or disk: a store in memory, connections that remember what was sent, name
// servers that answer what they are told to.

import { ManualClock } from '../../src/base/clock.js';
import { type BrokerConfig, loadBrokerConfig } from '../../src/base/config.js';
import { seededPrng } from '../../src/base/prng.js';
import {
  BrokerController,
  type BrokerControllerOptions,
} from '../../src/broker/broker-controller.js';
import type { DataPlaneConnection, ReplicaPublisher } from '../../src/broker/control-plane.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import {
  createRequest,
  createResponse,
  isOneway,
  type RemotingCommand,
} from '../../src/protocol/remoting-command.js';
import type { Connection } from '../../src/remoting/connection.js';
import { FakeStore } from './fake-store.js';

export class FakeConnection implements DataPlaneConnection {
  readonly remoteHost = Buffer.from([127, 0, 0, 1]);
  readonly remoteAddress: string;
  readonly attributes = new Map<string, unknown>();
  readonly sent: RemotingCommand[] = [];
  readonly oneways: RemotingCommand[] = [];
  readonly invoked: RemotingCommand[] = [];
  isClosed = false;
  closeReason = '';
  /** What invoke() answers. */
  answer: (request: RemotingCommand) => RemotingCommand | Promise<RemotingCommand> = (request) =>
    createResponse(request, 0);
  readonly #listeners: (() => void)[] = [];

  readonly id: number;
  readonly remotePort: number;

  constructor(id = 1, remotePort = 40_000 + id) {
    this.id = id;
    this.remotePort = remotePort;
    this.remoteAddress = `127.0.0.1:${remotePort}`;
  }

  send(frame: Buffer): void {
    this.sent.push(decodeFrame(frame));
  }

  async invoke(command: RemotingCommand): Promise<RemotingCommand> {
    this.invoked.push(command);
    return this.answer(command);
  }

  invokeOneway(command: RemotingCommand): void {
    this.oneways.push(command);
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closeReason = reason;
    for (const listener of this.#listeners) listener();
  }
}

export class RecordingPublisher implements ReplicaPublisher {
  readonly topics = new Map<string, Parameters<ReplicaPublisher['topicChanged']>[1]>();
  readonly groups = new Map<string, Parameters<ReplicaPublisher['groupChanged']>[1]>();
  readonly consumers = new Map<string, Parameters<ReplicaPublisher['consumersChanged']>[1]>();
  /** In the order of their coming. */
  readonly filters: Parameters<ReplicaPublisher['filterChanged']>[] = [];
  permission = -1;
  filterSupportRetry = false;
  consumerChanges = 0;

  topicChanged: ReplicaPublisher['topicChanged'] = (topic, row) => {
    this.topics.set(topic, row);
  };

  groupChanged: ReplicaPublisher['groupChanged'] = (group, row) => {
    this.groups.set(group, row);
  };

  consumersChanged: ReplicaPublisher['consumersChanged'] = (group, view) => {
    this.consumerChanges++;
    this.consumers.set(group, view);
  };

  filterChanged: ReplicaPublisher['filterChanged'] = (topic, group, row) => {
    this.filters.push([topic, group, row]);
  };

  brokerPermissionChanged(permission: number): void {
    this.permission = permission;
  }

  filterSupportRetryChanged(isSupported: boolean): void {
    this.filterSupportRetry = isSupported;
  }
}

/** Name servers that answer code 0, or what `answers` says for their address; null means that they do not answer. */
export class FakeNamesrvs {
  readonly requests: { address: string; command: RemotingCommand; oneway: boolean }[] = [];
  answers = new Map<string, (request: RemotingCommand) => RemotingCommand | null>();

  async invoke(address: string, command: RemotingCommand): Promise<RemotingCommand> {
    this.requests.push({ address, command, oneway: false });
    const answer = this.answers.get(address)?.(command);
    if (answer === null) throw new Error(`${address} does not answer`);
    return answer ?? createResponse(command, 0);
  }

  async invokeOneway(address: string, command: RemotingCommand): Promise<void> {
    this.requests.push({ address, command, oneway: true });
  }
}

export interface TestBroker {
  readonly controller: BrokerController;
  readonly config: BrokerConfig;
  readonly clock: ManualClock;
  readonly store: FakeStore;
  readonly publisher: RecordingPublisher;
  readonly namesrvs: FakeNamesrvs;
  readonly files: Map<string, string>;
  readonly resubmitted: Buffer[];
  /** Sends a request and gives the answer; null when there is none. */
  ask(
    code: number,
    fields?: Record<string, string> | null,
    options?: {
      body?: Buffer | string;
      connection?: FakeConnection;
      language?: number;
      version?: number;
    },
  ): Promise<RemotingCommand | null>;
}

const MACHINE = {
  cpuCount: 2,
  hostName: 'golden-a',
  homeDir: '/nowhere',
  localAddress: '127.0.0.1',
  env: {},
};

export function testConfig(flags: Record<string, string> = {}): BrokerConfig {
  const { config } = loadBrokerConfig({
    machine: MACHINE,
    flags: {
      brokerClusterName: 'GoldenCluster',
      brokerName: 'golden-a',
      brokerIP1: '127.0.0.1',
      listenPort: '28731',
      namesrvAddr: '127.0.0.1:9876',
      storePathRootDir: '/nowhere/store',
      ...flags,
    },
  });
  return config;
}

export function testBroker(
  flags: Record<string, string> = {},
  options: Partial<BrokerControllerOptions> = {},
): TestBroker {
  const clock = new ManualClock();
  const store = new FakeStore(clock);
  const publisher = new RecordingPublisher();
  const namesrvs = new FakeNamesrvs();
  const files = new Map<string, string>();
  const resubmitted: Buffer[] = [];
  const config = testConfig(flags);
  const controller = new BrokerController({
    config,
    configFile: null,
    store,
    publisher,
    hooks: { resubmit: (frame) => resubmitted.push(frame) },
    clock,
    prng: seededPrng(1),
    namesrvClient: namesrvs,
    writeFile: async (path, text) => {
      files.set(path.slice(path.lastIndexOf('/') + 1), text);
    },
    ...options,
  });
  const own = new FakeConnection(99);
  const ask: TestBroker['ask'] = async (code, fields = null, options = {}) => {
    const body = options.body === undefined ? null : Buffer.from(options.body);
    const request = createRequest(code, fields, body, options.language ?? 0);
    if (options.version !== undefined) request.version = options.version;
    return dispatch(controller, request, options.connection ?? own);
  };
  return { controller, config, clock, store, publisher, namesrvs, files, resubmitted, ask };
}

/** The answer to a request that is not oneway; waits until it has come. */
export async function dispatch(
  controller: BrokerController,
  request: RemotingCommand,
  connection: FakeConnection,
): Promise<RemotingCommand | null> {
  const before = connection.sent.length;
  controller.dispatcher.dispatch(connection as unknown as Connection, request);
  const isAnswered = () => connection.sent.length > before;
  for (let turns = 0; turns < 50 && !isAnswered(); turns++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  // Only real files take longer.
  for (let turns = 0; turns < 400 && !isAnswered() && !isOneway(request); turns++) {
    await new Promise<void>((resolve) => setTimeout(resolve, 5));
  }
  return connection.sent[before] ?? null;
}

export function heartbeatBody(
  clientID: string,
  consumers: readonly {
    group: string;
    topics: Record<string, string>;
    subVersion?: number;
    model?: string;
  }[],
  producers: readonly string[] = [],
): string {
  return JSON.stringify({
    clientID,
    consumerDataSet: consumers.map(({ group, topics, subVersion, model }) => ({
      consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
      consumeType: 'CONSUME_PASSIVELY',
      groupName: group,
      messageModel: model ?? 'CLUSTERING',
      subscriptionDataSet: Object.entries(topics).map(([topic, subString]) => ({
        classFilterMode: false,
        codeSet: [],
        expressionType: 'TAG',
        subString,
        subVersion: subVersion ?? 1,
        tagsSet: [],
        topic,
      })),
      unitMode: false,
    })),
    producerDataSet: producers.map((groupName) => ({ groupName })),
  });
}
