// Room: cli. `cometmq broker`: mqbroker's flags, Java's ready line.

import { Command } from 'commander';
import { loadBrokerConfig } from '../../base/config.js';
import { brokerSchema } from '../../base/config-schema.js';
import { brokerReadyLine } from '../broker-door.js';
import type { CliContext } from '../context.js';
import { runUntilSignal } from '../run-until-signal.js';
import { addServerOptions, isDoneByConfig, type ServerOptions } from '../server-options.js';

interface BrokerOptions extends ServerOptions {
  readonly namesrvAddr?: string;
}

export function brokerCommand(context: CliContext, exit: (code: number) => void): Command {
  return addServerOptions(new Command('broker'))
    .description('run a broker (ports 10911 and 10909)')
    .option('-n, --namesrv-addr <list>', 'name servers, host:port separated by ";"')
    .addHelpText(
      'after',
      '\nExamples:\n  cometmq broker -n 127.0.0.1:9876\n  cometmq broker -c broker.conf -p',
    )
    .action(async (options: BrokerOptions) => exit(await runBroker(context, options)));
}

async function runBroker(context: CliContext, options: BrokerOptions): Promise<number> {
  const namesrv = options.namesrvAddr === undefined ? {} : { namesrvAddr: options.namesrvAddr };
  const loaded = loadBrokerConfig({
    file: options.configFile,
    javaDefaults: options.javaDefaults,
    flags: { ...namesrv, ...options.set },
  });
  if (isDoneByConfig(loaded, brokerSchema, options, context.stdout)) return 0;
  const { config } = loaded;
  const startBroker = await context.loadBroker();
  const broker = await startBroker(config, { configFile: options.configFile ?? null });
  context.stdout(brokerReadyLine(config));
  return runUntilSignal(() => broker.shutdown(), config.shutdownTimeoutMs, context.process);
}
