#!/usr/bin/env node
// Room: cli. One binary, `cometmq`: each command has a file in commands/. Answers to the shell with the codes of exit-code.ts; a
// failure is one line and a hint on stderr, its stack only with --debug.

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import type { StartBroker } from './broker-door.js';
import { brokerCommand } from './commands/broker.js';
import { namesrvCommand } from './commands/namesrv.js';
import { startCommand } from './commands/start.js';
import type { CliContext } from './context.js';
import { ExitCode, exitCodeOf } from './exit-code.js';
import { versionText } from './version.js';

/** Runs one command line; resolves with the exit code and never rejects. */
export async function main(argv: readonly string[], context: CliContext): Promise<number> {
  let code: number = ExitCode.OK;
  const program = buildProgram(context, (exitCode) => {
    code = exitCode;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.OK : ExitCode.USAGE;
    context.stderr(describe(error, argv.includes('--debug')));
    return exitCodeOf(error);
  }
}

function buildProgram(context: CliContext, exit: (code: number) => void): Command {
  const program = new Command('cometmq')
    .description('RocketMQ 4.x for Node: name server, broker and tools')
    .version(versionText(), '-V, --version', 'versions of package, wire protocol and Node')
    .option('--debug', 'show the stack of a failure')
    .enablePositionalOptions();
  for (const make of [startCommand, namesrvCommand, brokerCommand]) {
    program.addCommand(make(context, exit));
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({ writeOut: context.stdout, writeErr: context.stderr });
  }
  return program;
}

/** One line a cause; the whole only when it is asked for. */
function describe(error: unknown, withStack: boolean): string {
  if (!(error instanceof Error)) return `cometmq: ${String(error)}\n`;
  if (withStack) return `cometmq: ${error.stack ?? error.message}\n`;
  return `cometmq: ${error.message}\n`;
}

async function loadBroker(): Promise<StartBroker> {
  const { startBroker } = await import('../broker/main.js');
  return startBroker;
}

function isMainModule(): boolean {
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
}

if (isMainModule()) {
  process.exitCode = await main(process.argv.slice(2), {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    process,
    loadBroker,
  });
}
