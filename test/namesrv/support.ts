// Helpers of the name server tests: a processor over tables in memory, and channels that can be closed.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../src/base/clock.js';
import { loadNamesrvConfig, type NamesrvConfig } from '../../src/base/config.js';
import { namesrvSchema } from '../../src/base/config-schema.js';
import { Configuration } from '../../src/base/config-update.js';
import type { Logger } from '../../src/base/logger.js';
import { KVConfigManager } from '../../src/namesrv/kv-config-manager.js';
import { NamesrvRequestProcessor } from '../../src/namesrv/request-processor.js';
import { RouteInfoManager } from '../../src/namesrv/route-info-manager.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import type { RemotingCommand } from '../../src/protocol/remoting-command.js';
import type { Connection } from '../../src/remoting/connection.js';
import { RequestDispatcher } from '../../src/remoting/request-dispatcher.js';

export class LogLines implements Logger {
  readonly lines: string[] = [];
  debug(): void {}
  info(message: string): void {
    this.lines.push(`info ${message}`);
  }
  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }
  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
  isLevelEnabled(): boolean {
    return true;
  }
}

/** As much of a connection as the name server looks at. */
export class FakeChannel {
  readonly remoteAddress: string;
  isClosed = false;
  closeReason = '';
  readonly sent: Buffer[] = [];

  constructor(remoteAddress = '10.0.0.1:5000') {
    this.remoteAddress = remoteAddress;
  }

  close(reason: string): void {
    this.isClosed = true;
    this.closeReason = reason;
  }

  send(frame: Buffer): void {
    this.sent.push(frame);
  }
}

export class NamesrvUnderTest {
  readonly clock = new ManualClock();
  readonly dir = mkdtempSync(join(tmpdir(), 'cometmq-namesrv-'));
  readonly log = new LogLines();
  readonly routes = new RouteInfoManager(this.clock, this.log);
  readonly kvConfig = new KVConfigManager(join(this.dir, 'kvConfig.json'));
  readonly config: NamesrvConfig;
  readonly #dispatcher = new RequestDispatcher();

  constructor() {
    const file = join(this.dir, 'namesrv.properties');
    this.config = loadNamesrvConfig({
      flags: { configStorePath: file, kvConfigPath: join(this.dir, 'kvConfig.json') },
    }).config;
    new NamesrvRequestProcessor({
      config: this.config,
      configuration: new Configuration({ schema: namesrvSchema, config: this.config, file }),
      routes: this.routes,
      kvConfig: this.kvConfig,
    }).registerAt(this.#dispatcher);
  }

  /** The frame of the answer. */
  async frame(command: RemotingCommand, channel = new FakeChannel()): Promise<Buffer> {
    const before = channel.sent.length;
    this.#dispatcher.dispatch(channel as unknown as Connection, command);
    while (channel.sent.length === before) await new Promise((resolve) => setImmediate(resolve));
    return channel.sent[before] as Buffer;
  }

  async ask(command: RemotingCommand, channel = new FakeChannel()): Promise<RemotingCommand> {
    return decodeFrame(await this.frame(command, channel));
  }

  /** For oneway requests. */
  tell(command: RemotingCommand, channel: FakeChannel): void {
    this.#dispatcher.dispatch(channel as unknown as Connection, command);
  }
}
