// Room: cli. `cometmq start`: name server and broker in one process, on loopback unless told otherwise, all data in one folder.
// For trying things out and for a single machine; `namesrv` and `broker` are for everything else.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { loadBrokerConfig, loadNamesrvConfig } from '../../base/config.js';
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
  readonly data: string;
  readonly bind: string;
  readonly namesrvPort: string;
  readonly port: string;
}

export function startCommand(context: CliContext, exit: (code: number) => void): Command {
  return addServerOptions(new Command('start'))
    .description('run a name server and a broker in one process')
    .option('--data <folder>', 'where everything is kept', 'cometmq-data')
    .option(
      '--bind <address>',
      'IP address to listen on; clients are told it too',
      parseIp,
      '127.0.0.1',
    )
    .option('--namesrv-port <port>', 'port of the name server', parsePort, '9876')
    .option('--port <port>', 'port of the broker', parsePort, '10911')
    .addHelpText(
      'after',
      '\nExamples:\n  cometmq start\n  cometmq start --data /var/lib/cometmq --bind 10.0.0.5',
    )
    .action(async (options: StartOptions) => exit(await runStart(context, options)));
}

async function runStart(context: CliContext, options: StartOptions): Promise<number> {
  const folder = resolve(options.data);
  const conf = options.configFile ?? join(folder, 'conf', 'broker.conf');
  const namesrvConfig = loadNamesrvConfig({ flags: namesrvFlags(folder, options) }).config;
  const loaded = loadBrokerConfig({
    file: options.configFile ?? (existsSync(conf) ? conf : undefined),
    javaDefaults: options.javaDefaults,
    flags: { ...brokerFlags(folder, options), ...options.set },
  });
  if (isDoneByConfig(loaded, brokerSchema, options, context.stdout)) return 0;
  const { config } = loaded;
  const startBroker = await context.loadBroker();
  const namesrv = await startNamesrv(namesrvConfig);
  context.stdout(NAMESRV_READY_LINE);
  const namesrvAddr = `${clientHost(options.bind)}:${namesrv.port}`;
  config.namesrvAddr = namesrvAddr;
  const broker = await startBroker(config, { configFile: conf }).catch(async (error: unknown) => {
    await namesrv.shutdown();
    throw error;
  });
  context.stdout(brokerReadyLine(config));
  context.stdout(overview(config, namesrvAddr, folder));
  const shutdown = async () => {
    await broker.shutdown();
    await namesrv.shutdown();
  };
  return runUntilSignal(shutdown, config.shutdownTimeoutMs, context.process);
}

function namesrvFlags(folder: string, options: StartOptions): Record<string, string> {
  return {
    bindAddress: options.bind,
    listenPort: options.namesrvPort,
    kvConfigPath: join(folder, 'namesrv', 'kvConfig.json'),
    configStorePath: join(folder, 'namesrv', 'namesrv.properties'),
  };
}

function brokerFlags(folder: string, options: StartOptions): Record<string, string> {
  const isWildcard = options.bind === '0.0.0.0' || options.bind === '::';
  return {
    bindAddress: options.bind,
    listenPort: options.port,
    storePathRootDir: join(folder, 'store'),
    brokerName: 'broker-a',
    namesrvAddr: `${clientHost(options.bind)}:${options.namesrvPort}`,
    ...(isWildcard ? {} : { brokerIP1: options.bind }),
  };
}

/** How a process on this machine reaches what listens on the address. */
function clientHost(bind: string): string {
  return bind === '0.0.0.0' || bind === '::' ? '127.0.0.1' : bind;
}

function overview(config: BrokerConfig, namesrvAddr: string, folder: string): string {
  const { brokerIP1, listenPort } = config;
  return [
    '',
    `  name server   ${namesrvAddr}`,
    `  broker        ${brokerIP1}:${listenPort} (fast port ${listenPort - 2}, replication ${listenPort + 1})`,
    `  data          ${folder}`,
    '',
    'Any RocketMQ 4.x client may connect to the name server now. Try:',
    `  cometmq admin clusterList -n ${namesrvAddr}`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
