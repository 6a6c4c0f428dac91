// Room: cli. `cometmq namesrv`: mqnamesrv's flags, Java's ready line.

import { Command } from 'commander';
import { loadNamesrvConfig } from '../../base/config.js';
import { namesrvSchema } from '../../base/config-schema.js';
import { getLogger } from '../../base/logger.js';
import { startNamesrv } from '../../namesrv/main.js';
import type { CliContext } from '../context.js';
import { runUntilSignal } from '../run-until-signal.js';
import { addServerOptions, isDoneByConfig, type ServerOptions } from '../server-options.js';

const SHUTDOWN_DEADLINE_MS = 10_000;

/** Java's line, which scripts wait for. */
export const NAMESRV_READY_LINE = 'The Name Server boot success. serializeType=JSON\n';

export function namesrvCommand(context: CliContext, exit: (code: number) => void): Command {
  return addServerOptions(new Command('namesrv'))
    .description('run a name server (port 9876)')
    .addHelpText(
      'after',
      '\nExamples:\n  cometmq namesrv\n  cometmq namesrv -c namesrv.properties -p',
    )
    .action(async (options: ServerOptions) => exit(await runNamesrv(context, options)));
}

async function runNamesrv(context: CliContext, options: ServerOptions): Promise<number> {
  const loaded = loadNamesrvConfig({
    file: options.configFile,
    javaDefaults: options.javaDefaults,
    // As in Java, the file that was given is the one that changes over the wire are kept in.
    flags: { ...pathOf(options.configFile), ...options.set },
  });
  if (isDoneByConfig(loaded, namesrvSchema, options, context.stdout)) return 0;
  const namesrv = await startNamesrv(loaded.config);
  getLogger('namesrv').info(`listening on ${loaded.config.bindAddress}:${namesrv.port}`);
  context.stdout(NAMESRV_READY_LINE);
  return runUntilSignal(() => namesrv.shutdown(), SHUTDOWN_DEADLINE_MS, context.process);
}

function pathOf(configFile: string | undefined): Record<string, string> {
  return configFile === undefined ? {} : { configStorePath: configFile };
}
