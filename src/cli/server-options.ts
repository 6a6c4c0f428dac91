// Room: cli. What the three server commands have in common: the same options for configuration, and what becomes of them.

import { isIP } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { type LoadedConfig, printConfig } from '../base/config.js';
import type { Schema } from '../base/config-schema.js';
import { getLogger, type LogLevel, setLogLevel } from '../base/logger.js';

export interface ServerOptions {
  readonly configFile?: string;
  readonly printConfigItem?: boolean;
  readonly printImportantConfig?: boolean;
  readonly javaDefaults?: boolean;
  readonly test?: boolean;
  readonly set?: Record<string, string>;
}

export function addServerOptions(command: Command): Command {
  return command
    .option('-c, --config-file <file>', 'Java .properties file, 4.9.7 names')
    .option('-p, --print-config-item', 'print the configuration in force and exit')
    .option('-m, --print-important-config', 'print its important part and exit')
    .option('-t, --test', 'check the configuration and exit')
    .option('--java-defaults', "Java's default where ours is another one")
    .option('--set <name=value>', 'set one property (may be repeated)', collect);
}

/** Says what was odd about the configuration; true when printing or testing it was all that was asked. */
export function isDoneByConfig(
  loaded: LoadedConfig<object>,
  schema: Schema,
  options: ServerOptions,
  print: (text: string) => void,
): boolean {
  const config = loaded.config as { logLevel?: LogLevel };
  if (config.logLevel !== undefined) setLogLevel(config.logLevel);
  const log = getLogger('config');
  for (const warning of loaded.warnings) log.warn(warning);
  for (const note of loaded.notes) log.info(note);
  if (options.printConfigItem === true || options.printImportantConfig === true) {
    print(printConfig(schema, loaded.config, options.printConfigItem !== true));
    return true;
  }
  if (options.test === true) {
    print('the configuration is usable\n');
    return true;
  }
  return false;
}

export function parsePort(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  }
  return text;
}

/** Names are refused: clients are told the address as it is. */
export function parseIp(text: string): string {
  const ip = text === 'localhost' ? '127.0.0.1' : text;
  if (isIP(ip) === 0) throw new InvalidArgumentError('It must be an IP address.');
  return ip;
}

function collect(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new InvalidArgumentError('It must look like name=value.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}
