// Room: cli. `cometmq start`: name server and broker in one process, on loopback unless told otherwise, all data in one folder.
// For trying things out and for a single machine; `namesrv` and `broker` are for everything else.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { isWildcard, loadBrokerConfig, loadNamesrvConfig } from '../../base/config.js';
import { type BrokerConfig, brokerSchema } from '../../base/config-schema.js';
import { startNamesrv } from '../../namesrv/main.js';
import { brokerReadyLine } from '../broker-door.js';
import type { CliContext } from '../context.js';
import { runUntilSignal } from '../run-until-signal.js';
import {
  addServerOptions,
  isDoneByConfig,
  parseIp,
  parsePort,
  type ServerOptions,
} from '../server-options.js';
import { NAMESRV_READY_LINE } from './namesrv.js';

interface StartOptions extends ServerOptions {
  readonly data?: string;
  readonly bind?: string;
  readonly namesrvPort: string;
  readonly port?: string;
}

const DEFAULT_FOLDER = 'cometmq-data';
/** What this command has in place of Java's defaults; `--java-defaults` takes it back. */
const START_DEFAULTS = { bindAddress: '127.0.0.1', brokerName: 'broker-a' };

export function startCommand(context: CliContext, exit: (code: number) => void): Command {
  return addServerOptions(new Command('start'))
    .description('run a name server and a broker in one process')
    .option('--data <folder>', `where everything is kept (default: "${DEFAULT_FOLDER}")`)
    .option(
      '--bind <address>',
      'IP address to listen on; clients are told it too (default: 127.0.0.1)',
      parseIp,
    )
    .option('--namesrv-port <port>', 'port of the name server', parsePort, '9876')
    .option('--port <port>', 'port of the broker (default: 10911)', parsePort)
    .addHelpText(
      'after',
      '\nExamples:\n  cometmq start\n  cometmq start --data /var/lib/cometmq --bind 10.0.0.5',
    )
    .action(async (options: StartOptions) => exit(await runStart(context, options)));
}

async function runStart(context: CliContext, options: StartOptions): Promise<number> {
  const folder = resolve(options.data ?? DEFAULT_FOLDER);
  const conf = options.configFile ?? join(folder, 'conf', 'broker.conf');
  const loaded = loadBrokerConfig({
    defaults: {
      ...(options.javaDefaults === true ? {} : START_DEFAULTS),
      storePathRootDir: join(folder, 'store'),
    },
    file: options.configFile ?? (existsSync(conf) ? conf : undefined),
    javaDefaults: options.javaDefaults,
    flags: { ...brokerFlags(folder, options), ...options.set },
  });
  const { config } = loaded;
  config.namesrvAddr = `${clientHost(config.bindAddress)}:${options.namesrvPort}`;
  if (isDoneByConfig(loaded, brokerSchema, options, context.stdout)) return 0;
  const startBroker = await context.loadBroker();
  const namesrvConfig = loadNamesrvConfig({ flags: namesrvFlags(folder, options, config) }).config;
  const namesrv = await startNamesrv(namesrvConfig);
  context.stdout(NAMESRV_READY_LINE);
  const namesrvAddr = `${clientHost(config.bindAddress)}:${namesrv.port}`;
  config.namesrvAddr = namesrvAddr;
  const broker = await startBroker(config, { configFile: conf }).catch(async (error: unknown) => {
    await namesrv.shutdown();
    throw error;
  });
  context.stdout(brokerReadyLine(config));
  context.stdout(overview(config, namesrvAddr));
  const shutdown = async () => {
    await broker.shutdown();
    await namesrv.shutdown();
  };
  return runUntilSignal(shutdown, config.shutdownTimeoutMs, context.process);
}

function namesrvFlags(
  folder: string,
  options: StartOptions,
  broker: BrokerConfig,
): Record<string, string> {
  return {
    bindAddress: broker.bindAddress,
    logLevel: broker.logLevel,
    listenPort: options.namesrvPort,
    kvConfigPath: join(folder, 'namesrv', 'kvConfig.json'),
    configStorePath: join(folder, 'namesrv', 'namesrv.properties'),
  };
}

function brokerFlags(folder: string, options: StartOptions): Record<string, string> {
  return {
    ...(options.bind === undefined ? {} : { bindAddress: options.bind }),
    ...(options.port === undefined ? {} : { listenPort: options.port }),
    ...(options.data === undefined ? {} : { storePathRootDir: join(folder, 'store') }),
  };
}

/** How a process on this machine reaches what listens on the address. */
function clientHost(bind: string): string {
  return isWildcard(bind) ? '127.0.0.1' : bind;
}

function overview(config: BrokerConfig, namesrvAddr: string): string {
  const { brokerIP1, listenPort, storePathRootDir } = config;
  return [
    '',
    `  name server   ${namesrvAddr}`,
    `  broker        ${brokerIP1}:${listenPort} (fast port ${listenPort - 2}, slaves ${listenPort + 1})`,
    `  store         ${storePathRootDir}`,
    '',
    "Any RocketMQ 4.x client may connect to the name server now. With RocketMQ's own tools, try:",
    `  mqadmin clusterList -n ${namesrvAddr}`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
