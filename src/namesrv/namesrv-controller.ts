// Room: namesrv. Main thread. Puts the name server together: tables, processor, listener, and the timer that ends silent brokers.
// Always holds: what the tables say of a broker follows its connection: when that ends, so does the broker's address.

import { type Clock, systemClock } from '../base/clock.js';
import type { NamesrvConfig } from '../base/config.js';
import { namesrvSchema } from '../base/config-schema.js';
import { Configuration } from '../base/config-update.js';
import { getLogger } from '../base/logger.js';
import type { Connection } from '../remoting/connection.js';
import type { FrameHandler } from '../remoting/frame-handler.js';
import { RemotingServer } from '../remoting/remoting-server.js';
import { DispatchingFrameHandler, RequestDispatcher } from '../remoting/request-dispatcher.js';
import { KVConfigManager } from './kv-config-manager.js';
import { NamesrvRequestProcessor } from './request-processor.js';
import { RouteInfoManager } from './route-info-manager.js';

const FIRST_SCAN_MS = 5_000;
const SCAN_INTERVAL_MS = 10_000;

export class NamesrvController {
  readonly routes: RouteInfoManager;
  readonly kvConfig: KVConfigManager;
  readonly #server: RemotingServer;
  #timer: NodeJS.Timeout | null = null;

  constructor(config: NamesrvConfig, clock: Clock = systemClock) {
    const log = getLogger('namesrv');
    this.routes = new RouteInfoManager(clock, log);
    this.kvConfig = new KVConfigManager(config.kvConfigPath);
    const dispatcher = new RequestDispatcher();
    new NamesrvRequestProcessor({
      config,
      configuration: new Configuration({
        schema: namesrvSchema,
        config,
        file: config.configStorePath,
      }),
      routes: this.routes,
      kvConfig: this.kvConfig,
    }).registerAt(dispatcher);
    this.#server = new RemotingServer({
      host: config.bindAddress,
      port: config.listenPort,
      idleTimeoutMs: config.serverChannelMaxIdleTimeSeconds * 1000,
      maxConnections: config.maxConnections,
      backlog: config.serverSocketBacklog,
      tls: config,
      clock,
      handler: new NamesrvFrameHandler(dispatcher, this.routes),
    });
  }

  get port(): number {
    return this.#server.port;
  }

  async start(): Promise<void> {
    this.kvConfig.load();
    await this.#server.start();
    this.#timer = setTimeout(() => this.#scan(), FIRST_SCAN_MS);
    this.#timer.unref();
  }

  async shutdown(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#server.shutdown();
  }

  #scan(): void {
    this.routes.scanNotActiveBrokers();
    this.#timer = setTimeout(() => this.#scan(), SCAN_INTERVAL_MS);
    this.#timer.unref();
  }
}

class NamesrvFrameHandler implements FrameHandler {
  readonly #frames: DispatchingFrameHandler;
  readonly #routes: RouteInfoManager;

  constructor(dispatcher: RequestDispatcher, routes: RouteInfoManager) {
    this.#frames = new DispatchingFrameHandler(dispatcher);
    this.#routes = routes;
  }

  onFrame(connection: Connection, frame: Buffer): void {
    this.#frames.onFrame(connection, frame);
  }

  onClose(connection: Connection): void {
    this.#routes.onChannelClosed(connection);
  }
}
