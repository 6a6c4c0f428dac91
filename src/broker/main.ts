// Room: broker, main thread. Puts a broker together and takes it apart: lock and recovery, the threads, the control plane, the two
// listeners, registration; and back in the opposite order. Follows Java's BrokerStartup and BrokerController.
//
// Always holds: the first frame comes after all tables are with the workers; `abort` exists from before the first append to after
// the last byte of a clean stop; when a store thread dies nothing is acknowledged any more and the process leaves with a code.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Clock, systemClock } from '../base/clock.js';
import type { BrokerConfig } from '../base/config.js';
import { cometError } from '../base/errors.js';
import { getLogger } from '../base/logger.js';
import { addressBytes } from '../base/net-address.js';
import { createMessageId } from '../message/message-id.js';
import { type FileLock, lockFile } from '../native/file-lock.js';
import { trySend } from '../native/socket.js';
import { RequestCode } from '../protocol/request-code.js';
import type { FrameHandler } from '../remoting/frame-handler.js';
import { RemotingClient } from '../remoting/remoting-client.js';
import { RemotingServer, type RemotingServerOptions } from '../remoting/remoting-server.js';
import { storeConfigOf } from '../store/store-config.js';
import { type StorePaths, storePaths } from '../store/store-paths.js';
import { StoreThreads } from '../workers/store-threads.js';
import { Acceptor, requestCodeOf } from './acceptor.js';
import { AclHook, checkedFrames } from './acl/acl-hook.js';
import { PlainPermissionManager } from './acl/plain-permission-manager.js';
import { BrokerController } from './broker-controller.js';
import { brokerSettingsOf } from './broker-settings.js';
import { restateReply } from './restate-reply.js';
import { RingReplicaPublisher } from './ring-replica-publisher.js';
import { onStoreEvent } from './store-events.js';

const log = getLogger('broker');

export interface StartBrokerOptions {
  /** Where code 25 keeps its changes; null keeps none. */
  readonly configFile?: string | null;
  readonly mode?: 'inline' | 'dedicated';
  readonly clock?: Clock;
  /** The store can not go on; by default the process exits with 74, leaving `abort` behind. */
  readonly onFatal?: (reason: string) => void;
}

export interface RunningBroker {
  readonly controller: BrokerController;
  readonly threads: StoreThreads;
  readonly listenPort: number;
  readonly fastPort: number;
  shutdown(): Promise<void>;
}

/** EX_IOERR of sysexits: the store failed. */
const EXIT_STORE_FAILED = 74;

/** Rejects with CONFIG_INVALID, STORE_LOCKED, STORE_DAMAGED or CONFIG_FILE_DAMAGED; nothing is left running then. */
export async function startBroker(
  config: BrokerConfig,
  options: StartBrokerOptions = {},
): Promise<RunningBroker> {
  const broker = new Broker(config, options);
  try {
    await broker.start();
  } catch (error) {
    await broker.abandon();
    throw error;
  }
  return broker;
}

class Broker implements RunningBroker {
  readonly controller: BrokerController;
  readonly threads: StoreThreads;
  readonly #config: BrokerConfig;
  readonly #options: StartBrokerOptions;
  readonly #paths: StorePaths;
  readonly #lock: FileLock;
  readonly #client: RemotingClient;
  readonly #acl: PlainPermissionManager | null;
  readonly #acceptor: Acceptor;
  readonly #servers: readonly [RemotingServer, RemotingServer];
  readonly #timers: NodeJS.Timeout[] = [];
  #failed = false;

  constructor(config: BrokerConfig, options: StartBrokerOptions) {
    this.#config = config;
    this.#options = options;
    const clock = options.clock ?? systemClock;
    this.#acl = openAcl(config, clock);
    const storeConfig = storeConfigOf(config);
    this.#paths = storePaths(storeConfig);
    mkdirSync(storeConfig.storePathRootDir, { recursive: true });
    this.#lock = takeLock(this.#paths.lock);
    const storeHost = addressBytes(config.brokerIP1);
    this.threads = new StoreThreads({
      mode: options.mode ?? 'dedicated',
      store: storeConfig,
      broker: brokerSettingsOf(config),
      haListener: { host: config.bindAddress, port: config.haListenPort },
      clock,
      messageId: (physicalOffset) => createMessageId(storeHost, config.listenPort, physicalOffset),
      handlers: {
        connection: (id) => this.#acceptor.connection(id),
        restate: restateReply,
        onEscalated: (reason, connection, frame) => {
          void this.controller.escalated(reason, frame, connection);
        },
        onEvent: (event) => onStoreEvent(this.controller, event),
        onCommitOffset: (group, topic, queueId, queueOffset, connectionId) => {
          const from = this.#acceptor.connection(connectionId)?.remoteAddress ?? '';
          this.controller.commitOffset(from, group, topic, queueId, queueOffset);
        },
        onFatal: (reason) => this.#onFatal(reason),
      },
    });
    this.#client = new RemotingClient({ clock });
    this.controller = new BrokerController({
      config,
      configFile: options.configFile ?? null,
      store: this.threads.store,
      publisher: new RingReplicaPublisher(this.threads.toCommitlog, this.threads.toDispatch),
      hooks: { resubmit: (frame, connection) => this.#resubmit(frame, connection.id) },
      clock,
      namesrvClient: this.#client,
      acl: this.#acl,
      onMaster: (_masterAddr, haServerAddr) => {
        // As Java: an address in the configuration is the operator's word.
        if (!hasHaMaster(config) && haServerAddr !== null) this.threads.setHaMaster(haServerAddr);
      },
    });
    this.#acceptor = new Acceptor({
      toCommitlog: this.threads.toCommitlog,
      toDispatch: this.threads.toDispatch,
      dispatcher: this.controller.dispatcher,
      onHandedOver: () => this.threads.pump.expectAnswers(),
    });
    this.#servers = [
      new RemotingServer(this.#serverOptions(config.listenPort, true, clock)),
      new RemotingServer(this.#serverOptions(Math.max(0, config.listenPort - 2), false, clock)),
    ];
  }

  get listenPort(): number {
    return this.#servers[0].port;
  }

  get fastPort(): number {
    return this.#servers[1].port;
  }

  async start(): Promise<void> {
    this.controller.load();
    await this.threads.start();
    const { haMasterAddress } = this.#config;
    if (hasHaMaster(this.#config)) this.threads.setHaMaster(haMasterAddress ?? '');
    this.controller.publishAll();
    writeFileSync(this.#paths.abort, '');
    for (const server of this.#servers) await server.start();
    this.#timers.push(setInterval(() => this.#watchStore(), 100));
    await this.controller.start();
  }

  async shutdown(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.controller.drain();
    await Promise.all(this.#servers.map((server) => server.shutdown()));
    await this.threads.shutdown();
    // Offsets that came with the last pulls are in by now.
    await this.controller.shutdown();
    await this.#client.close();
    // What has no queue entry yet is found by the next start only if this stop does not count as clean.
    if (!this.#failed && this.threads.isDispatched()) rmSync(this.#paths.abort, { force: true });
    this.#lock.release();
  }

  /** After a start that failed half-way. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#servers.map((server) => server.shutdown()));
    await this.threads.shutdown().catch(() => {});
    await this.#client.close();
    this.#lock.release();
  }

  #handler(servesPulls: boolean): FrameHandler {
    const handler = this.#acceptor.handler(servesPulls);
    return this.#acl === null ? handler : checkedFrames(handler, new AclHook(this.#acl));
  }

  #serverOptions(port: number, servesPulls: boolean, clock: Clock): RemotingServerOptions {
    const { bindAddress, maxConnections, serverSocketBacklog, serverChannelMaxIdleTimeSeconds } =
      this.#config;
    return {
      host: bindAddress,
      port,
      handler: this.#handler(servesPulls),
      nextConnectionId: this.#acceptor.nextConnectionId,
      idleTimeoutMs: serverChannelMaxIdleTimeSeconds * 1000,
      maxConnections,
      backlog: serverSocketBacklog,
      tls: this.#config,
      clock,
      nativeSend: trySend,
    };
  }

  #resubmit(frame: Buffer, connectionId: number): void {
    const connection = this.#acceptor.connection(connectionId);
    if (connection === undefined) return;
    const isPull = requestCodeOf(frame) === RequestCode.PULL_MESSAGE;
    const target = isPull ? this.threads.toDispatch : this.threads.toCommitlog;
    target.frameAgain(connection, frame);
  }

  /** The flush worker says by its cursor that the disk failed; there is no one else to notice when nobody sends. */
  #watchStore(): void {
    if (!this.#failed && !this.threads.store.isWritable())
      this.#onFatal('a flush or write of the store failed');
  }

  #onFatal(reason: string): void {
    if (this.#failed) return;
    this.#failed = true;
    log.error(`the store can not go on: ${reason}`);
    if (this.#options.onFatal !== undefined) this.#options.onFatal(reason);
    else setTimeout(() => process.exit(EXIT_STORE_FAILED), 200);
  }
}

/** Java takes shorter texts for none. */
function hasHaMaster({ haMasterAddress }: BrokerConfig): boolean {
  return haMasterAddress !== null && haMasterAddress.length >= 6;
}

function openAcl(config: BrokerConfig, clock: Clock): PlainPermissionManager | null {
  if (!config.aclEnable) return null;
  if (config.rocketmqHome !== null) return new PlainPermissionManager(config.rocketmqHome, clock);
  throw cometError('CONFIG_INVALID', 'aclEnable=true needs rocketmqHome, or ROCKETMQ_HOME');
}

function takeLock(path: string): FileLock {
  try {
    return lockFile(path);
  } catch (error) {
    throw cometError('STORE_LOCKED', `Lock failed,MQ already started: ${path}`, error);
  }
}
